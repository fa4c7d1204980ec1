/**
 * Runs one query on a SQLite file and prints what it found. It is a process of its own since SQLite's calls cannot be
 * interrupted from within: a query that takes too long is ended with its process. Standard input is a `Job`, standard
 * output a `Report`, both as JSON.
 */
import { readFileSync } from "node:fs";
import { constants, DatabaseSync } from "node:sqlite";

import { type Rows, takeRows } from "./rows.ts";

export interface Job {
  path: string;
  sql: string;
  params: string[];
  most: number;
  /** Asked by a person, so that it may do nothing but select. */
  guarded: boolean;
}

export type Report = Rows | { error: string; code: "sql_error" | "read_only" | "one_statement" };

/** Bytes of one value or row while the query runs; what is printed is cut further. */
const VALUE_BYTES = 16 * 1024 * 1024;

const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants;
const ALLOWED: readonly number[] = [SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE];

function run({ path, sql, params, most, guarded }: Job): Report {
  // Read-only is the file; the authorizer also keeps ATTACH from other files, and PRAGMA from the settings.
  const db = new DatabaseSync(path, {
    readOnly: true,
    timeout: 2000,
    limits: { length: VALUE_BYTES, attach: 0 },
  });
  try {
    db.exec("PRAGMA trusted_schema = OFF");
    if (guarded) db.setAuthorizer((action) => (ALLOWED.includes(action) ? SQLITE_OK : SQLITE_DENY));
    const statement = db.prepare(sql);
    if (!isEmpty(sql.slice(sql.indexOf(statement.sourceSQL) + statement.sourceSQL.length)))
      return { code: "one_statement", error: "there is more than one statement" };
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const names = statement.columns().map(({ name }) => name);
    return takeRows(names, statement.iterate(...params) as Iterable<unknown> as Iterable<unknown[]>, most);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const isWrite = /^(?:not authorized|authorization denied|attempt to write a readonly database)/.test(
      said,
    );
    return { code: isWrite ? "read_only" : "sql_error", error: said };
  } finally {
    db.close();
  }
}

/** Whether nothing but spaces, semicolons and comments is in a text. */
function isEmpty(sql: string): boolean {
  return sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\s;]+/g, "") === "";
}

process.stdout.write(JSON.stringify(run(JSON.parse(readFileSync(0, "utf8")) as Job)));
