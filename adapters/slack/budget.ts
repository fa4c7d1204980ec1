import { setTimeout as sleep } from "node:timers/promises";

import pLimit, { type LimitFunction } from "p-limit";

import { SlackRefusal, toRefusal } from "./refusal.ts";

/** Holds calls back so that Slack takes them: one channel's limit does not stall the others. */
export interface CallBudget {
  /**
   * Runs the call when its channel has room for it. Rejects as `toRefusal` words it, and after `stop`
   * where the call would have to wait.
   */
  run<Result>(method: string, channel: string, call: () => Promise<Result>): Promise<Result>;
  stop(): void;
}

interface Rate {
  perMinute: number;
  /** Calls at once from rest. */
  burst: number;
}

/** https://docs.slack.dev/apis/web-api/rate-limits; what is not known beforehand is learnt from 429. */
const RATES: Readonly<Record<string, Rate>> = {
  "chat.postMessage": { perMinute: 60, burst: 4 },
  "chat.update": { perMinute: 50, burst: 25 },
};
const OTHER: Rate = { perMinute: 50, burst: 25 };

/** So many idle buckets are kept before they are dropped. */
const KEPT = 1000;

interface Bucket {
  left: number;
  at: number;
  /** What a 429 named, on the clock of `performance.now`. */
  closedUntil: number;
  inOrder: LimitFunction;
}

export function createCallBudget(): CallBudget {
  const buckets = new Map<string, Bucket>();
  const stopped = new AbortController();

  function bucketOf(key: string, { burst }: Rate): Bucket {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    if (buckets.size >= KEPT) {
      for (const [name, { inOrder, closedUntil }] of buckets) {
        const isIdle = inOrder.activeCount + inOrder.pendingCount === 0;
        if (isIdle && closedUntil < performance.now()) buckets.delete(name);
      }
    }
    const made = { left: burst, at: performance.now(), closedUntil: 0, inOrder: pLimit(1) };
    buckets.set(key, made);
    return made;
  }

  return {
    run(method, channel, call) {
      const rate = RATES[method] ?? OTHER;
      const bucket = bucketOf(`${method} ${channel}`, rate);
      return bucket.inOrder(async () => {
        const wait = take(bucket, rate);
        if (wait > 0) await sleep(wait, undefined, { signal: stopped.signal });
        try {
          return await call();
        } catch (error) {
          const refusal = toRefusal(error);
          if (refusal instanceof SlackRefusal && refusal.retryAfterMs !== undefined) {
            bucket.closedUntil = performance.now() + refusal.retryAfterMs;
            bucket.left = 0;
          }
          throw refusal;
        }
      });
    },
    stop: () => stopped.abort(),
  };
}

/** Takes one call from the bucket, and says how many milliseconds to wait before making it. */
function take(bucket: Bucket, { perMinute, burst }: Rate): number {
  const now = performance.now();
  const perMs = perMinute / 60_000;
  bucket.left = Math.min(burst, bucket.left + (now - bucket.at) * perMs) - 1;
  bucket.at = now;
  return Math.max(0, bucket.closedUntil - now, -bucket.left / perMs);
}
