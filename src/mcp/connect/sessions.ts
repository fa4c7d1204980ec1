import { messageOf } from "../../base/errors.ts";
import type { KeptSession } from "../config.ts";
import type { Connection } from "./connection.ts";
import type { SessionKeeper } from "./session-keeper.ts";

/** The connection for the catalogue; of a shared server the one for everything. */
export const commonChannel = "";

/** The open sessions of one server, one for each channel. */
export interface Sessions {
  /** Lends a channel's connection, which stays open at least until it is given back. */
  borrow(channel: string): Promise<Loan>;
  /** Lends it at once, where it is open and nothing has to be noted before. */
  lendOpen(channel: string): Loan | undefined;
  /** Gives a connection up, so that the next loan opens a fresh one. `gone`: the server has forgotten its session. */
  drop(connection: Connection, options?: { gone: boolean }): Promise<void>;
  /** Gives the sessions of such channels up for good. Resolves to those that the store alone knew of, now forgotten. */
  endOf(isMeant: (channel: string) => boolean): Promise<KeptSession[]>;
  /** The channel whose connection the catalogue is read over: any process of the server has the same tools. */
  listingChannel(): string;
  /** Sessions that are open or being opened. */
  size(): number;
  /** Closes everything for good; what the store keeps of it goes on in the next process. */
  end(): void;
}

export interface Loan {
  connection: Connection;
  giveBack: () => void;
}

export interface SessionsOptions {
  open: (channel: string) => Promise<Connection>;
  /** Must not throw. */
  close: (connection: Connection, options: { keep: boolean }) => void;
  /** The connection ended by itself. Must not throw. */
  onLost: (why: string) => void;
  keeper: SessionKeeper;
  /** Whether a connection that no channel owns yet may become a channel's: of a child process. */
  adopt: boolean;
  max: number;
  idleMs: number;
}

interface Entry {
  channel: string;
  session: Session;
  /** Whether its server's session outlives the connection. */
  keep: boolean;
  connection?: Connection;
  users: number;
  /** Milliseconds since the start of the process. */
  unusedSince: number;
  /** Looks whether it is still used; set once and not with every use. */
  timer?: NodeJS.Timeout | undefined;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { keeper, max, idleMs } = options;
  const entries = new Map<string, Entry>();
  /** How many loans of a connection are out. */
  const loans = new Map<Connection, number>();
  /** Given up while on loan: others may still get their answer, or their own refusal. */
  const retired = new Map<Connection, { keep: boolean }>();
  let ended = false;

  function retire(connection: Connection, how: { keep: boolean }): void {
    if (ended || !loans.has(connection)) options.close(connection, how);
    else retired.set(connection, how);
  }

  function lend(connection: Connection): () => void {
    loans.set(connection, (loans.get(connection) ?? 0) + 1);
    return () => {
      const left = (loans.get(connection) ?? 1) - 1;
      if (left > 0) {
        loans.set(connection, left);
        return;
      }
      loans.delete(connection);
      const how = retired.get(connection);
      retired.delete(connection);
      if (how !== undefined) options.close(connection, how);
    };
  }

  function entryOf(channel: string): Entry {
    const known = entries.get(channel) ?? adopted(channel);
    if (known !== undefined) return known;
    makeRoom();
    const entry: Entry = {
      channel,
      keep: true,
      session: createSession({
        open: () => options.open(channel),
        close: (connection) => retire(connection, { keep: entry.keep }),
        onLost: options.onLost,
      }),
      users: 0,
      unusedSince: performance.now(),
    };
    entries.set(channel, entry);
    return entry;
  }

  /** The first channel takes over the process that listed the tools, so that none runs for that alone. */
  function adopted(channel: string): Entry | undefined {
    const common = options.adopt ? entries.get(commonChannel) : undefined;
    if (common === undefined) return undefined;
    entries.delete(commonChannel);
    common.channel = channel;
    entries.set(channel, common);
    return common;
  }

  /** At most `max` sessions, busy ones aside: the one longest unused goes. */
  function makeRoom(): void {
    if (entries.size < max) return;
    const unused = [...entries]
      .filter(([channel, entry]) => channel !== commonChannel && entry.users === 0)
      .toSorted(([, a], [, b]) => a.unusedSince - b.unusedSince);
    const [oldest] = unused;
    if (oldest !== undefined) void evict(oldest[0], 0);
  }

  /** Ends a session that was unused for so long. A server over HTTP is told when no other process uses it. */
  async function evict(channel: string, unusedMs: number): Promise<void> {
    const entry = entries.get(channel);
    if (entry === undefined || entry.users > 0) return;
    entries.delete(channel);
    clearTimeout(entry.timer);
    const id = entry.connection?.session()?.id;
    if (id !== undefined && unusedMs > 0) entry.keep = !(await keeper.release(channel, id, unusedMs));
    entry.session.end();
  }

