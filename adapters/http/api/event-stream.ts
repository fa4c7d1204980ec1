import type { Context } from "hono";
import { streamSSE } from "hono/streaming";

import type { ActorId } from "#contract/actor.ts";
import type { Core } from "#contract/core.ts";

import { toApiError } from "../errors.ts";
import type { HttpLog } from "../options.ts";
import { eventToWire } from "./wire.ts";

export interface StreamOptions {
  log: HttpLog;
  keepaliveMs: number;
  /** Ends every stream when the server stops. */
  stopping: AbortSignal;
}

/** Whether the client lists `text/event-stream`; then it is preferred over JSON. */
export function wantsEventStream(accept: string | undefined): boolean {
  return (accept ?? "").split(",").some((entry) => {
    const [type, ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/**
 * The turn's events after `after` as server-sent events: the id of each is its sequence number, so a
 * client that lost the line goes on with Last-Event-ID. `viewer`: who reads them. A client that goes away ends the stream and
 * nothing else: the turn runs on.
 */
export function streamTurn(
  c: Context,
  { core, turnId, after, viewer }: { core: Core; turnId: string; after: number; viewer: ActorId },
  options: StreamOptions,
): Response {
  // Proxies such as nginx would otherwise hold the events back.
  c.header("X-Accel-Buffering", "no");
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const signal = AbortSignal.any([gone.signal, c.req.raw.signal, options.stopping]);
    const keepalive = setInterval(() => {
      const data = JSON.stringify({ ts: new Date().toISOString(), turn_id: turnId });
      void stream.writeSSE({ event: "keepalive", data });
    }, options.keepaliveMs);
    try {
      for await (const numbered of core.events(turnId, { after, signal })) {
        const { event, data } = eventToWire(turnId, numbered.event, viewer);
        await stream.writeSSE({ event, id: String(numbered.seq), data: JSON.stringify(data) });
      }
    } catch (error) {
      if (signal.aborted) return;
      options.log.error({ err: error, turnId }, "event stream failed");
      const { status, code, message } = toApiError(error);
      const data =
        status === 500
          ? {
              turn_id: turnId,
              error: "The event stream broke off. The turn goes on; ask for it again by its id.",
              code: "stream_failed",
            }
          : { turn_id: turnId, error: message, code };
      await stream.writeSSE({ event: "error", data: JSON.stringify(data) });
    } finally {
      clearInterval(keepalive);
    }
  });
}
