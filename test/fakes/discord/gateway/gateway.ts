import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { GatewayCloseCodes as Close, GatewayOpcodes as Op } from "discord-api-types/v10";
import { WebSocketServer } from "ws";

import { has, permissionsIn } from "../permissions.ts";
import { guildShape, knownUser, memberShape } from "../shapes.ts";
import type { Fields, GatewayEvent, World } from "../types.ts";
import { createConnection } from "./connection.ts";
import type { Connection, LiveConnection } from "./connection.ts";
import { createFaults } from "./faults.ts";
import type { Faults } from "./faults.ts";
import { allIntents, disallowed } from "./intents.ts";
import { createSession, shardOf } from "./session.ts";
import type { Dispatched, Session } from "./session.ts";

export interface GatewayControls extends Faults {
  readonly connections: readonly Connection[];
  readonly sessions: readonly Session[];
  /** Closes all connections with a code after which clients resume; 4000 is Discord's "unknown error". */
  drop(code?: number): void;
  /** Cuts all connections without a closing word, as a broken cable does. */
  cut(): void;
  /** All connections fall silent: no acknowledged heartbeat, no event, no end. */
  dropSilently(): void;
  /** Asks all clients to connect anew and resume (opcode 7). */
  reconnect(): void;
  /** Tells all clients that their session is invalid (opcode 9). */
  invalidate(resumable: boolean): void;
  /** Refuses this many attempts to resume from now on. */
  refuseResume(times?: number): void;
  /** At every RESUME replays this many events that the client had already. Default 0. */
  overlap(count: number): void;
  /** Dispatches an event once more, as it was, newest first: by its type and the id in it. */
  replay(t: string, id: string): void;
  /** Sends everybody a frame that Discord would not send. */
  raw(frame: unknown): void;
  /** Dispatches an event with whatever data, in its place among the others. */
  dispatch(t: unknown, d: unknown): void;
}

export interface Gateway {
  controls: GatewayControls;
  emit(event: GatewayEvent): void;
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void;
  url(): string;
  stop(): void;
}

