import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

import type { SqliteDatabase, SqliteStatement } from "kysely";

import { tellStatement } from "./statements.ts";
import { fromDriver } from "./store-errors.ts";

/** Prepared statements kept for reuse; Kysely repeats a small set of texts. */
const CACHED_STATEMENTS = 256;

const WRITE = /^\s*(?:insert|update|delete|replace)\b/i;

export interface NodeSqliteOptions {
  readOnly?: boolean;
  /**
   * Called before and after what is written becomes durable; throws where it does not. Before, so that
   * nothing is written to the wrong place; after, so that nothing is acknowledged that went there.
   */
  requireDurable?: () => void;
  /** A file of functions to load; nothing else can be loaded later. */
  extension?: string;
  /** Looks at the database before anything else does; what it throws refuses the opening. */
  inspect?: (db: DatabaseSync) => void;
}

/**
 * node:sqlite in the shape that Kysely's SqliteDialect expects of better-sqlite3. Its errors leave with
 * our codes (`fromDriver`).
 */
export function openNodeSqlite(file: string, options: NodeSqliteOptions = {}): SqliteDatabase {
  const { readOnly = false, extension, requireDurable = () => undefined } = options;
  // A reader such as `audit verify` may hold the file for a moment: wait instead of failing.
  const db = mapped(
    () => new DatabaseSync(file, { timeout: 5_000, readOnly, allowExtension: extension !== undefined }),
  );
  if (extension !== undefined) {
    mapped(() => db.loadExtension(extension));
    db.enableLoadExtension(false);
  }
  // What moves to another page, or goes, leaves nothing on the page where it was: that costs no further writing.
  const pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;";
  if (!readOnly) mapped(() => db.exec(pragmas));
  try {
    options.inspect?.(db);
  } catch (error) {
    db.close();
    throw error;
  }
  const cache = new Map<string, SqliteStatement>();

  function toStatement(text: string, statement: StatementSync): SqliteStatement {
    const isReader = statement.columns().length > 0;
    const isEnd = text === "commit";
    const isControl = text === "begin" || text === "rollback";
    // What gives rows back may have written them.
    const isWrite = isReader ? WRITE.test(text) : !isControl;

    function durably<Result>(work: () => Result): Result {
      const isDurable = isEnd || (isWrite && !db.isTransaction);
      tellStatement(() => ({ sql: text, isCommit: isDurable }));
      if (isDurable) requireDurable();
      const result = mapped(work);
      if (isDurable) requireDurable();
      return result;
    }

    return {
      reader: isReader,
      all: (parameters) => durably(() => statement.all(...toValues(parameters))),
      run: (parameters) => durably(() => statement.run(...toValues(parameters))),
      iterate: (parameters) => statement.iterate(...toValues(parameters)) as IterableIterator<unknown>,
    };
  }

  return {
    prepare(text): SqliteStatement {
      // A full disk makes SQLite roll back by itself; a second rollback would hide why.
      if (text === "rollback" && !db.isTransaction) return nothing;
      const known = cache.get(text);
      if (known !== undefined) return known;
      // Begun as a writer: one that reads first and then has to write would be refused after another process's commit.
      const begin = text === "begin" && !readOnly ? "begin immediate" : text;
      const statement = toStatement(
        text,
        mapped(() => db.prepare(begin)),
      );
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

function mapped<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fromDriver(error);
  }
}

function toValues(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
      return value;
    if (value instanceof Uint8Array) return value;
    throw new TypeError(`expected a string, number, bytes or null as SQL value, got ${typeof value}`);
  });
}
