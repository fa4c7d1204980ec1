import type { Fields, GatewayEvent } from "../types.ts";
import { asSeen } from "./intents.ts";

/** Something that a client got, or gets when it resumes. */
export interface Dispatched {
  s: number;
  t: string;
  d: Fields;
}

/** What lives longer than one connection. */
export interface Session {
  readonly id: string;
  readonly shard: readonly [id: number, of: number];
  readonly intents: number;
  /** Everything since READY, in order. */
  readonly log: Dispatched[];
  /** False after the client closed it in order, or the fake ended it: it cannot be resumed. */
  alive: boolean;
  /** Where it sends now; undefined while nobody is connected. */
  send: ((dispatched: Dispatched) => void) | undefined;
  /** Numbers, keeps and sends an event, if it is for this client. */
  take(event: GatewayEvent): void;
}

export function createSession(
  id: string,
  shard: readonly [number, number],
  intents: number,
  bot: string,
): Session {
  const log: Dispatched[] = [];
  const session: Session = {
    id,
    shard,
    intents,
    log,
    alive: true,
    send: undefined,
    take(event) {
      if (!session.alive || shardOf(event.guild, shard[1]) !== shard[0]) return;
      const d = asSeen(event, intents, bot);
      if (d === undefined) return;
      const dispatched = { s: log.length + 1, t: event.t, d };
      log.push(dispatched);
      session.send?.(dispatched);
    },
  };
  return session;
}

/** The shard of a guild; direct messages are shard 0's. */
export function shardOf(guild: string | undefined, of: number): number {
  return guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(of));
}
