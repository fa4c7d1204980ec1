import { createHash } from "node:crypto";

import type { Clock } from "../../slack/clock.ts";

export interface RouteLimit {
  /** Requests in a window. */
  limit: number;
  perMs: number;
}

/** By route, as in `POST /channels/:id/messages`; `global` is for all together. Routes that are not named are free. */
export type RateLimits = "real" | "off" | Record<string, RouteLimit>;

/** Discord does not publish these; they are what its headers are usually seen to say. */
export const realLimits: Record<string, RouteLimit> = {
  global: { limit: 50, perMs: 1000 },
  "POST /channels/:id/messages": { limit: 5, perMs: 5000 },
  "PATCH /channels/:id/messages/:id": { limit: 5, perMs: 5000 },
  "DELETE /channels/:id/messages/:id": { limit: 5, perMs: 1000 },
  "PUT /channels/:id/messages/:id/reactions/:emoji/@me": { limit: 1, perMs: 250 },
  "POST /channels/:id/messages/:id/threads": { limit: 50, perMs: 300_000 },
  "POST /channels/:id/typing": { limit: 5, perMs: 5000 },
  "POST /webhooks/:id/:token": { limit: 5, perMs: 2000 },
  "PATCH /webhooks/:id/:token/messages/:id": { limit: 5, perMs: 2000 },
  "GET /channels/:id/messages": { limit: 5, perMs: 5000 },
  "GET /guilds/:id/members/:id": { limit: 5, perMs: 1000 },
  "PUT /applications/:id/commands": { limit: 2, perMs: 60_000 },
  "PUT /applications/:id/guilds/:id/commands": { limit: 2, perMs: 60_000 },
  "PATCH older": { limit: 3, perMs: 20_000 },
  "PATCH name": { limit: 2, perMs: 600_000 },
};

/** What a message that was posted more than an hour ago is changed under. */
export const OLDER = "PATCH older";
/** What a channel or thread is renamed under. */
export const NAME = "PATCH name";

export interface Turned {
  retryAfterMs: number;
  scope: "user" | "global" | "shared";
}

export interface Taken {
  headers: Record<string, string>;
  /** Set for a request that is turned away with 429. */
  turned: Turned | undefined;
  /** The bucket had turned a request away already and said until when. */
  ignored: boolean;
}

export interface RateLimiter {
  set(limits: RateLimits): void;
  /** Turns the next requests of a route away, whatever its bucket holds. */
  turnAway(route: string, turned: Turned, times?: number): void;
  /** `major` is the channel, guild or webhook that has a bucket of its own; `free` leaves out the global limit. */
  take(route: string, major: string, free: boolean): Taken;
}

interface Bucket {
  left: number;
  resetAt: number;
  toldUntil: number;
}

export function createRateLimiter(initial: RateLimits, clock: Clock): RateLimiter {
  let limits = initial;
  const buckets = new Map<string, Bucket>();
  const ordered: { route: string; turned: Turned; times: number }[] = [];
  const limitOf = (route: string): RouteLimit | undefined => {
    if (limits === "off") return undefined;
    return limits === "real" ? realLimits[route] : limits[route];
  };
  const bucketOf = (key: string, { limit, perMs }: RouteLimit): Bucket => {
    const known = buckets.get(key);
    if (known !== undefined && clock.now() < known.resetAt) return known;
    const fresh = { left: limit, resetAt: clock.now() + perMs, toldUntil: known?.toldUntil ?? 0 };
    buckets.set(key, fresh);
    return fresh;
  };
  const turnedBy = (bucket: Bucket, scope: Turned["scope"]): Pick<Taken, "turned" | "ignored"> => {
    const ignored = clock.now() < bucket.toldUntil;
    if (bucket.left > 0) {
      bucket.left -= 1;
      return { turned: undefined, ignored };
    }
    bucket.toldUntil = bucket.resetAt;
    return { turned: { retryAfterMs: bucket.resetAt - clock.now(), scope }, ignored };
  };
  return {
    set(next) {
      limits = next;
      buckets.clear();
    },
    turnAway: (route, turned, times = 1) => void ordered.push({ route, turned, times }),
    take(route, major, free) {
      const order = ordered.find((entry) => entry.route === route && entry.times > 0);
      if (order !== undefined) {
        order.times -= 1;
        return { headers: {}, turned: order.turned, ignored: false };
      }
      const global = limitOf("global");
      if (global !== undefined && !free) {
        const { turned, ignored } = turnedBy(bucketOf("global", global), "global");
        if (turned !== undefined) return { headers: {}, turned, ignored };
      }
      const limit = limitOf(route);
      if (limit === undefined) return { headers: {}, turned: undefined, ignored: false };
      const bucket = bucketOf(`${route} ${major}`, limit);
      const taken = turnedBy(bucket, "user");
      return { ...taken, headers: headersOf(route, limit, bucket, clock.now()) };
    },
  };
}

function headersOf(
  route: string,
  { limit }: RouteLimit,
  { left, resetAt }: Bucket,
  now: number,
): Record<string, string> {
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(left),
    "x-ratelimit-reset": (resetAt / 1000).toFixed(3),
    "x-ratelimit-reset-after": ((resetAt - now) / 1000).toFixed(3),
    "x-ratelimit-bucket": createHash("sha256").update(route).digest("hex").slice(0, 32),
  };
}
