import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import pLimit from "p-limit";

import { ToolFailure } from "../kit/tool.ts";
import type { Column, Database, DatabaseOptions, Table } from "./database.ts";
import { cancelled, oneStatement, readOnly, sqlError, tooLarge, tooSlow } from "./failures.ts";
import type { Rows, Value } from "./rows.ts";
import type { Job, Report } from "./sqlite-child.ts";

/** Queries at once; each is a process. */
const AT_ONCE = 4;
/** Most bytes that a query's process may print. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_TABLES = 500;

const TABLES = `
  SELECT s.name, s.type, (SELECT json_group_array(c.name) FROM pragma_table_xinfo(s.name) c WHERE c.hidden <> 1)
  FROM sqlite_schema s WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY s.name`;

const COLUMNS = `
  SELECT c.name, c.type, c."notnull" = 0 AND c.pk = 0, c.dflt_value, c.pk > 0,
    (SELECT f."table" || coalesce('.' || f."to", '') FROM pragma_foreign_key_list(?1) f WHERE f."from" = c.name)
  FROM pragma_table_xinfo(?1) c WHERE c.hidden <> 1 ORDER BY c.cid`;

/** Opens a SQLite file for reading. Throws a ToolFailure where there is none. */
export function openSqlite(path: string, { timeoutMs }: DatabaseOptions): Database {
  if (!existsSync(path))
    throw new ToolFailure("no_database", `SQL_URL: expected a SQLite file, found nothing at ${path}`);
  const limited = pLimit(AT_ONCE);

  async function run(job: Omit<Job, "path">, signal: AbortSignal): Promise<Rows> {
    const report = await limited(() => ask({ path, ...job }, timeoutMs, signal));
    if (!("error" in report)) return report;
    if (report.code === "read_only") throw readOnly(report.error);
    if (report.code === "one_statement") throw oneStatement();
    throw sqlError(report.error);
  }

  const look = async (sql: string, params: string[], signal: AbortSignal): Promise<Value[][]> =>
    (await run({ sql, params, most: MOST_TABLES, guarded: false }, signal)).rows;

  return {
    dialect: "SQLite",
    query: (sql, most, signal) => run({ sql, params: [], most, guarded: true }, signal),
    async tables(signal) {
      return (await look(TABLES, [], signal)).map(([name, kind, columns]): Table => ({
        name: String(name),
        kind: kind === "view" ? "view" : "table",
        columns: JSON.parse(String(columns)) as string[],
      }));
    },
    async columns(table, signal) {
      return (await look(COLUMNS, [table], signal)).map(
        ([name, type, nullable, value, key, references]): Column => ({
          name: String(name),
          type: String(type),
          nullable: nullable === 1,
          default: value === null || value === undefined ? null : String(value),
          primary_key: key === 1,
          references: references === null || references === undefined ? null : String(references),
        }),
      );
    },
  };
}

/** Asks a process of its own, which is ended when its time is over or the call is cancelled. */
function ask(job: Job, timeoutMs: number, signal: AbortSignal): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [join(import.meta.dirname, "sqlite-child.ts")],
      { env: {}, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: MOST_BYTES, signal },
      (error, stdout) => {
        if (error === null) return resolve(JSON.parse(stdout) as Report);
        if (signal.aborted) return reject(cancelled(error));
        if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return reject(tooLarge(error));
        // Killed by us, or by the system, as out of memory.
        return reject(error.killed === true ? tooSlow(timeoutMs, error) : tooLarge(error));
      },
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(JSON.stringify(job));
  });
}
