import { pruneAudit } from "../ledger/prune-audit.ts";
import type { Transact } from "../ledger/transact.ts";
import { HOUR_MS, pauseAfter } from "../base/time.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import { eraseIfEmpty, eraseTurns } from "./erase.ts";

/** How long each kind is kept, in milliseconds; what is not named is kept for ever. */
export interface Keep {
  /** Ended turns with all that belongs to them: messages, answers, calls, requests, files, memories. */
  turns?: number | undefined;
  /** What an ended turn told on its way; its end stays with the turn. */
  events?: number | undefined;
  /** What calls brought that is no text. */
  files?: number | undefined;
  /** That people were told of a request on a chat platform. */
  notices?: number | undefined;
  audit?: number | undefined;
}

export interface RetentionOptions {
  db: Db;
  kind: StoreKind;
  transact: Transact;
  now: () => number;
  keep: Keep;
  log: {
    info: (data: object, message: string) => void;
    warn: (data: object, message: string) => void;
  };
}

export interface Retention {
  start(): void;
  stop(): Promise<void>;
  /** Deletes what is too old; resolves to how much of each kind. */
  sweep(): Promise<Record<keyof Keep | "expired", number>>;
}

const EVERY_MS = HOUR_MS;
/** Of one transaction: short enough that nobody notices. */
const TURNS = 20;
const ROWS = 100;
/** Turns that are looked at with one statement. */
const WINDOW = 200;
/** Up to which turn events were deleted, so that nobody looks at the same ones again. */
const CURSOR = "keep.events";
const CLAIM = "keep.sweep:";

/**
 * Deletes what is older than the operator wants it kept, once an hour by whichever replica comes first: in small
 * transactions, after each of which others have their turn. Interrupted anywhere, the next hour goes on.
 */
