import { Kysely } from "kysely";
import pg from "pg";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import { checkStore, migrate, type Store } from "./open.ts";
import { TolerantPostgresDialect } from "./postgres-dialect.ts";
import type { Db, Schema } from "./schema.ts";
import { toStoreError } from "./store-errors.ts";

const POOL_SIZE = 12;

/**
 * Opens a store shared by replicas and brings its tables up to date; replicas that start together
 * migrate once. `url` is a postgres:// URL. Rejects with `store_failed`, without the URL's password.
 */
export async function openPostgresStore(
  url: string,
  log: { warn: (data: object, message: string) => void },
): Promise<Store> {
  const { pool, db } = connect(url, log);
  try {
    await migrate(db, "postgres");
    const clock = await measureClock(pool);
    return {
      kind: "postgres",
      db,
      now: () => Date.now() + clock,
      check: () => checkStore(db),
      close: () => db.destroy(),
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
  const { db } = connect(url, { warn: () => undefined });
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
): { pool: pg.Pool; db: Db } {
  const types = new pg.TypeOverrides();
  // Millisecond times and counters stay far below 2^53; the driver gives bigint as text by default.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    application_name: "countersign",
    types,
  });
  // An idle connection that the server closes is replaced by the next query.
  pool.on("error", (error) => log.warn({ error: messageOf(error) }, "a database connection was lost"));
  return { pool, db: new Kysely<Schema>({ dialect: new TolerantPostgresDialect({ pool }) }) };
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
