import { backOff, sleep } from "../base/time.ts";
import { type Peer, rootMessage, toModelError, withoutSecret } from "./errors.ts";

/** What every provider is told about how long and how often to try. */
export interface TryOptions {
  /** Longest time for one answer, in ms, over all tries. Default 60 000. */
  timeout_ms?: number;
  /** Further tries after an unreachable or failing server. Default 2. */
  retries?: number;
  /** How freely the model chooses its words, from 0. Default 0. */
  temperature?: number;
  /** Bounds of the pause between tries. Default 250 to 4 000 ms. */
  retry?: { minMs: number; maxMs: number };
}

/** Settings of the Ollama provider, as in the configuration. */
export interface OllamaOptions extends TryOptions {
  /** Such as `http://127.0.0.1:11434`. */
  base_url: string;
  model: string;
  /** How long the model stays loaded after an answer. Default `10m`. */
  keep_alive?: string;
  /** Tokens of context; 0 or absent: set to fit the prompt, within what the model has. */
  num_ctx?: number;
  /** How long a server may be silent before it is asked whether it lives, and then to say so, in ms. Default 5 000. */
  watch_ms?: number;
}

/** Settings of a model behind a key. */
export interface KeyedOptions extends TryOptions {
  base_url: string;
  model: string;
  /** Empty: none is sent. */
  api_key: string;
}

/** What is kept of an answer, in characters: a model that never ends is stopped there. */
export const maxAnswerChars: number = 64 * 1024;
/** Tokens the server is asked to stop at. */
export const maxAnswerTokens: number = 4_096;
/** Bytes of one response; every token costs Ollama about 150 of them on the wire. */
export const maxResponseBytes: number = 16 * 1024 * 1024;
/** A count of tokens as a server tells it. What is no count is none: limits and metrics add it up. */
export function tokenCount(told: unknown): number {
  return typeof told === "number" && Number.isSafeInteger(told) && told > 0 ? told : 0;
}

/** Longest time of a look whether a server is there. */
const probeMs = 5_000;

/** The longest pause that a server can ask for; a person waits for the answer. */
const LONGEST_PAUSE_MS = 20_000;

/**
 * Tries until it works, what went wrong cannot pass, the tries are used up or the time is over. Rejects
 * with a ModelError. `once` gets the signal of both the caller and the time limit.
 */
export async function withTries<Result>(
  signal: AbortSignal,
  peer: Peer,
  options: TryOptions,
  once: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeoutMs = options.timeout_ms ?? 60_000;
  const retries = options.retries ?? 2;
  const bounds = options.retry ?? { minMs: 250, maxMs: 4_000 };
  const limit = AbortSignal.timeout(timeoutMs);
  const both = AbortSignal.any([signal, limit]);
  for (let failures = 0; ;) {
    try {
      both.throwIfAborted();
      return await once(both);
    } catch (cause) {
      const error = toModelError(cause, peer, {
        stopped: signal.aborted,
        timeoutMs: limit.aborted ? timeoutMs : undefined,
      });
      failures += 1;
      if (failures > retries || !error.mayPass) throw error;
      const wanted = Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? 0);
      await sleep(Math.max(backOff(failures, bounds), wanted), both);
    }
  }
}

/** Asks again without an optional parameter that the server refuses; `ask` sends none that is in `refused`. */
export async function withoutRefused<Parameter, Answer>(
  refused: Set<Parameter>,
  ask: () => Promise<Answer>,
  refusedIn: (error: unknown) => Parameter | undefined,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const parameter = refusedIn(error);
      if (parameter === undefined || refused.has(parameter)) throw error;
      refused.add(parameter);
    }
  }
}

/**
 * Looks whether a server is there and has the model. `look` resolves to why it has not, or to undefined. Never
 * rejects.
 */
export async function probeWith(
  peer: Peer,
  signal: AbortSignal | undefined,
  look: (signal: AbortSignal) => Promise<string | undefined>,
): Promise<{ reachable: boolean; reason?: string }> {
  const limit = AbortSignal.timeout(probeMs);
  try {
    const reason = await look(signal === undefined ? limit : AbortSignal.any([signal, limit]));
    return reason === undefined ? { reachable: true } : { reachable: false, reason };
  } catch (error) {
    const why = limit.aborted ? `no answer within ${probeMs / 1000} s` : rootMessage(error);
    return { reachable: false, reason: `${peer.name} cannot be used: ${withoutSecret(why, peer.secret)}` };
  }
}
