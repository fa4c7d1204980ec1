import type { ServerContext } from "@modelcontextprotocol/server";

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
