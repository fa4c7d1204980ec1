import { createHash } from "node:crypto";

import type { ChatRequest, Ollama } from "ollama";

import type { EmbedPort, ModelAnswer, ModelPort, ModelRequest } from "#contract/model.ts";

import { isObject, parseJson } from "../base/json.ts";
import { HOUR_MS, sleep } from "../base/time.ts";
import { withoutThinking } from "./answers.ts";
import { ModelError, type Peer, statusOf } from "./errors.ts";
import {
  maxAnswerChars,
  maxAnswerTokens,
  maxResponseBytes,
  type OllamaOptions,
  probeWith,
  withoutRefused,
  type TryOptions,
  tokenCount,
  withTries,
} from "./tries.ts";

/** Models over a server that speaks Ollama's API. */
export function createOllama(options: OllamaOptions): ModelPort {
  const { model, base_url: host } = options;
  const peer = peerOf(host, model);
  const context = new ContextSize(options.num_ctx ?? 0);
  /** "think", and what `formatOf` says of each schema that was refused: another may be shorter. */
  const refused = new Set<string>();

  async function answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const { system, prompt, schema, stop } = request;
    const maxTokens = request.maxTokens ?? maxAnswerTokens;
    const isConstrained = schema !== undefined && !refused.has(formatOf(request));
    const chars = system.length + prompt.length;
    const chat: ChatRequest & { stream: true; truncate: false } = {
      model,
      messages: [
        { role: "system", content: system },
        { role: "user", content: prompt },
      ],
      stream: true,
      // What does not fit is an error: the server would drop the beginning without a word.
      truncate: false,
      keep_alive: options.keep_alive ?? "10m",
      options: {
        temperature: options.temperature ?? 0,
        num_predict: maxTokens,
        num_ctx: context.sizeFor(chars, maxTokens),
        ...(stop && { stop: [...stop] }),
      },
      ...(isConstrained && { format: schema }),
      ...(!refused.has("think") && { think: false }),
    };
    return whileAlive(peer, host, options.watch_ms ?? WATCH_MS, signal, async (both, heard) => {
      const stream = await (await connect(host, both)).chat(chat);
      let text = "";
      let usage: ModelAnswer["usage"];
      let isCut = false;
      for await (const part of stream) {
        signal.throwIfAborted();
        heard();
        // Thoughts come in a field of their own, which is not read.
        text += part.message?.content ?? "";
        if (part.done) {
          usage = {
            promptTokens: tokenCount(part.prompt_eval_count),
            answerTokens: tokenCount(part.eval_count),
          };
          isCut = part.done_reason === "length";
          context.count(chars, usage.promptTokens);
        }
        if (text.length > maxAnswerChars) {
          text = text.slice(0, maxAnswerChars);
          isCut = true;
          stream.abort();
          break;
        }
      }
      return {
        text: withoutThinking(text),
        structured: isConstrained,
        ...(isCut && { isCut }),
        provider: "ollama",
        model,
        ...(usage && { usage }),
      };
    });
  }

  /** Asks again with more room where the prompt took more than it was thought to. */
  async function answerInRoom(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    for (;;) {
      try {
        return await answer(request, signal);
      } catch (error) {
        if (isOverflow(error) && context.grow()) continue;
        if (!isUnfinished(error)) throw error;
        // Models that repeat themselves are cut off so; they would again.
        throw new ModelError("model_failed", `${peer.name} broke off the answer of ${model}.`, {
          cause: error,
        });
      }
    }
  }

  return {
    provider: "ollama",
    model,
    generate: (request) =>
      withTries(request.signal, peer, options, (signal) =>
        withoutRefused(
          refused,
          () => answerInRoom(request, signal),
          (error) => refusedIn(request, error),
        ),
      ),
    probe: (given) =>
      probeWith(peer, given, async (signal) => {
        const ask = await connect(host, signal);
        if (!(await hasModel(ask, model))) return `The model ${model} is not on ${host}. ${peer.remedy}`;
        if (context.isUnknown()) context.learn(await ask.show({ model }).catch(() => undefined));
        return undefined;
      }),
  };
}

/** Vectors of texts over a server that speaks Ollama's API. */
export function createOllamaEmbedder(
  options: TryOptions & { base_url: string; model: string; keep_alive?: string },
): EmbedPort & { probe(signal: AbortSignal): Promise<boolean> } {
  const { base_url: host, model } = options;
  return {
    model,
    embed: (texts, signal) =>
      withTries(signal, peerOf(host, model), options, async (both) => {
        const keep_alive = options.keep_alive ?? "10m";
        const ask = await connect(host, both);
        return (await ask.embed({ model, input: [...texts], keep_alive })).embeddings;
      }),
    async probe(signal) {
      const find = async (limited: AbortSignal): Promise<string | undefined> =>
        (await hasModel(await connect(host, limited), model)) ? undefined : "missing";
      return (await probeWith(peerOf(host, model), signal, find)).reachable;
    },
  };
}

