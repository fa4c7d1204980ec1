import { GatewayCloseCodes as Close, GatewayOpcodes as Op } from "discord-api-types/v10";
import type { RawData, WebSocket } from "ws";

import type { Clock } from "../../slack/clock.ts";
import { isFields } from "../../slack/json.ts";
import type { Fields } from "../types.ts";
import type { Dispatched, Session } from "./session.ts";

/** One client's connection, as tests see it. */
export interface Connection {
  readonly openedAt: number;
  /** The close code, when it is over; 1006 for a cut. */
  closed: number | undefined;
  /** Set after READY or RESUMED. */
  session: Session | undefined;
  resumed: boolean;
  heartbeats: number;
}

export interface Frames {
  identify(connection: LiveConnection, d: Fields): void;
  resume(connection: LiveConnection, d: Fields): void;
  requestMembers(connection: LiveConnection, d: Fields): void;
  violation(problem: string): void;
  changed(): void;
}

export interface LiveConnection extends Connection {
  frame(op: Op, d: unknown): void;
  dispatch(dispatched: Dispatched): void;
  /** Sends a frame as it is. */
  raw(text: string): void;
  close(code: number): void;
  /** Cuts the line without a word. */
  cut(): void;
  /** From now on nothing comes or goes, and nobody is told. */
  mute(): void;
}

const SENDS = 120;
const PER_MS = 60_000;

export function createConnection(
  socket: WebSocket,
  clock: Clock,
  heartbeatMs: number,
  frames: Frames,
): LiveConnection {
  let muted = false;
  const sent: number[] = [];
  const connection: LiveConnection = {
    openedAt: clock.now(),
    closed: undefined,
    session: undefined,
    resumed: false,
    heartbeats: 0,
    frame: (op, d) => write({ op, d, s: null, t: null }),
    dispatch: ({ s, t, d }) => write({ op: Op.Dispatch, d, s, t }),
    raw(text) {
      if (!muted) socket.send(text);
    },
    close(code) {
      detach();
      socket.close(code);
    },
    cut() {
      detach();
      socket.terminate();
    },
    mute() {
      muted = true;
      detach();
    },
  };
  const write = (frame: Fields): void => {
    if (!muted) socket.send(JSON.stringify(frame));
  };
  const detach = (): void => {
    if (connection.session !== undefined) connection.session.send = undefined;
  };

  const receive = (data: RawData): void => {
    if (muted) return;
    let frame: unknown;
    try {
      frame = JSON.parse((data as Buffer).toString());
    } catch {
      return connection.close(Close.DecodeError);
    }
    if (!isFields(frame)) return connection.close(Close.DecodeError);
    sent.push(clock.now());
    if (sent.filter((at) => clock.now() - at < PER_MS).length > SENDS) {
      frames.violation(`more than ${SENDS} sends in a minute`);
      return connection.close(Close.RateLimited);
    }
    handle(frame.op as Op, isFields(frame.d) ? frame.d : {});
  };
  const handle = (op: Op, d: Fields): void => {
    switch (op) {
      case Op.Heartbeat:
        connection.heartbeats += 1;
        connection.frame(Op.HeartbeatAck, null);
        return frames.changed();
      case Op.Identify:
        if (connection.session !== undefined) return connection.close(Close.AlreadyAuthenticated);
        return frames.identify(connection, d);
      case Op.Resume:
        if (connection.session !== undefined) return connection.close(Close.AlreadyAuthenticated);
        return frames.resume(connection, d);
      default:
        if (connection.session === undefined) return connection.close(Close.NotAuthenticated);
        if (op === Op.RequestGuildMembers) return frames.requestMembers(connection, d);
        if (op !== Op.PresenceUpdate && op !== Op.VoiceStateUpdate) {
          frames.violation(`unknown opcode ${op}`);
          connection.close(Close.UnknownOpcode);
        }
    }
  };

  socket.on("message", receive);
  socket.on("error", () => {});
  socket.on("close", (code) => {
    connection.closed = code;
    detach();
    // Whoever closes in order does not mean to come back to this session.
    if ((code === 1000 || code === 1001) && connection.session !== undefined)
      connection.session.alive = false;
    frames.changed();
  });
  connection.frame(Op.Hello, { heartbeat_interval: heartbeatMs, _trace: [] });
  return connection;
}
