import { type Compilable, CompiledQuery } from "kysely";

import type { Db } from "./schema.ts";

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
  const { adapter } = db.getExecutor();
  const queries = built.get(adapter) ?? new Map<string, CompiledQuery>();
  built.set(adapter, queries);
  const key = `${shape} ${rows.length} ${Object.keys(rows[0] ?? {}).join()}`;
  const query = queries.get(key) ?? toQuery(db, rows, build);
  if (rows.length <= MOST_ROWS) queries.set(key, query);
  const parameters = query.parameters.map((one) =>
    one instanceof StandIn ? (rows[one.row] as Record<string, unknown>)[one.name] : one,
  );
  return (await db.executeQuery<Row>({ ...query, parameters })).rows;
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
