import type { Db } from "../store/schema.ts";
import { type AuditHead, readAuditHead } from "./verify.ts";

export interface AnchorOptions {
  db: Db;
  now: () => number;
  /** Says the head where the store's owner cannot rewrite it; rejects when it could not. */
  tell: (head: AuditHead) => Promise<void>;
  onFailure: (error: unknown) => void;
}

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 10 * 60_000;
/** Older days are of no use. */
const KEPT_MS = 30 * DAY_MS;

/**
 * Tells the head of the audit chain once a day (UTC), whichever replica comes first: `audit verify
 * --head` then finds entries that were cut off or a chain that was written anew. A day on which the
 * process dies while telling is left out; the next day's head covers it.
 */
export function createAnchor(options: AnchorOptions): { start(): void; stop(): void; look(): Promise<void> } {
  const { db, now } = options;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const head = await readAuditHead(db);
    // A chain without entries has nothing to hold on to.
    if (head.seq === 0) return;
    const key = `audit-head:${new Date(now()).toISOString().slice(0, 10)}`;
    const claimed = await db
      .insertInto("kv")
      .values({ key, value: "", expires_at: now() + KEPT_MS })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .executeTakeFirst();
    if (claimed.numInsertedOrUpdatedRows !== 1n) return;
    try {
      await options.tell(head);
    } catch (error) {
      await db.deleteFrom("kv").where("key", "=", key).execute();
      throw error;
    }
  }

  const attempt = (): void => void look().catch(options.onFailure);
  return {
    look,
    start() {
      attempt();
      timer = setInterval(attempt, LOOK_EVERY_MS);
    },
    stop: () => clearInterval(timer),
  };
}