  function giveBack(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.unusedSince = performance.now();
    const isCurrent = entries.get(entry.channel) === entry;
    if (!ended && isCurrent && entry.channel !== commonChannel) entry.timer ??= lookIn(entry, idleMs);
  }

  function lookIn(entry: Entry, ms: number): NodeJS.Timeout {
    return setTimeout(() => look(entry), ms).unref();
  }

  function look(entry: Entry): void {
    entry.timer = undefined;
    // Whoever uses it now sets another when it is given back.
    if (entry.users > 0) return;
    const left = entry.unusedSince + idleMs - performance.now();
    // Timers count whole milliseconds and may be early by a part of one.
    if (left > 1) entry.timer = lookIn(entry, left);
    else void evict(entry.channel, idleMs);
  }

  /** The loan of a connection to one more user of its entry, who is counted already. */
  function loanOf(entry: Entry, connection: Connection): Loan {
    const takeBack = lend(connection);
    let isLent = true;
    return {
      connection,
      giveBack() {
        if (!isLent) return;
        isLent = false;
        takeBack();
        giveBack(entry);
      },
    };
  }

  return {
    async borrow(channel) {
      const entry = entryOf(channel);
      entry.users += 1;
      try {
        const connection = await entry.session.acquire();
        entry.connection = connection;
        const session = connection.session();
        if (session !== undefined) await keeper.touch(channel, session);
        return loanOf(entry, connection);
      } catch (error) {
        giveBack(entry);
        throw error;
      }
    },
    lendOpen(channel) {
      const entry = entries.get(channel);
      const connection = entry?.session.live();
      if (entry === undefined || connection === undefined) return undefined;
      if (connection.session() !== undefined && keeper.isDue(channel)) return undefined;
      entry.users += 1;
      entry.connection = connection;
      return loanOf(entry, connection);
    },
    async drop(connection, { gone } = { gone: false }) {
      const found = [...entries].find(([, entry]) => entry.connection === connection);
      if (found === undefined) return;
      const [channel, entry] = found;
      const id = connection.session()?.id;
      if (gone && id !== undefined) await keeper.forget(channel, id);
      entry.session.drop(connection);
    },
    async endOf(isMeant) {
      const open = new Set<string>();
      for (const [channel, entry] of [...entries].filter(([one]) => isMeant(one))) {
        const id = entry.session.live()?.session()?.id;
        if (id !== undefined) open.add(id);
        entries.delete(channel);
        clearTimeout(entry.timer);
        entry.keep = false;
        entry.session.end();
      }
      return (await keeper.takeOf(isMeant)).filter(({ id }) => !open.has(id));
    },
    listingChannel: () => (options.adopt ? (entries.keys().next().value ?? commonChannel) : commonChannel),
    size: () => entries.size,
    end() {
      ended = true;
      for (const entry of entries.values()) {
        clearTimeout(entry.timer);
        entry.session.end();
      }
      entries.clear();
      for (const [connection, how] of retired) options.close(connection, how);
      retired.clear();
    },
  };
}

/** One connection that many calls share. */
interface Session {
  /** The open connection; opens it when there is none. Concurrent callers share one opening. */
  acquire(): Promise<Connection>;
  /** The connection, where it is open. */
  live(): Connection | undefined;
  /** Gives a connection up, so that the next call opens a fresh one. */
  drop(connection: Connection): void;
  /** Gives up what is open, for good. */
  end(): void;
}

interface SessionOptions {
  open: () => Promise<Connection>;
  /** Must not throw. */
  close: (connection: Connection) => void;
  /** The connection ended by itself. Must not throw. */
  onLost: (why: string) => void;
}

function createSession({ open, close, onLost }: SessionOptions): Session {
  let current: Promise<Connection> | undefined;
  let live: Connection | undefined;
  let ended = false;

  async function openOnce(): Promise<Connection> {
    const connection = await open();
    if (ended) {
      close(connection);
      throw new Error("the tool box was stopped");
    }
    live = connection;
    const onEnd = (): void => {
      if (live !== connection) return;
      drop(connection);
      onLost(messageOf(connection.lost.reason));
    };
    if (connection.lost.aborted) onEnd();
    else connection.lost.addEventListener("abort", onEnd, { once: true });
    return connection;
  }

  function acquire(): Promise<Connection> {
    if (ended) return Promise.reject(new Error("the tool box was stopped"));
    if (current === undefined) {
      const opening = openOnce();
      current = opening;
      opening.catch(() => {
        if (current === opening) current = undefined;
      });
    }
    return current;
  }

  function drop(connection: Connection): void {
    if (live !== connection) return;
    live = undefined;
    current = undefined;
    close(connection);
  }

  return {
    acquire,
    live: () => live,
    drop,
    end() {
      ended = true;
      if (live !== undefined) drop(live);
    },
  };
}
