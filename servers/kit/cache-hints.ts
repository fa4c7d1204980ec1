import type { ServerOptions } from "@modelcontextprotocol/server";

/** How long a client may keep what stays the same until the server is started anew, in milliseconds. */
const unchangedMs = 60_000;

/** What every bundled server says of its lists: they are the same for everybody, and stay so while it runs. */
export const cacheHints: NonNullable<ServerOptions["cacheHints"]> = {
  "tools/list": { ttlMs: unchangedMs, cacheScope: "public" },
  "server/discover": { ttlMs: unchangedMs, cacheScope: "public" },
};