export function createRetention({ db, kind, transact, now, keep, log }: RetentionOptions): Retention {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const stopped = new AbortController();

  /** Runs until nothing is left to do, or the product stops. */
  async function repeat(work: () => Promise<number>): Promise<number> {
    for (let total = 0; ;) {
      const begun = performance.now();
      const done = stopped.signal.aborted ? 0 : await work();
      if (done === 0) return total;
      total += done;
      await pauseAfter(begun);
    }
  }

  /** Ended turns from the oldest on, a window at a time, which began before. */
  async function* oldTurns(before: number, from: number) {
    for (let after = from; !stopped.signal.aborted;) {
      const rows = await db
        .selectFrom("turns")
        .select(["position", "id", "conversation_id", "state", "created_at", "updated_at"])
        .where("position", ">", after)
        .orderBy("position")
        .limit(WINDOW)
        .execute();
      // Positions are in the order of acceptance.
      const old = rows.filter((row) => row.created_at < before);
      yield old;
      after = old.at(-1)?.position ?? after;
      if (old.length < WINDOW) return;
    }
  }

  async function deleteTurns(ms: number): Promise<number> {
    const before = now() - ms;
    let deleted = 0;
    for await (const window of oldTurns(before, 0)) {
      const ids = window.filter((row) => row.updated_at < before && ENDED.has(row.state)).map(({ id }) => id);
      for (let from = 0; from < ids.length && !stopped.signal.aborted; from += TURNS) {
        const begun = performance.now();
        deleted += await transact(async (tx, note) => {
          const erased = await eraseEnded(tx, ids.slice(from, from + TURNS), before);
          if (erased > 0) note({ kind: "retention.turns", data: { turns: erased, before } });
          return erased;
        });
        await pauseAfter(begun);
      }
    }
    return deleted;
  }

  /** Turns without a request that may still be decided, and without a standing approval that counts. */
  async function eraseEnded(tx: Tx, ids: readonly string[], before: number): Promise<number> {
    const rows = await tx
      .selectFrom("turns")
      .select(["id", "conversation_id"])
      .where("id", "in", ids)
      .where("state", "in", [...ENDED])
      .where("updated_at", "<", before)
      .where((is) =>
        is.not(
          is.exists(
            is
              .selectFrom("approvals")
              .leftJoin("grants", "grants.approval_id", "approvals.id")
              .select("approvals.id")
              .whereRef("approvals.turn_id", "=", "turns.id")
              .where((one) =>
                one.or([
                  one("approvals.state", "in", ["pending", "approved", "executing", "unknown"]),
                  one.and([one("grants.revoked_at", "is", null), one("grants.expires_at", ">", now())]),
                ]),
              ),
          ),
        ),
      )
      .$if(kind === "postgres", (query) => query.forUpdate())
      .execute();
    await eraseTurns(
      tx,
      rows.map(({ id }) => id),
    );
    await eraseIfEmpty(tx, new Set(rows.map((row) => row.conversation_id)));
    return rows.length;
  }

  async function deleteEvents(ms: number): Promise<number> {
    const before = now() - ms;
    const kept = await db.selectFrom("kv").select("value").where("key", "=", CURSOR).executeTakeFirst();
    let deleted = 0;
    for await (const window of oldTurns(before, Number(kept?.value ?? 0))) {
      for (let from = 0; from < window.length && !stopped.signal.aborted; from += TURNS) {
        const begun = performance.now();
        const some = window.slice(from, from + TURNS);
        const ended = some.filter((row) => row.updated_at < before && ENDED.has(row.state));
        // What is not old enough yet is looked at again.
        const isAll = some.every((row) => ended.includes(row) || !ENDED.has(row.state));
        const value = String(some.at(-1)?.position ?? 0);
        deleted += await transact(async (tx) => {
          let count = 0;
          for (const { id } of ended) {
            const { numDeletedRows } = await tx
              .deleteFrom("events")
              .where("turn_id", "=", id)
              .where("seq", "<", (eb) => eb.selectFrom("turns").select("event_count").where("id", "=", id))
              .executeTakeFirst();
            count += Number(numDeletedRows);
          }
          if (isAll)
            await tx
              .insertInto("kv")
              .values({ key: CURSOR, value, expires_at: null })
              .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
              .execute();
          return count;
        });
        if (!isAll) return deleted;
        await pauseAfter(begun);
      }
    }
    return deleted;
  }

  const deleteFiles = (ms: number): Promise<number> =>
    repeat(async () => {
      const old = db
        .selectFrom("files")
        .select("id")
        .where("created_at", "<", now() - ms)
        .limit(ROWS);
      const ids = (await old.execute()).map(({ id }) => id);
      if (ids.length > 0) await transact((tx) => tx.deleteFrom("files").where("id", "in", ids).execute());
      return ids.length;
    });

  const deleteNotices = (ms: number): Promise<number> =>
    repeat(async () => {
      const old = db
        .selectFrom("notices")
        .select("id")
        .where("created_at", "<", now() - ms)
        .where("state", "in", ["shown", "moot", "undeliverable"])
        .limit(ROWS);
      const ids = (await old.execute()).map(({ id }) => id);
      if (ids.length > 0) await transact((tx) => tx.deleteFrom("notices").where("id", "in", ids).execute());
      return ids.length;
    });

  /** Plain and sealed state that was kept for a while, of whatever kind. */
  const deleteExpired = (): Promise<number> =>
    repeat(async () => {
      const old = db.selectFrom("kv").select("key").where("expires_at", "<=", now()).limit(ROWS);
      const keys = (await old.execute()).map(({ key }) => key);
      if (keys.length > 0)
        await transact((tx) =>
          tx.deleteFrom("kv").where("key", "in", keys).where("expires_at", "<=", now()).execute(),
        );
      return keys.length;
    });

  const kinds = {
    turns: deleteTurns,
    events: deleteEvents,
    files: deleteFiles,
    notices: deleteNotices,
    audit: (ms: number) => repeat(() => pruneAudit(db, transact, now() - ms)),
  };

  async function sweep(): Promise<Record<keyof Keep | "expired", number>> {
    const deleted = { turns: 0, events: 0, files: 0, notices: 0, audit: 0, expired: await deleteExpired() };
    for (const [name, remove] of Object.entries(kinds) as [keyof Keep, (ms: number) => Promise<number>][]) {
      const ms = keep[name];
      if (ms !== undefined) deleted[name] = await remove(ms);
    }
    return deleted;
  }

  /** Whether this replica is the one that sweeps now. */
  async function claim(): Promise<boolean> {
    const key = `${CLAIM}${Math.floor(now() / EVERY_MS)}`;
    const claimed = await db
      .insertInto("kv")
      .values({ key, value: "", expires_at: now() + EVERY_MS })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .executeTakeFirst();
    return kind === "sqlite" || claimed.numInsertedOrUpdatedRows === 1n;
  }

  async function look(): Promise<void> {
    try {
      if (!(await claim())) return;
      const deleted = await sweep();
      if (Object.values(deleted).some((count) => count > 0))
        log.info({ deleted }, "what was kept long enough is deleted");
    } catch (error) {
      if (!stopped.signal.aborted)
        log.warn({ error }, "what is too old could not be deleted, will be tried again");
    }
  }

  const begin = (): void => {
    running = running.then(look);
  };
  return {
    sweep,
    start() {
      begin();
      timer = setInterval(begin, EVERY_MS).unref();
    },
    async stop() {
      stopped.abort();
      clearInterval(timer);
      await running;
    },
  };
}

const ENDED: ReadonlySet<string> = new Set(["done", "failed", "stopped"]);
