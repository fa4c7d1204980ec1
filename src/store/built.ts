import { type Compilable, CompiledQuery } from "kysely";

import type { Db, Tx } from "./schema.ts";

/** Stands for a value while a query is built. */
class StandIn {
  readonly row: number;
  readonly name: string;
  constructor(row: number, name: string) {
    this.row = row;
    this.name = name;
  }
}

/** What is longer is rare, and built each time. */
const MOST_ROWS = 64;

/** By the adapter of the store, which all transactions of a store share. */
const built = new WeakMap<object, Map<string, CompiledQuery>>();

/**
 * Runs a query that is built once for each store, shape, number of rows and columns of the first: building takes
 * Kysely as long as running it takes SQLite. `build` uses no other value that could differ within a shape; lists of
 * values (`in`) count among them.
 */
export async function runBuilt<Values extends object, Row>(
  db: Db,
  shape: string,
  rows: readonly Values[],
  build: (db: Db, rows: readonly [Values, ...Values[]]) => Compilable<Row>,
): Promise<Row[]> {
  return (await db.executeQuery<Row>(builtQuery(db, shape, rows, build))).rows;
}

/**
 * As `runBuilt`, for a write of a transaction: on Postgres nobody waits for its answer before the transaction does,
 * and it is the next statement that waits, or the commit, which rejects where it fails.
 */
export async function postBuilt<Values extends object>(
  tx: Tx,
  shape: string,
  rows: readonly Values[],
  build: (db: Db, rows: readonly [Values, ...Values[]]) => Compilable,
): Promise<void> {
  await post(tx, builtQuery(tx, shape, rows, build));
}

/** Runs any such write. */
export async function post(tx: Tx, query: CompiledQuery): Promise<void> {
  const posted: Posted = { ...query, isPosted: true };
  await tx.executeQuery(posted);
}

interface Posted extends CompiledQuery {
  isPosted?: true;
}

/** Whether nobody waits for the answer of a query. */
export function isPosted(query: CompiledQuery): boolean {
  return (query as Posted).isPosted === true;
}

function builtQuery<Values extends object, Row>(
  db: Db,
  shape: string,
  rows: readonly Values[],
  build: (db: Db, rows: readonly [Values, ...Values[]]) => Compilable<Row>,
): CompiledQuery {
  const { adapter } = db.getExecutor();
  const queries = built.get(adapter) ?? new Map<string, CompiledQuery>();
  built.set(adapter, queries);
  const key = `${shape} ${rows.length} ${Object.keys(rows[0] ?? {}).join()}`;
  const query = queries.get(key) ?? toQuery(db, rows, build);
  if (rows.length <= MOST_ROWS) queries.set(key, query);
  const parameters = query.parameters.map((one) =>
    one instanceof StandIn ? (rows[one.row] as Record<string, unknown>)[one.name] : one,
  );
  return { ...query, parameters };
}

/** Without what it was built of, which is ten times as large. */
function toQuery<Values extends object>(
  db: Db,
  rows: readonly Values[],
  build: (db: Db, rows: readonly [Values, ...Values[]]) => Compilable,
): CompiledQuery {
  const standIns = rows.map((row, at) =>
    Object.fromEntries(Object.keys(row).map((name) => [name, new StandIn(at, name)])),
  );
  const { sql, parameters } = build(db, standIns as [Values, ...Values[]]).compile();
  return CompiledQuery.raw(sql, [...parameters]);
}
