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
  opening: Promise<Opened> | undefined;
  /** The last one. */
  opened: Opened | undefined;
  hasEnded: boolean;
  /** Whether its server's session outlives the connection. */
  keep: boolean;
  users: number;
  /** Milliseconds since the start of the process. */
  unusedSince: number;
  /** Looks whether it is still used; set once and not with every use. */
  timer: NodeJS.Timeout | undefined;
}

interface Opened {
  connection: Connection;
  isLive: boolean;
  /** How many loans of it are out. */
  loans: number;
}

/** The open sessions of one server, one for each channel. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #entries = new Map<string, Entry>();
  /** Given up while on loan: others may still get their answer, or their own refusal. */
  readonly #retired = new Map<Opened, { keep: boolean }>();
  #ended = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Lends a channel's connection, which stays open at least until it is given back. */
  async borrow(channel: string): Promise<Loan> {
    const entry = this.#entryOf(channel);
    entry.users += 1;
    try {
      const opened = await this.#acquire(entry);
      const session = opened.connection.session();
      if (session !== undefined) await this.#options.keeper.touch(channel, session);
      return this.#lend(entry, opened);
    } catch (error) {
      this.#giveBack(entry);
      throw error;
    }
  }

  /** Lends it at once, where it is open and nothing has to be noted before. */
  lendOpen(channel: string): Loan | undefined {
    const entry = this.#entries.get(channel);
    const opened = entry?.opened;
    if (entry === undefined || opened?.isLive !== true) return undefined;
    if (opened.connection.session() !== undefined && this.#options.keeper.isDue(channel)) return undefined;
    entry.users += 1;
    return this.#lend(entry, opened);
  }

  /** Gives a connection up, so that the next loan opens a fresh one. `gone`: the server has forgotten its session. */
  async drop(connection: Connection, { gone }: { gone: boolean }): Promise<void> {
    const entry = [...this.#entries.values()].find(({ opened }) => opened?.connection === connection);
    if (entry?.opened === undefined) return;
    const id = connection.session()?.id;
    if (gone && id !== undefined) await this.#options.keeper.forget(entry.channel, id);
    this.#giveUp(entry, entry.opened);
  }

  /** Gives the sessions of such channels up for good. Resolves to those that the store alone knew of, now forgotten. */
  async endOf(isMeant: (channel: string) => boolean): Promise<KeptSession[]> {
    const open = new Set<string>();
    for (const entry of [...this.#entries.values()].filter(({ channel }) => isMeant(channel))) {
      const id = entry.opened?.isLive === true ? entry.opened.connection.session()?.id : undefined;
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
    for (const [{ connection }, how] of this.#retired) this.#options.close(connection, how);
    this.#retired.clear();
  }

  #entryOf(channel: string): Entry {
    const known = this.#entries.get(channel) ?? this.#adopted(channel);
    if (known !== undefined) return known;
    this.#makeRoom();
    const entry: Entry = {
      channel,
      opening: undefined,
      opened: undefined,
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
    const id = entry.opened?.connection.session()?.id;
    if (id !== undefined && unusedMs > 0)
      entry.keep = !(await this.#options.keeper.release(entry.channel, id, unusedMs));
    this.#end(entry);
  }

  #end(entry: Entry): void {
    if (this.#entries.get(entry.channel) === entry) this.#entries.delete(entry.channel);
    clearTimeout(entry.timer);
    entry.hasEnded = true;
    if (entry.opened !== undefined) this.#giveUp(entry, entry.opened);
  }

  #acquire(entry: Entry): Promise<Opened> {
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

  async #open(entry: Entry): Promise<Opened> {
    const connection = await this.#options.open(entry.channel);
    if (entry.hasEnded) {
      this.#options.close(connection, { keep: entry.keep });
      throw new Error("the tool box was stopped");
    }
    const opened: Opened = { connection, isLive: true, loans: 0 };
    entry.opened = opened;
    const onEnd = (): void => {
      if (this.#giveUp(entry, opened)) this.#options.onLost(messageOf(connection.lost.reason));
    };
    if (connection.lost.aborted) onEnd();
    else connection.lost.addEventListener("abort", onEnd, { once: true });
    return opened;
  }

  /** Closes an entry's connection, as soon as its loans are back. Returns false where that is done already. */
  #giveUp(entry: Entry, opened: Opened): boolean {
    if (!opened.isLive) return false;
    opened.isLive = false;
    entry.opening = undefined;
    const { keep } = entry;
    if (this.#ended || opened.loans === 0) this.#options.close(opened.connection, { keep });
    else this.#retired.set(opened, { keep });
    return true;
  }

  /** Lends a connection to one more user of its entry, who is counted already. */
  #lend(entry: Entry, opened: Opened): Loan {
    const { connection } = opened;
    opened.loans += 1;
    let isLent = true;
    return {
      connection,
      giveBack: () => {
        if (!isLent) return;
        isLent = false;
        opened.loans -= 1;
        const how = this.#retired.get(opened);
        if (how !== undefined && opened.loans === 0) {
          this.#retired.delete(opened);
          this.#options.close(connection, how);
        }
        this.#giveBack(entry);
      },
    };
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
