import { messageOf } from "../../base/errors.ts";
import { digest } from "../../base/json.ts";
import type { KeptSession, McpLog, SessionRecord, SessionRecords } from "../ports.ts";

export interface SessionKeeperOptions {
  /** See `serverKey`. */
  server: string;
  records: SessionRecords | undefined;
  /** A use is noted when the last note is older than this, in milliseconds. */
  noteMs: number;
  log: McpLog;
}

const MOST_NOTED = 10_000;

/** The sessions of one server in the store, one for each channel. Never rejects: a lost record costs a handshake. */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  readonly #noted = new Map<string, number>();

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
  }

  async find(channel: string): Promise<KeptSession | undefined> {
    return (await this.#read(channel))?.session;
  }

  async keep(channel: string, session: KeptSession): Promise<void> {
    const { server } = this.#options;
    const usedAt = Date.now();
    // Only spares writing: what is not known here is noted once more.
    if (this.#noted.size >= MOST_NOTED) this.#noted.clear();
    this.#noted.set(channel, usedAt);
    await this.#attempt((kept) => kept.set(this.#keyOf(channel), { server, channel, session, usedAt }));
  }

  /** Whether the use of a session is to be noted. */
  isDue(channel: string): boolean {
    return Date.now() - (this.#noted.get(channel) ?? 0) >= this.#options.noteMs;
  }

  /** Notes that a session is in use, where that is due. */
  async touch(channel: string, session: KeptSession): Promise<void> {
    if (!this.isDue(channel)) return;
    this.#noted.set(channel, Date.now());
    // Where another process has replaced it, that one is to be found next time.
    if ((await this.#read(channel))?.session.id === session.id) await this.keep(channel, session);
  }

  /** Forgets a session that the server does not know any more; a newer one of another process stays. */
  async forget(channel: string, sessionId: string): Promise<void> {
    this.#noted.delete(channel);
    if ((await this.#read(channel))?.session.id === sessionId) await this.#delete(channel);
  }

  /** Whether nobody, here or elsewhere, has used the session for so long; forgets it then. */
  async release(channel: string, sessionId: string, idleMs: number): Promise<boolean> {
    this.#noted.delete(channel);
    const record = await this.#read(channel);
    // Another process has begun a session of its own: this one is nobody else's.
    if (record?.session.id !== sessionId) return true;
    if (Date.now() - record.usedAt < idleMs) return false;
    await this.#delete(channel);
    return true;
  }

  /** Takes the sessions out of the store that no process has used for so long. */
  takeUnused(idleMs: number): Promise<KeptSession[]> {
    return this.#take(({ usedAt }) => Date.now() - usedAt >= idleMs);
  }

  /** Takes the sessions of such channels out of the store. */
  takeOf(isMeant: (channel: string) => boolean): Promise<KeptSession[]> {
    return this.#take(({ channel }) => isMeant(channel));
  }

  async #take(isMeant: (record: SessionRecord) => boolean): Promise<KeptSession[]> {
    const taken = await this.#attempt(async (kept) => {
      const found: KeptSession[] = [];
      for await (const [, record] of kept.iterator?.() ?? []) {
        if (record.server !== this.#options.server || !isMeant(record)) continue;
        // Of several processes that see it, one deletes it.
        if (await kept.delete(this.#keyOf(record.channel))) found.push(record.session);
      }
      return found;
    });
    return taken ?? [];
  }

  #read(channel: string): Promise<SessionRecord | undefined> {
    return this.#attempt((kept) => kept.get(this.#keyOf(channel)));
  }

  async #delete(channel: string): Promise<void> {
    await this.#attempt((kept) => kept.delete(this.#keyOf(channel)));
  }

  async #attempt<Result>(work: (kept: SessionRecords) => Promise<Result>): Promise<Result | undefined> {
    const { records, log } = this.#options;
    try {
      return records === undefined ? undefined : await work(records);
    } catch (error) {
      log.warn({ error: messageOf(error) }, "a session of a server could not be read or kept");
      return undefined;
    }
  }

  #keyOf(channel: string): string {
    return digest({ server: this.#options.server, channel });
  }
}
