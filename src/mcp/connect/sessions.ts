import { messageOf } from "../../base/errors.ts";
import type { KeptSession } from "../ports.ts";
import type { Connection } from "./connection.ts";
import type { SessionKeeper } from "./session-keeper.ts";

/** The connection for the catalogue; of a shared server the one for everything. */
export const commonChannel = "";

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
  /** Sessions at once, busy ones aside. */
  max: number;
  /** A session that is unused for so long, in milliseconds, is ended. */
  idleMs: number;
}

/** One channel's session: a connection that its calls share, opened when it is needed. */
interface Entry {
  channel: string;
  /** Concurrent callers share one opening. */
  opening: Promise<Connection> | undefined;
  /** The last one that was opened. */
  connection: Connection | undefined;
  isLive: boolean;
  hasEnded: boolean;
  /** Whether its server's session outlives the connection. */
  keep: boolean;
  users: number;
  /** Milliseconds since the start of the process. */
  unusedSince: number;
  /** Looks whether it is still used; set once and not with every use. */
  timer: NodeJS.Timeout | undefined;
}

/** The open sessions of one server, one for each channel. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #entries = new Map<string, Entry>();
  /** How many loans of a connection are out. */
  readonly #loans = new Map<Connection, number>();
  /** Given up while on loan: others may still get their answer, or their own refusal. */
  readonly #retired = new Map<Connection, { keep: boolean }>();
  #ended = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Lends a channel's connection, which stays open at least until it is given back. */
  async borrow(channel: string): Promise<Loan> {
    const entry = this.#entryOf(channel);
    entry.users += 1;
    try {
      const connection = await this.#acquire(entry);
      const session = connection.session();
      if (session !== undefined) await this.#options.keeper.touch(channel, session);
      return this.#lend(entry, connection);
    } catch (error) {
      this.#giveBack(entry);
      throw error;
    }
  }

  /** Lends it at once, where it is open and nothing has to be noted before. */
  lendOpen(channel: string): Loan | undefined {
    const entry = this.#entries.get(channel);
    const connection = entry?.isLive === true ? entry.connection : undefined;
    if (entry === undefined || connection === undefined) return undefined;
    if (connection.session() !== undefined && this.#options.keeper.isDue(channel)) return undefined;
    entry.users += 1;
    return this.#lend(entry, connection);
  }

  /** Gives a connection up, so that the next loan opens a fresh one. `gone`: the server has forgotten its session. */
  async drop(connection: Connection, { gone }: { gone: boolean }): Promise<void> {
    const entry = [...this.#entries.values()].find((one) => one.connection === connection);
    if (entry === undefined) return;
    const id = connection.session()?.id;
    if (gone && id !== undefined) await this.#options.keeper.forget(entry.channel, id);
    this.#retire(entry, connection);
  }

  /** Gives the sessions of such channels up for good. Resolves to those that the store alone knew of, now forgotten. */
  async endOf(isMeant: (channel: string) => boolean): Promise<KeptSession[]> {
    const open = new Set<string>();
    for (const entry of [...this.#entries.values()].filter(({ channel }) => isMeant(channel))) {
      const id = entry.isLive ? entry.connection?.session()?.id : undefined;
      if (id !== undefined) open.add(id);
      entry.keep = false;
      this.#end(entry);
    }
    return (await this.#options.keeper.takeOf(isMeant)).filter(({ id }) => !open.has(id));
  }

  /** The channel whose connection the catalogue is read over: any process of the server has the same tools. */
  listingChannel(): string {
    const first = this.#options.adopt ? this.#entries.keys().next().value : undefined;
    return first ?? commonChannel;
  }

  /** Closes everything for good; what the store keeps of it goes on in the next process. */
  end(): void {
    this.#ended = true;
    for (const entry of this.#entries.values()) this.#end(entry);
    for (const [connection, how] of this.#retired) this.#options.close(connection, how);
    this.#retired.clear();
  }

  #entryOf(channel: string): Entry {
    const known = this.#entries.get(channel) ?? this.#adopted(channel);
    if (known !== undefined) return known;
    this.#makeRoom();
    const entry: Entry = {
      channel,
      opening: undefined,
      connection: undefined,
      isLive: false,
      hasEnded: false,
      keep: true,
      users: 0,
      unusedSince: performance.now(),
      timer: undefined,
    };
    this.#entries.set(channel, entry);
    return entry;
  }

  /** The first channel takes over the process that listed the tools, so that none runs for that alone. */
  #adopted(channel: string): Entry | undefined {
    const common = this.#options.adopt ? this.#entries.get(commonChannel) : undefined;
    if (common === undefined) return undefined;
    this.#entries.delete(commonChannel);
    common.channel = channel;
    this.#entries.set(channel, common);
    return common;
  }

  /** At most `max` sessions, busy ones aside: the one longest unused goes. */
  #makeRoom(): void {
    if (this.#entries.size < this.#options.max) return;
    const [oldest] = [...this.#entries.values()]
      .filter(({ channel, users }) => channel !== commonChannel && users === 0)
      .toSorted((a, b) => a.unusedSince - b.unusedSince);
    if (oldest !== undefined) void this.#evict(oldest, 0);
  }

  /** Ends a session that was unused for so long. A server over HTTP is told when no other process uses it. */
  async #evict(entry: Entry, unusedMs: number): Promise<void> {
    if (this.#entries.get(entry.channel) !== entry || entry.users > 0) return;
    this.#entries.delete(entry.channel);
    const id = entry.connection?.session()?.id;
    if (id !== undefined && unusedMs > 0)
      entry.keep = !(await this.#options.keeper.release(entry.channel, id, unusedMs));
    this.#end(entry);
  }

  #end(entry: Entry): void {
    if (this.#entries.get(entry.channel) === entry) this.#entries.delete(entry.channel);
    clearTimeout(entry.timer);
    entry.hasEnded = true;
    if (entry.connection !== undefined) this.#retire(entry, entry.connection);
  }

  #acquire(entry: Entry): Promise<Connection> {
    if (entry.hasEnded) return Promise.reject(new Error("the tool box was stopped"));
    if (entry.opening === undefined) {
      const opening = this.#open(entry);
      entry.opening = opening;
      opening.catch(() => {
        if (entry.opening === opening) entry.opening = undefined;
      });
    }
    return entry.opening;
  }

  async #open(entry: Entry): Promise<Connection> {
    const connection = await this.#options.open(entry.channel);
    if (entry.hasEnded) {
      this.#close(connection, { keep: entry.keep });
      throw new Error("the tool box was stopped");
    }
    entry.connection = connection;
    entry.isLive = true;
    const onEnd = (): void => {
      if (!this.#retire(entry, connection)) return;
      this.#options.onLost(messageOf(connection.lost.reason));
    };
    if (connection.lost.aborted) onEnd();
    else connection.lost.addEventListener("abort", onEnd, { once: true });
    return connection;
  }

  /** Gives up an entry's connection. Returns false where that is done already. */
  #retire(entry: Entry, connection: Connection): boolean {
    if (!entry.isLive || entry.connection !== connection) return false;
    entry.isLive = false;
    entry.opening = undefined;
    this.#close(connection, { keep: entry.keep });
    return true;
  }

  #close(connection: Connection, how: { keep: boolean }): void {
    if (this.#ended || !this.#loans.has(connection)) this.#options.close(connection, how);
    else this.#retired.set(connection, how);
  }

  /** Lends a connection to one more user of its entry, who is counted already. */
  #lend(entry: Entry, connection: Connection): Loan {
    this.#loans.set(connection, (this.#loans.get(connection) ?? 0) + 1);
    let isLent = true;
    return {
      connection,
      giveBack: () => {
        if (!isLent) return;
        isLent = false;
        this.#takeBack(connection);
        this.#giveBack(entry);
      },
    };
  }

  #takeBack(connection: Connection): void {
    const left = (this.#loans.get(connection) ?? 1) - 1;
    if (left > 0) return void this.#loans.set(connection, left);
    this.#loans.delete(connection);
    const how = this.#retired.get(connection);
    this.#retired.delete(connection);
    if (how !== undefined) this.#options.close(connection, how);
  }

  #giveBack(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.unusedSince = performance.now();
    const isCurrent = this.#entries.get(entry.channel) === entry;
    if (!this.#ended && isCurrent && entry.channel !== commonChannel)
      entry.timer ??= this.#lookIn(entry, this.#options.idleMs);
  }

  #lookIn(entry: Entry, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(entry), ms).unref();
  }

  #look(entry: Entry): void {
    entry.timer = undefined;
    // The next one who gives it back sets another.
    if (entry.users > 0) return;
    const left = entry.unusedSince + this.#options.idleMs - performance.now();
    // Timers count whole milliseconds and may be early by a part of one.
    if (left > 1) entry.timer = this.#lookIn(entry, left);
    else void this.#evict(entry, this.#options.idleMs);
  }
}