/** Fetches a model onto its server, telling how far it is: bytes so far and in all, where known. */
export async function pullModel(
  host: string,
  model: string,
  onProgress: (progress: { status: string; completed?: number; total?: number }) => void,
  signal: AbortSignal,
): Promise<void> {
  const options = { timeout_ms: 24 * HOUR_MS, retries: 0 };
  await withTries(signal, peerOf(host, model), options, async (both) => {
    const stream = await (await connect(host, both)).pull({ model, stream: true });
    for await (const { status, completed, total } of stream) {
      onProgress({
        status,
        ...(completed !== undefined && { completed }),
        ...(total !== undefined && { total }),
      });
    }
  });
}

/** What stands on a server that speaks Ollama's API. */
export interface OllamaState {
  version: string;
  /** Names with their tags, and the size of their files. */
  models: { name: string; bytes: number }[];
  /** Those that are in memory now. */
  loaded: string[];
}

/** Rejects with a ModelError within five seconds where nothing answers. */
export async function readOllama(host: string): Promise<OllamaState> {
  const patience = { timeout_ms: PROBE_MS, retries: 0 };
  return withTries(new AbortController().signal, peerOf(host, ""), patience, async (signal) => {
    const ask = await connect(host, signal);
    const [{ version }, { models }, { models: loaded }] = await Promise.all([
      ask.version(),
      ask.list(),
      ask.ps(),
    ]);
    return {
      version,
      models: models.map(({ name, size }) => ({ name, bytes: size })),
      loaded: loaded.map(({ name }) => name),
    };
  });
}

const PROBE_MS = 5_000;

async function connect(host: string, signal: AbortSignal): Promise<Ollama> {
  // Loaded on first use: the builtin planner needs none of it.
  const { Ollama: Client } = await import("ollama");
  return new Client({ host, fetch: guardedFetch(signal) });
}

function peerOf(host: string, model: string): Peer {
  return {
    name: `The model server at ${host}`,
    place: host,
    model,
    remedy: `Get it with: ollama pull ${model}`,
  };
}

async function hasModel(client: Ollama, wanted: string): Promise<boolean> {
  return (await client.list()).models.some(({ name }) => name === withTag(wanted));
}

/** Ollama reads a name without a tag as `latest`. */
export function withTag(name: string): string {
  return name.includes(":") ? name : `${name}:latest`;
}

function formatOf({ schema }: ModelRequest): string {
  return createHash("sha256")
    .update(JSON.stringify(schema ?? ""))
    .digest("base64url");
}

/** What of a request its model or its server refuses, as `refused` holds it. */
function refusedIn(request: ModelRequest, error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = statusOf(error);
  // Models that cannot think are refused when `think` is given at all.
  if (status === 400 && /think/i.test(error.message)) return "think";
  // Of a grammar that has no room Ollama says "failed to load model vocabulary required for format".
  const isFormat = /json schema|\bgrammar\b|in format|required for format/i.test(error.message);
  return (status === 400 || status === 500) && isFormat ? formatOf(request) : undefined;
}

function isOverflow(error: unknown): boolean {
  return error instanceof Error && /exceeds?\b.*\bcontext/i.test(error.message);
}

/** The words of the package `ollama` for a stream without its last line. */
function isUnfinished(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Did not receive done");
}

/** How often a server that is silent is asked whether it lives, and how long it may take to say so. */
const WATCH_MS = 5_000;

/**
 * Works with a server that may be silent for a minute before its first word, and yet is given up soon where
 * it answers nothing at all, not even what version it is. `work` tells whenever it has heard something.
 */
async function whileAlive<Result>(
  peer: Peer,
  host: string,
  everyMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal, heard: () => void) => Promise<Result>,
): Promise<Result> {
  const frozen = new AbortController();
  const over = new AbortController();
  let isHeard = false;
  async function watch(): Promise<void> {
    while (!over.signal.aborted) {
      await sleep(everyMs, over.signal);
      if (!isHeard && (await isFrozen(host, everyMs, over.signal))) return frozen.abort();
      isHeard = false;
    }
  }
  void watch();
  try {
    return await work(AbortSignal.any([signal, frozen.signal]), () => (isHeard = true));
  } catch (error) {
    if (!frozen.signal.aborted || signal.aborted) throw error;
    throw new ModelError("model_unreachable", `${peer.name} accepts requests and answers none.`, {
      cause: error,
    });
  } finally {
    over.abort();
  }
}

