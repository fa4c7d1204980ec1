import type { UnderlyingSource } from "node:stream/web";

import type { Context } from "hono";

import type { ActorId } from "#contract/actor.ts";
import type { Core } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { NumberedEvent, TurnEvent } from "#contract/turn.ts";

import { ApiError, toApiError } from "../errors.ts";
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

/** Most event streams open at once, in all and per person: each holds a connection and memory. */
const MOST = { all: 12_000, ofOne: 6_000 };

/** Event streams, with what they share: how many there are, and events as they are written. */
export interface EventStreams {
  /** Throws `rate_limited` when the most are open. */
  requireRoom(viewer: ActorId): void;
  /**
   * The turn's events after `after` as server-sent events: the id of each is its sequence number, so a
   * client that lost the line goes on with Last-Event-ID. `viewer`: who reads them.
   */
  ofTurn(c: Context, of: { core: Core; turnId: string; after: number; viewer: ActorId }): Response;
  /** What `frames` gives until it ends. `about` is in the data of what keeps the line alive. */
  open(c: Context, of: { viewer: ActorId; frames: Frames; about?: JsonObject }): Response;
}

/** Server-sent events as bytes; ends without an error when the signal aborts. */
export type Frames = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

export function createEventStreams(options: StreamOptions, most: typeof MOST = MOST): EventStreams {
  const frameOf = createFrames();
  const open = new Map<ActorId, number>();
  let all = 0;

  function count(viewer: ActorId, change: 1 | -1): void {
    all += change;
    const left = (open.get(viewer) ?? 0) + change;
    if (left === 0) open.delete(viewer);
    else open.set(viewer, left);
  }

  const streams: EventStreams = {
    requireRoom(viewer) {
      const own = open.get(viewer) ?? 0;
      if (all < most.all && own < most.ofOne) return;
      const whose =
        own < most.ofOne ? `${most.all} event streams` : `${most.ofOne} event streams of ${viewer}`;
      const message = `${whose} are open, the most there may be. Close some, or ask without accept: text/event-stream.`;
      throw new ApiError(429, "rate_limited", message, { headers: { "retry-after": "5" } });
    },
    ofTurn(c, { core, turnId, after, viewer }) {
      async function* frames(signal: AbortSignal): AsyncGenerator<Uint8Array> {
        try {
          for await (const event of core.events(turnId, { after, signal })) yield frameOf(event, viewer);
        } catch (error) {
          if (signal.aborted) return;
          options.log.error({ err: error, turnId }, "event stream failed");
          const { status, code, message } = toApiError(error);
          const told =
            status === 500
              ? {
                  error: "The event stream broke off. The turn goes on; ask for it again by its id.",
                  code: "stream_failed",
                }
              : { error: message, code };
          yield toFrame("error", { turn_id: turnId, ...told });
        }
      }
      return streams.open(c, { viewer, frames, about: { turn_id: turnId } });
    },
    // A client that goes away ends the stream and nothing else. One that reads slowly is waited for, and holds
    // nothing but the event that is being written.
    open(c, { viewer, frames, about }) {
      // Not AbortSignal.any: it would add each stream to what the long-lived signal holds.
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      const events = frames(gone.signal)[Symbol.asyncIterator]();
      let keepalive: NodeJS.Timeout | undefined;
      let isCancelled = false;
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        clearInterval(keepalive);
        options.stopping.removeEventListener("abort", leave);
        count(viewer, -1);
      };
      const source: UnderlyingSource<Uint8Array> = {
        start(controller) {
          count(viewer, 1);
          options.stopping.addEventListener("abort", leave, { once: true });
          if (options.stopping.aborted) leave();
          keepalive = setInterval(() => {
            // Who does not read what was written is not written more.
            if ((controller.desiredSize ?? -1) < 0) return;
            controller.enqueue(toFrame("keepalive", { ts: new Date().toISOString(), ...about }));
          }, options.keepaliveMs);
        },
        // Only called when the connection can take more.
        async pull(controller) {
          try {
            const next = await events.next();
            if (isCancelled) return;
            if (next.done !== true) {
              controller.enqueue(next.value);
              return;
            }
          } catch (error) {
            if (isCancelled) return;
            options.log.error({ err: error }, "event stream failed");
          }
          end();
          controller.close();
        },
        async cancel() {
          isCancelled = true;
          end();
          leave();
          await events.return?.();
        },
      };
      return c.body(new ReadableStream(source, { highWaterMark: 0 }), 200, {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        connection: "keep-alive",
        "transfer-encoding": "chunked",
        // Proxies such as nginx would otherwise hold the events back.
        "x-accel-buffering": "no",
      });
    },
  };
  return streams;
}

const encoder = new TextEncoder();

/** One server-sent event; `id` is what a client goes on from. */
export function toFrame(event: string, data: JsonObject, id?: number): Uint8Array {
  const numbered = id === undefined ? "" : `id: ${id}\n`;
  return encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n${numbered}\n`);
}

/** Serialises events; many readers of one event share its bytes, except where it differs by reader. */
function createFrames(): (numbered: NumberedEvent, viewer: ActorId) => Uint8Array {
  const known = new WeakMap<TurnEvent, Map<ActorId | "", Uint8Array>>();
  return ({ turnId, seq, event }, viewer) => {
    const frames = known.get(event) ?? new Map<ActorId | "", Uint8Array>();
    known.set(event, frames);
    const reader = event.type === "question" ? viewer : "";
    const frame = frames.get(reader);
    if (frame !== undefined) return frame;
    const wire = eventToWire(turnId, event, viewer);
    const made = toFrame(wire.event, wire.data, seq);
    frames.set(reader, made);
    return made;
  };
}