/** https://discord.com/developers/docs/events/gateway */
export function createGateway(world: World, heartbeatMs: number): Gateway {
  const server = new WebSocketServer({ noServer: true });
  const connections: LiveConnection[] = [];
  const sessions: Session[] = [];
  const sentEvents: GatewayEvent[] = [];
  let refusals = 0;
  let overlapping = 0;

  const faults = createFaults(world.clock, (event) => {
    for (const session of sessions) session.take(event);
    world.changed();
  });
  const open = (): LiveConnection[] => connections.filter(({ closed }) => closed === undefined);
  const violation = (problem: string): void =>
    void world.violations.push({ kind: "gateway", where: "gateway", problem });
  const url = (): string => `${world.origin.replace("http", "ws")}/gateway`;

  const identify = (connection: LiveConnection, d: Fields): void => {
    if (d.token !== world.app.token) return connection.close(Close.AuthenticationFailed);
    const shard = (Array.isArray(d.shard) ? d.shard : [0, 1]) as [number, number];
    if (!(shard[0] >= 0 && shard[0] < shard[1])) return connection.close(Close.InvalidShard);
    const intents = Number(d.intents);
    if (!Number.isInteger(intents) || (intents & ~allIntents) !== 0)
      return connection.close(Close.InvalidIntents);
    if (disallowed(intents, world.app)) return connection.close(Close.DisallowedIntents);
    const session = createSession(randomBytes(16).toString("hex"), shard, intents, world.app.id);
    sessions.push(session);
    connection.session = session;
    const guilds = [...world.guilds.values()].filter(
      ({ id, members }) => members.has(world.app.id) && shardOf(id, shard[1]) === shard[0],
    );
    session.send = (dispatched) => connection.dispatch(dispatched);
    const ready = {
      v: 10,
      user: { ...knownUser(world, world.app.id), verified: true, mfa_enabled: true, email: null, flags: 0 },
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: url(),
      session_type: "normal",
      private_channels: [],
      shard,
      application: { id: world.app.id, flags: 0 },
    };
    // READY is the first of the session's events, whatever the intents.
    session.log.push({ s: 1, t: "READY", d: ready });
    connection.dispatch({ s: 1, t: "READY", d: ready });
    for (const guild of guilds) {
      session.take({ t: "GUILD_CREATE", d: guildShape(world, guild), guild: guild.id });
    }
    world.changed();
  };

  const resume = (connection: LiveConnection, d: Fields): void => {
    if (d.token !== world.app.token) return connection.close(Close.AuthenticationFailed);
    const session = sessions.find(({ id, alive }) => id === d.session_id && alive);
    const seq = Number(d.seq);
    if (session === undefined || refusals > 0) {
      refusals = Math.max(0, refusals - 1);
      if (session !== undefined) session.alive = false;
      return connection.frame(Op.InvalidSession, false);
    }
    if (!Number.isInteger(seq) || seq > session.log.length) return connection.close(Close.InvalidSeq);
    connection.session = session;
    connection.resumed = true;
    const from = Math.max(1, seq - overlapping);
    for (const dispatched of session.log.filter(({ s }) => s > from)) connection.dispatch(dispatched);
    session.send = (dispatched) => connection.dispatch(dispatched);
    const resumed = { s: session.log.length + 1, t: "RESUMED", d: { _trace: [] } };
    session.log.push(resumed);
    connection.dispatch(resumed);
    world.changed();
  };

  const requestMembers = (connection: LiveConnection, d: Fields): void => {
    const guild = world.guilds.get(String(d.guild_id));
    if (guild === undefined) return;
    const ids = [d.user_ids ?? []].flat();
    const query = typeof d.query === "string" ? d.query : undefined;
    const found = [...guild.members.keys()].filter((id) =>
      query === undefined ? ids.includes(id) : world.users.get(id)?.name.startsWith(query) === true,
    );
    const members = found.map((id) => ({ ...memberShape(guild, id), user: knownUser(world, id) }));
    const chunk = { guild_id: guild.id, members, chunk_index: 0, chunk_count: 1, not_found: [] };
    connection.session?.take({
      t: "GUILD_MEMBERS_CHUNK",
      d: typeof d.nonce === "string" ? { ...chunk, nonce: d.nonce } : chunk,
      guild: guild.id,
      always: true,
    });
  };

  return {
    url,
    emit(event) {
      const channel = world.channels.get(event.channel ?? "");
      if (channel !== undefined && !has(permissionsIn(world, world.app.id, channel), "ViewChannel")) return;
      sentEvents.push(event);
      faults.send(event);
    },
    upgrade(request, stream, head) {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake");
      const plain =
        searchParams.get("compress") === null && (searchParams.get("encoding") ?? "json") === "json";
      if (!pathname.startsWith("/gateway") || !plain) {
        stream.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
        return;
      }
      server.handleUpgrade(request, stream, head, (socket) => {
        const frames = { identify, resume, requestMembers, violation, changed: () => world.changed() };
        connections.push(createConnection(socket, world.clock, heartbeatMs, frames));
        world.changed();
      });
    },
    stop() {
      faults.stop();
      for (const connection of connections) connection.cut();
      server.close();
    },
    controls: {
      connections,
      sessions,
      duplicate: faults.duplicate,
      delay: faults.delay,
      reorder: faults.reorder,
      calm: faults.calm,
      drop: (code = Close.UnknownError) => open().forEach((connection) => connection.close(code)),
      cut: () => open().forEach((connection) => connection.cut()),
      dropSilently: () => open().forEach((connection) => connection.mute()),
      reconnect: () => open().forEach((connection) => connection.frame(Op.Reconnect, null)),
      invalidate(resumable) {
        for (const connection of open()) {
          if (!resumable && connection.session !== undefined) connection.session.alive = false;
          connection.frame(Op.InvalidSession, resumable);
        }
      },
      raw: (frame) =>
        open().forEach((connection) =>
          connection.raw(typeof frame === "string" ? frame : JSON.stringify(frame)),
        ),
      dispatch(t, d) {
        for (const session of sessions) {
          const dispatched = { s: session.log.length + 1, t, d } as Dispatched;
          session.log.push(dispatched);
          session.send?.(dispatched);
        }
      },
      refuseResume: (times = 1) => void (refusals = times),
      overlap: (count) => void (overlapping = count),
      replay(t, id) {
        const event = sentEvents.findLast((sent) => sent.t === t && sent.d.id === id);
        if (event === undefined) throw new Error(`expected a ${t} that was sent with the id "${id}"`);
        for (const session of sessions) session.take(event);
      },
    },
  };
}
