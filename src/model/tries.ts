import { setTimeout as delay } from "node:timers/promises";

import { type Peer, toModelError } from "./errors.ts";
import type { TryOptions } from "./options.ts";

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
  const { minMs, maxMs } = options.retry ?? { minMs: 250, maxMs: 4_000 };
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
      const pause = Math.min(maxMs, minMs * 2 ** (failures - 1));
      const wanted = Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? 0);
      const jittered = pause / 2 + (Math.random() * pause) / 2;
      await delay(Math.max(jittered, wanted), undefined, { signal: both }).catch(() => {});
    }
  }
}
