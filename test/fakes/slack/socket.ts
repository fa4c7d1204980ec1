import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";

import type { Clock } from "./clock.ts";
import type { Outcome, Transport } from "./delivery.ts";
import { isFields } from "./json.ts";
import type { Fields } from "./types.ts";

/** Why Slack tells a client to connect anew. */
export type DisconnectReason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets";

export interface Connection {
  /** Counts up from 0 and is never used again. */
  index: number;
  open: boolean;
  /** How many payloads went over it. */
  delivered: number;
  acknowledged: number;
  /** Acknowledgements that came too late or for nothing. */
  stray: number;
}

export interface SocketMode extends Transport {
  connections: Connection[];
  /** A url for one connection, as `apps.connections.open` answers it. */
  ticket(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends everything to the connection of this index; undefined spreads again. */
  deliverTo(index?: number): void;
  /** Sends everybody a frame that Slack would not send. */
  raw(frame: unknown): void;
  /** Cuts every connection without a word. */
  drop(): void;
  /** Asks every client to connect anew. */
  disconnect(reason: DisconnectReason): void;
  stop(): void;
}

interface Live extends Connection {
  socket: WebSocket;
  pending: Map<string, (outcome: Outcome) => void>;
}

const MOST_CONNECTIONS = 10;

export function createSocketMode(
  clock: Clock,
  ackMs: number,
  setup: { appId: string; origin(): string; changed: () => void },
): SocketMode {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const connections: Live[] = [];
  let pinned: number | undefined;
  let next = 0;

  const live = (): Live[] => connections.filter(({ open }) => open);

  const choose = (): Live | undefined => {
    if (pinned !== undefined) return connections.find(({ index, open }) => open && index === pinned);
    const candidates = live();
    next += 1;
    return candidates[next % candidates.length];
  };

  const accept = (socket: WebSocket): void => {
    const connection: Live = {
      index: connections.length,
      open: true,
      delivered: 0,
      acknowledged: 0,
      stray: 0,
      socket,
      pending: new Map(),
    };
    connections.push(connection);
    socket.on("message", (data: Buffer) => acknowledge(connection, data.toString()));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      connection.open = false;
      for (const settle of connection.pending.values()) settle({ ok: false, reason: "connection_closed" });
      connection.pending.clear();
      setup.changed();
    });
    if (live().length > MOST_CONNECTIONS) return disconnect(connection, "too_many_websockets");
    tell(connection, {
      type: "hello",
      num_connections: live().length,
      debug_info: { host: "fake", build_number: 1, approximate_connection_time: 3600 },
      connection_info: { app_id: setup.appId },
    });
    setup.changed();
  };

  return {
    connections,
    ticket() {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${setup.origin().replace(/^http/, "ws")}/link/?ticket=${ticket}&app_id=${setup.appId}`;
    },
    upgrade(request, socket, head) {
      const ticket = new URL(request.url ?? "/", "http://fake").searchParams.get("ticket") ?? "";
      // A ticket is good for one connection.
      if (tickets.delete(ticket)) server.handleUpgrade(request, socket, head, accept);
      else socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
    },
    send({ kind, payload }, retry, reason) {
      const connection = choose();
      if (connection === undefined) return Promise.resolve({ ok: false, reason: "no_connection" });
      const envelope = randomUUID();
      return new Promise((resolve) => {
        const settle = (outcome: Outcome): void => {
          cancel();
          connection.pending.delete(envelope);
          resolve(outcome);
        };
        const cancel = clock.after(ackMs, () => settle({ ok: false, reason: "timeout" }));
        connection.pending.set(envelope, settle);
        connection.delivered += 1;
        // Whoever waits finds the time limit of the acknowledgement running.
        setImmediate(setup.changed);
        tell(connection, {
          envelope_id: envelope,
          payload,
          type: kind,
          accepts_response_payload: kind !== "events_api" && payload.type !== "block_actions",
          ...(kind === "events_api" ? { retry_attempt: retry, retry_reason: reason ?? "" } : {}),
        });
      });
    },
    deliverTo: (index) => void (pinned = index),
    raw: (frame) =>
      live().forEach(({ socket }) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame))),
    drop: () => live().forEach(({ socket }) => socket.terminate()),
    disconnect: (reason) => live().forEach((connection) => disconnect(connection, reason)),
    stop() {
      for (const { socket } of connections) socket.terminate();
      server.close();
    },
  };

  function acknowledge(connection: Live, text: string): void {
    const message: unknown = JSON.parse(text);
    const id = isFields(message) ? String(message.envelope_id) : "";
    const settle = connection.pending.get(id);
    if (settle === undefined) {
      connection.stray += 1;
    } else {
      connection.acknowledged += 1;
      const payload = isFields(message) && isFields(message.payload) ? message.payload : undefined;
      settle({
        ok: true,
        response: payload === undefined || Object.keys(payload).length === 0 ? undefined : payload,
      });
    }
  }
}

function tell(connection: Live, message: Fields): void {
  connection.socket.send(JSON.stringify(message));
}

function disconnect(connection: Live, reason: DisconnectReason): void {
  tell(connection, { type: "disconnect", reason, debug_info: { host: "fake" } });
}
