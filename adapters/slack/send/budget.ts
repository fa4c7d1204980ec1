import { setTimeout as sleep } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";

import { SlackRefusal, toRefusal } from "./refusal.ts";

/** Holds calls back so that Slack takes them: one channel's limit does not stall the others. */
export interface CallBudget {
  /**
   * Runs the call when its place has room for it, in order; `place` is a workspace, or a workspace and
   * within it a channel or person, as `T1 C1`. Rejects as `toRefusal` words it, and after `stop` where
   * the call would have to wait.
   */
  run<Result>(method: string, place: string, call: () => Promise<Result>): Promise<Result>;
  /** How many calls would be made at once now; below 0 where calls wait already. */
  room(method: string, place: string): number;
  stop(): void;
}

interface Rate {
  per: "channel" | "workspace";
  perMinute: number;
  /** Calls at once from rest. */
  burst: number;
}

/** https://docs.slack.dev/apis/web-api/rate-limits; what is not known beforehand is learnt from 429. */
const RATES: Readonly<Record<string, Rate>> = {
  "chat.postMessage": { per: "channel", perMinute: 60, burst: 4 },
  "chat.update": { per: "workspace", perMinute: 50, burst: 50 },
};
const OTHER: Rate = { per: "channel", perMinute: 50, burst: 25 };

/** Of more places than this the idle ones are forgotten. */
const KEPT = 1000;

/** The calls of one method in one place, one after the other. */
interface Queue {
  inOrder: LimitFunction;
  /** What a 429 named, on the clock of `performance.now`. */
  closedUntil: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** `onWait`: told how long each call that has to wait will wait, in milliseconds; must not throw. */
export function createCallBudget(onWait: (ms: number) => void = () => {}): CallBudget {
  const queues = new Map<string, Queue>();
  const buckets = new Map<string, Bucket>();
  const stopped = new AbortController();

  function queueOf(method: string, place: string): Queue {
    const key = `${method} ${place}`;
    const known = queues.get(key);
    if (known !== undefined) return known;
    if (queues.size >= KEPT) forgetIdle(queues);
    const made = { inOrder: pLimit(1), closedUntil: 0 };
    queues.set(key, made);
    return made;
  }

  /** As full as it is by now. */
  function bucketOf(method: string, place: string): Bucket {
    const { per, perMinute, burst } = rateOf(method);
    const key = `${method} ${per === "workspace" ? place.split(" ", 1)[0] : place}`;
    const now = performance.now();
    if (buckets.size >= KEPT) forgetFull(buckets, now);
    const bucket = buckets.get(key) ?? { left: burst, at: now };
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) * perMinute) / 60_000);
    bucket.at = now;
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    run(method, place, call) {
      const queue = queueOf(method, place);
      return queue.inOrder(async () => {
        const bucket = bucketOf(method, place);
        bucket.left -= 1;
        const forBucket = (-bucket.left * 60_000) / rateOf(method).perMinute;
        const wait = Math.max(forBucket, queue.closedUntil - performance.now());
        if (wait > 0) {
          onWait(wait);
          await sleep(wait, undefined, { signal: stopped.signal });
        }
        try {
          return await call();
        } catch (error) {
          const refusal = toRefusal(error);
          if (refusal instanceof SlackRefusal && refusal.retryAfterMs !== undefined) {
            queue.closedUntil = performance.now() + refusal.retryAfterMs;
            // Slack counts otherwise than was thought: from here on at the documented pace.
            const learnt = bucketOf(method, place);
            learnt.left = Math.min(learnt.left, 0);
          }
          throw refusal;
        }
      });
    },

    room(method, place) {
      const { inOrder, closedUntil } = queueOf(method, place);
      const isBusy = inOrder.activeCount + inOrder.pendingCount > 0 || closedUntil > performance.now();
      const { left } = bucketOf(method, place);
      return isBusy ? Math.min(left, 0) : left;
    },

    stop: () => stopped.abort(),
  };
}

function rateOf(method: string): Rate {
  return RATES[method] ?? OTHER;
}

function forgetIdle(queues: Map<string, Queue>): void {
  for (const [key, { inOrder, closedUntil }] of queues) {
    const isIdle = inOrder.activeCount + inOrder.pendingCount === 0;
    if (isIdle && closedUntil < performance.now()) queues.delete(key);
  }
}

/** A bucket that nobody used for so long has filled up. */
function forgetFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [key, { left, at }] of buckets) {
    if (left >= 0 && now - at > 120_000) buckets.delete(key);
  }
}

/** The longest that a status waits for its turn to end where edits are scarce, in milliseconds. */
const PATIENCE_MS = 60_000;

/** How long a message counts: another process may have taken it over and given it its end. */
const COUNTED_MS = 15 * 60_000;

/** Edits that are kept for answers: what only moves a status is left out before these are touched. */
const RESERVE = 10;

/**
 * Keeps count of the statuses that have to be edited into answers yet. Edits are what Slack gives least
 * of: an answer that had to wait behind the statuses of others would come minutes late. So a busy
 * workspace sees fewer statuses, and every answer as soon as it is there.
 */
export interface EditQuota {
  /** The message of the turn shows a status, or is about to; or at last what the turn came to. */
  shown(team: string, turnId: string, isSettled: boolean): void;
  /** How long after its turn began a status is posted at the earliest; `room` as the budget has it. */
  patience(team: string, room: number): number;
  /** Whether a status may be edited into another one. */
  maySpend(team: string, room: number): boolean;
}

export function createEditQuota(): EditQuota {
  /** By workspace and turn, when a status was shown last. */
  const turns = new Map<string, Map<string, number>>();
  const left = (team: string, room: number): number => {
    const own = turns.get(team);
    if (own === undefined) return room;
    const until = performance.now() - COUNTED_MS;
    for (const [turnId, at] of own) if (at < until) own.delete(turnId);
    return room - own.size;
  };
  return {
    shown(team, turnId, isSettled) {
      const own = turns.get(team) ?? new Map<string, number>();
      if (isSettled) own.delete(turnId);
      else own.set(turnId, performance.now());
      if (own.size > 0) turns.set(team, own);
      else turns.delete(team);
    },
    patience: (team, room) => (left(team, room) > RESERVE ? 0 : PATIENCE_MS),
    maySpend: (team, room) => left(team, room) > RESERVE,
  };
}
