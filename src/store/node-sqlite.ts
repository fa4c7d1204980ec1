import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

import type { SqliteDatabase, SqliteStatement } from "kysely";

/** Prepared statements kept for reuse; Kysely repeats a small set of texts. */
const CACHED_STATEMENTS = 256;

/** node:sqlite in the shape that Kysely's SqliteDialect expects of better-sqlite3. */
export function openNodeSqlite(file: string, options: { readOnly?: boolean } = {}): SqliteDatabase {
  // A reader such as `audit verify` may hold the file for a moment: wait instead of failing.
  const readOnly = options.readOnly ?? false;
  const db = new DatabaseSync(file, { timeout: 5_000, readOnly });
  if (!readOnly) db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  const cache = new Map<string, SqliteStatement>();
  return {
    prepare(text): SqliteStatement {
      // A full disk makes SQLite roll back by itself; a second rollback would hide why.
      if (text === "rollback" && !db.isTransaction) return nothing;
      const known = cache.get(text);
      if (known !== undefined) return known;
      const statement = toStatement(db.prepare(text));
      if (cache.size >= CACHED_STATEMENTS) cache.clear();
      cache.set(text, statement);
      return statement;
    },
    close: () => {
      cache.clear();
      db.close();
    },
  };
}

const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

function toStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...toValues(parameters)),
    run: (parameters) => statement.run(...toValues(parameters)),
    iterate: (parameters) => statement.iterate(...toValues(parameters)) as IterableIterator<unknown>,
  };
}

function toValues(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
      return value;
    throw new TypeError(`expected a string, number or null as SQL value, got ${typeof value}`);
  });
}
