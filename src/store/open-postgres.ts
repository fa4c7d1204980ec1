import { setTimeout as delay } from "node:timers/promises";

import { Kysely } from "kysely";
import pg from "pg";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { sleep } from "../base/time.ts";
import { EVENTS_CHANNEL } from "./migrations.ts";
import { checkStore, migrate, type Store, type StoreState } from "./open.ts";
import { Connections, tolerantDialect } from "./postgres-dialect.ts";
import type { Db, Schema } from "./schema.ts";
import { storeTrouble, toStoreError } from "./store-errors.ts";
import { openPostgresVectors } from "./vectors.ts";

const POOL_SIZE = 12;

/** How long the database is waited for, in milliseconds. */
export interface StoreTimeouts {
  /** Until a connection is made, or free. */
  connectMs: number;
  /** Until it answers; nothing that is asked of it takes seconds, but for migrations. */
  answerMs: number;
  /** Until it answers who wants to know whether it works. */
  checkMs: number;
}

const TIMEOUTS: StoreTimeouts = { connectMs: 15_000, answerMs: 30_000, checkMs: 5_000 };

/**
 * Opens a store shared by replicas and brings its tables up to date; replicas that start together
 * migrate once. `url` is a postgres:// URL. Rejects with `store_failed`, without the URL's password.
 */
export async function openPostgresStore(
  url: string,
  log: { warn: (data: object, message: string) => void },
  patience: StoreTimeouts = TIMEOUTS,
): Promise<Store> {
  // By it each replica tells what it wrote itself.
  const name = newId("countersign");
  const { pool, db, limit } = connect(url, log, patience, name);
  try {
    await migrate(db, "postgres");
    const vectors = await openPostgresVectors(db);
    limit();
    const clock = await measureClock(pool);
    const closed = new AbortController();
    return {
      kind: "postgres",
      db,
      now: () => Date.now() + clock,
      vectors,
      listen: (hear) => void listen(url, hear, { log, name, signal: closed.signal }),
      check: () => withinTime(checkStore(db), patience.checkMs),
      async close() {
        closed.abort();
        await db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw toStoreError(error);
  }
}

/**
 * Opens the store of running replicas for commands that only look: nothing is brought up to date.
 * Rejects with `store_failed`.
 */
export async function openPostgresStoreForReading(url: string): Promise<Pick<Store, "db" | "close">> {
  const { db, limit } = connect(url, { warn: () => undefined }, TIMEOUTS);
  limit();
  try {
    await db.selectFrom("audit").select("seq").limit(1).execute();
    return { db, close: () => db.destroy() };
  } catch (error) {
    await db.destroy();
    if (codeOf(error) === "store_lost") {
      const message = "There is no store in the database of store.url: start the product with it once.";
      throw new CountersignError("store_failed", message, { cause: error });
    }
    throw toStoreError(error);
  }
}

function connect(
  url: string,
  log: { warn: (data: object, message: string) => void },
  { connectMs, answerMs }: StoreTimeouts,
  name = "countersign",
): { pool: pg.Pool; db: Db; limit: () => void } {
  const types = new pg.TypeOverrides();
  // Millisecond times and counters stay far below 2^53; the driver gives bigint as text by default.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const options = {
    connectionString: url,
    // What does not wait for an answer is sent at once.
    pipeline: true,
    max: POOL_SIZE,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: name,
    types,
  };
  const pool = new pg.Pool(options);
  // An idle connection that the server closes is replaced by the next query.
  pool.on("error", (error) => log.warn({ error: messageOf(error) }, "a database connection was lost"));
  const connections = new Connections(pool);
  const db = new Kysely<Schema>({ dialect: tolerantDialect(pool) });
  return { pool, db, limit: () => connections.limit(answerMs) };
}

interface StoreWarn {
  warn: (data: object, message: string) => void;
}

/** How soon a lost connection is made anew; who follows a turn looks for themselves meanwhile. */
const LISTEN_AGAIN_MS = 1_000;

/** Hears of events until the signal aborts. Never rejects. */
async function listen(
  url: string,
  hear: (turnId: string, seq: number) => void,
  { log, name, signal }: { log: StoreWarn; name: string; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client({ connectionString: url, keepAlive: true, application_name: name });
    const over = Promise.withResolvers<void>();
    const end = (): void => over.resolve();
    signal.addEventListener("abort", end);
    client.on("end", end);
    client.on("error", (error) => {
      log.warn({ error: messageOf(error) }, "events of other replicas come late");
      end();
    });
    client.on("notification", ({ payload = "" }) => {
      const [turnId = "", seq, writer] = payload.split(" ");
      if (writer !== name) hear(turnId, Number(seq));
    });
    try {
      await client.connect();
      await client.query(`listen ${EVENTS_CHANNEL}`);
      await over.promise;
    } catch (error) {
      log.warn({ error: messageOf(error) }, "events of other replicas come late");
    }
    signal.removeEventListener("abort", end);
    await client.end().catch(() => undefined);
    await sleep(LISTEN_AGAIN_MS, signal);
  }
}

async function withinTime(checking: Promise<StoreState>, limitMs: number): Promise<StoreState> {
  const { code, message: error } = storeTrouble("store_unreachable");
  return Promise.race([checking, delay(limitMs, { ok: false, code, error }, { ref: false })]);
}

/** How far the database's clock is ahead of this machine's, in milliseconds: replicas share its time. */
async function measureClock(pool: pg.Pool): Promise<number> {
  const before = Date.now();
  const { rows } = await pool.query<{ ms: string }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::text as ms",
  );
  const after = Date.now();
  return Math.round(Number(rows[0]?.ms ?? after) - (before + after) / 2);
}
