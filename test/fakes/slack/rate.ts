import type { Clock } from "./clock.ts";
import type { Fields } from "./types.ts";

/** A bucket that holds `burst` calls and refills at `perMinute`, one for each workspace or channel. */
export interface RateLimit {
  perMinute: number;
  /** Calls at once from rest. Default: a minute's worth. */
  burst?: number;
  /** Default `team`. */
  per?: "team" | "channel";
}

export type RateLimits = "real" | "off" | Record<string, RateLimit>;

const tier2: RateLimit = { perMinute: 20 };
const tier3: RateLimit = { perMinute: 50 };
const tier4: RateLimit = { perMinute: 100 };

/** https://docs.slack.dev/apis/web-api/rate-limits: the documented tiers; all other methods are of tier 3. */
export const realLimits: Record<string, RateLimit> = {
  "chat.postMessage": { perMinute: 60, burst: 4, per: "channel" },
  "chat.postEphemeral": tier4,
  "chat.update": tier3,
  "chat.delete": tier3,
  "chat.getPermalink": { perMinute: 600 },
  "chat.startStream": tier2,
  "chat.appendStream": tier4,
  "chat.stopStream": tier2,
  "auth.test": { perMinute: 600 },
  "apps.connections.open": tier3,
  "assistant.threads.setStatus": { perMinute: 600 },
  "agents.sessions.setStatus": { perMinute: 600 },
  "conversations.list": tier2,
  "conversations.members": tier4,
  "users.info": tier4,
  "users.list": tier2,
  "usergroups.list": tier2,
  "usergroups.users.list": tier2,
  "views.open": tier4,
  "views.push": tier4,
  "views.update": tier4,
  "views.publish": tier4,
  "files.getUploadURLExternal": tier4,
  "files.completeUploadExternal": tier4,
  "oauth.v2.access": { perMinute: 600 },
};

export interface RateLimiter {
  /** Seconds to wait, 0 when the call may pass. */
  take(method: string, team: string, args: Fields): number;
}

export function createRateLimiter(limits: RateLimits, clock: Clock, speed: number): RateLimiter {
  const buckets = new Map<string, { left: number; at: number }>();
  const limitOf = (method: string): RateLimit | undefined => {
    if (limits === "off") return undefined;
    if (limits === "real") return realLimits[method] ?? tier3;
    return limits[method];
  };
  return {
    take(method, team, args) {
      const limit = limitOf(method);
      if (limit === undefined) return 0;
      const { perMinute, burst = perMinute, per = "team" } = limit;
      const key = [method, team, per === "channel" ? String(args.channel ?? args.channel_id) : ""].join(" ");
      const now = clock.now();
      const perMs = (perMinute / 60_000) * speed;
      const before = buckets.get(key) ?? { left: burst, at: now };
      const left = Math.min(burst, before.left + (now - before.at) * perMs);
      const passes = left >= 1;
      buckets.set(key, { left: passes ? left - 1 : left, at: now });
      return passes ? 0 : Math.max(1, Math.ceil((1 - left) / perMs / 1000));
    },
  };
}
