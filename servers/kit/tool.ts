import type { ServerContext, ServerOptions } from "@modelcontextprotocol/server";

/**
 * Why a tool cannot do what it was asked: a stable code, and a message that says what was expected,
 * what came and what exists. Thrown from a tool it becomes an MCP result with `isError`.
 */
export class ToolFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolFailure";
    this.code = code;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reports `done` of `total` (unknown: undefined) units of work. Never rejects. */
export type Progress = (done: number, total: number | undefined, message: string) => Promise<void>;

/** Progress notifications for the call of this context; nothing when its caller asked for none. */
export function progressOf(context: ServerContext): Progress {
  const progressToken = context.mcpReq._meta?.progressToken;
  return async (done, total, message) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress: done, ...(total === undefined ? {} : { total }), message };
    // A caller that went away is told by its signal; progress must not end the call.
    await context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** How long a client may keep what stays the same until the server is started anew, in milliseconds. */
const unchangedMs = 60_000;

/** What every bundled server says of its lists: they are the same for everybody, and stay so while it runs. */
export const cacheHints: NonNullable<ServerOptions["cacheHints"]> = {
  "tools/list": { ttlMs: unchangedMs, cacheScope: "public" },
  "server/discover": { ttlMs: unchangedMs, cacheScope: "public" },
};
