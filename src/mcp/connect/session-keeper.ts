import { messageOf } from "../../base/errors.ts";
import { digest } from "../../base/json.ts";
import type { KeptSession, McpLog, SessionRecord, SessionRecords } from "../config.ts";

/** The sessions of one server in the store, one for each channel. Never rejects: a lost record costs a handshake. */
export interface SessionKeeper {
  find(channel: string): Promise<KeptSession | undefined>;
  keep(channel: string, session: KeptSession): Promise<void>;
  /** Whether the use of a session is to be noted. */
  isDue(channel: string): boolean;
  /** Notes that a session is in use, where that is due. */
  touch(channel: string, session: KeptSession): Promise<void>;
  /** Forgets a session that the server does not know any more; a newer one of another process stays. */
  forget(channel: string, sessionId: string): Promise<void>;
  /** Whether nobody, here or elsewhere, has used the session for so long; forgets it then. */
  release(channel: string, sessionId: string, idleMs: number): Promise<boolean>;
  /** Takes the sessions out of the store that no process has used for so long. */
  takeUnused(idleMs: number): Promise<KeptSession[]>;
  /** Takes the sessions of such channels out of the store. */
  takeOf(isMeant: (channel: string) => boolean): Promise<KeptSession[]>;
}

const MOST_NOTED = 10_000;

export function createSessionKeeper(options: {
  /** See `serverKey`. */
  server: string;
  records: SessionRecords | undefined;
  /** A use is noted when the last note is older than this, in milliseconds. */
  noteMs: number;
  log: McpLog;
}): SessionKeeper {
  const { server, records, noteMs, log } = options;
  const noted = new Map<string, number>();
  const keyOf = (channel: string): string => digest({ server, channel });

  async function attempt<Result>(
    work: (kept: SessionRecords) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (records === undefined) return undefined;
    try {
      return await work(records);
    } catch (error) {
      log.warn({ error: messageOf(error) }, "a session of a server could not be read or kept");
      return undefined;
    }
  }

  async function keep(channel: string, session: KeptSession): Promise<void> {
    const usedAt = Date.now();
    // Only spares writing: what is not known here is noted once more.
    if (noted.size >= MOST_NOTED) noted.clear();
    noted.set(channel, usedAt);
    await attempt((kept) => kept.set(keyOf(channel), { server, channel, session, usedAt }));
  }

  async function take(isMeant: (record: SessionRecord) => boolean): Promise<KeptSession[]> {
    const taken = await attempt(async (kept) => {
      const found: KeptSession[] = [];
      for await (const [, record] of kept.iterator?.() ?? []) {
        if (record.server !== server || !isMeant(record)) continue;
        // Of several processes that see it, one deletes it.
        if (await kept.delete(keyOf(record.channel))) found.push(record.session);
      }
      return found;
    });
    return taken ?? [];
  }

  const isDue = (channel: string): boolean => Date.now() - (noted.get(channel) ?? 0) >= noteMs;

  return {
    isDue,
    async find(channel) {
      const record = await attempt((kept) => kept.get(keyOf(channel)));
      return record?.session;
    },
    keep,
    async touch(channel, session) {
      if (!isDue(channel)) return;
      noted.set(channel, Date.now());
      const record = await attempt((kept) => kept.get(keyOf(channel)));
      // Another process has replaced it: that one is to be found next time.
      if (record?.session.id === session.id) await keep(channel, session);
    },
    async forget(channel, sessionId) {
      noted.delete(channel);
      await attempt(async (kept) => {
        const record = await kept.get(keyOf(channel));
        if (record?.session.id === sessionId) await kept.delete(keyOf(channel));
      });
    },
    async release(channel, sessionId, idleMs) {
      noted.delete(channel);
      const isUnused = await attempt(async (kept) => {
        const record = await kept.get(keyOf(channel));
        // Another process has begun a session of its own: this one is nobody else's.
        if (record?.session.id !== sessionId) return true;
        if (Date.now() - record.usedAt < idleMs) return false;
        await kept.delete(keyOf(channel));
        return true;
      });
      return isUnused ?? true;
    },
    takeUnused: (idleMs) => take(({ usedAt }) => Date.now() - usedAt >= idleMs),
    takeOf: (isMeant) => take(({ channel }) => isMeant(channel)),
  };
}