/** Whether nothing comes. Any failure is an answer: what waits beside it then fails by itself. Never rejects. */
async function isFrozen(host: string, withinMs: number, over: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.timeout(withinMs);
  const asked = fetch(`${host.replace(/\/+$/, "")}/api/version`, { signal: AbortSignal.any([over, limit]) });
  const answered = await asked
    .then((response) => response.body?.cancel())
    .then(
      () => true,
      () => !limit.aborted,
    );
  return !answered && !over.aborted;
}

export interface EmbeddingOptions extends TryOptions {
  base_url: string;
  model: string;
  keep_alive?: string;
  /** Pause between two looks at the server, in ms. Default 60 000. */
  intervalMs?: number;
}

/** The embedding model, while its server answers and has it. */
export interface Embedding {
  current(): EmbedPort | undefined;
  /** Looks once and goes on looking. */
  start(): Promise<void>;
  stop(): void;
}

export function createEmbedding(options: EmbeddingOptions): Embedding {
  const embedder = createOllamaEmbedder(options);
  const ended = new AbortController();
  let isThere = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    isThere = await embedder.probe(ended.signal);
    if (ended.signal.aborted) return;
    timer = setTimeout(() => void look(), options.intervalMs ?? 60_000).unref();
  }

  return {
    current: () => (isThere ? embedder : undefined),
    start: look,
    stop() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}

/**
 * A fetch for the `ollama` package, which takes neither a signal nor a limit, and prints what it
 * cannot read: responses end with the signal, are bounded, and hold JSON or nothing.
 */
function guardedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const signals = init?.signal == null ? [signal] : [signal, init.signal];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    if (!response.ok) {
      const text = (await response.text()).slice(0, 2_000);
      const body = isObject(parseJson(text)) ? text : JSON.stringify({ error: text.trim() });
      const { status, statusText } = response;
      return new Response(body, { status, statusText, headers: { "content-type": "application/json" } });
    }
    const body = response.body?.pipeThrough(jsonLines()) ?? null;
    return new Response(body, response);
  };
}

/** Passes lines of JSON objects on and fails at anything else. */
function jsonLines(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let atLineStart = true;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > maxResponseBytes)
        throw new ModelError("model_failed", "the model server sent more than 16 MB");
      for (const byte of chunk) {
        const brace = byte === 0x7b;
        const blank = byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
        if (atLineStart && !brace && !blank) {
          throw new ModelError("model_failed", "the model server answered with something that is not JSON");
        }
        atLineStart = byte === 0x0a || (atLineStart && blank);
      }
      controller.enqueue(chunk);
    },
  });
}

/** Most prompts with their results: a model that is loaded anew for a larger one has forgotten all that it read. */
const SMALLEST = 8_192;
/** Where the model does not say how much it can hold. */
const USUAL = 32_768;
/** Of the densest text, which is JSON, as long as the model has counted nothing. */
const DENSEST = 1.6;
/** Shorter prompts say little about how many letters a token has. */
const TELLING_CHARS = 2_000;

/** How much context a server is asked for, in tokens. */
class ContextSize {
  readonly #fixed: number;
  #most: number | undefined;
  #current = SMALLEST;
  /** The fewest letters a token that the model has counted in a prompt. */
  #charsPerToken: number | undefined;

  /** `fixed` other than 0 is what the operator wants, whatever the prompt. */
  constructor(fixed: number) {
    this.#fixed = fixed;
  }

  /** Enough for the prompt and an answer, and never less than before: a change makes the server load the model anew. */
  sizeFor(chars: number, answerTokens: number): number {
    if (this.#fixed > 0) return this.#fixed;
    const needed = Math.ceil(chars / (this.#charsPerToken ?? DENSEST)) + answerTokens;
    while (this.#current < needed && this.#current < this.#limit) this.#current *= 2;
    return Math.min(this.#current, this.#limit);
  }

  /** Takes what the model counted. */
  count(chars: number, tokens: number): void {
    if (chars < TELLING_CHARS || tokens === 0) return;
    this.#charsPerToken = Math.min(this.#charsPerToken ?? Infinity, chars / tokens);
  }

  /** Makes room for a prompt that did not fit; false where there is no more. */
  grow(): boolean {
    if (this.#fixed > 0 || this.#current >= this.#limit) return false;
    this.#current *= 2;
    return true;
  }

  get #limit(): number {
    return this.#most ?? USUAL;
  }

  isUnknown(): boolean {
    return this.#most === undefined;
  }

  /** Takes the model's own limit from the server's description of it. */
  learn(described: { model_info?: unknown } | undefined): void {
    const info = described?.model_info ?? {};
    // A Map or a plain object, by version of the package.
    const entries: [unknown, unknown][] = info instanceof Map ? [...info] : Object.entries(info);
    const found = entries.find(([key]) => String(key).endsWith(".context_length"))?.[1];
    this.#most = typeof found === "number" && found > 0 ? found : USUAL;
  }
}
