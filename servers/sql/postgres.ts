import { Socket } from "node:net";

import { Client, DatabaseError } from "pg";

import { messageOf, ToolFailure } from "../kit/tool.ts";
import type { Column, Database, DatabaseOptions, Table } from "./database.ts";
import { cancelled, oneStatement, readOnly, sqlError, tooLarge, tooSlow } from "./failures.ts";
import { type Rows, takeRows } from "./rows.ts";

/** Most bytes that a query's answer may have: a driver keeps a row until it is whole. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_TABLES = 500;
const DECLARE = "DECLARE asked NO SCROLL CURSOR FOR ";

const NAME = "CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END";
const READABLE = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND n.nspname NOT LIKE 'pg\\_%' AND has_table_privilege(c.oid, 'SELECT')`;

const TABLES = `SELECT ${NAME} AS name, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind,
    ARRAY(SELECT a.attname::text FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns
  ${READABLE} ORDER BY 1 LIMIT ${MOST_TABLES}`;

const COLUMNS = `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
    pg_get_expr(d.adbin, d.adrelid) AS default,
    EXISTS (SELECT FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey)) AS primary_key,
    (SELECT k.confrelid::regclass || '.' || r.attname FROM pg_constraint k
      JOIN pg_attribute r ON r.attrelid = k.confrelid AND r.attnum = k.confkey[array_position(k.conkey, a.attnum)]
      WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY (k.conkey) LIMIT 1) AS references
  FROM (SELECT c.oid ${READABLE} AND ${NAME} = $1) c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum ORDER BY a.attnum`;

/** Types whose text is a number or a boolean to JSON as well; all else stays as Postgres writes it. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"],
  [20, BigInt],
  ...[21, 23, 700, 701].map((oid) => [oid, toNumber] as const),
]);

/** JSON has neither NaN nor Infinity. */
function toNumber(text: string): number | string {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

/**
 * A Postgres of which everything runs in a read-only transaction with a time limit, over a connection of its own. A
 * query is declared as a cursor, which takes nothing but one SELECT (no COPY, no CALL, no SET) and brings no more rows
 * than are wanted. Superusers are refused, as functions give them the files and programs of the server.
 */
export function openPostgres(url: string, { timeoutMs }: DatabaseOptions): Database {
  async function inTransaction<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    const socket = new Socket();
    const client = new Client({
      connectionString: url,
      stream: () => socket,
      connectionTimeoutMillis: timeoutMs,
      application_name: "countersign",
    });
    let isTooLarge = false;
    const watch = setInterval(() => {
      isTooLarge ||= socket.bytesRead > MOST_BYTES;
      if (isTooLarge || Date.now() > latest) socket.destroy();
    }, 50);
    // The server keeps the limit; this one is for a server that does not answer.
    const latest = Date.now() + timeoutMs * 2;
    const stop = (): void => void socket.destroy();
    signal.addEventListener("abort", stop);
    // A connection that breaks rejects what waits for it as well.
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("BEGIN TRANSACTION READ ONLY");
      const limits = [`${timeoutMs}ms`, "2s"];
      const { rows } = await client.query<{ is_superuser: string }>(
        `SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
          current_setting('is_superuser') AS is_superuser`,
        limits,
      );
      if (rows[0]?.is_superuser !== "off") throw superuser();
      return await work(client);
    } catch (error) {
      if (signal.aborted) throw cancelled(error);
      if (isTooLarge) throw tooLarge(error);
      throw explain(error, timeoutMs);
    } finally {
      clearInterval(watch);
      signal.removeEventListener("abort", stop);
      // What was not committed is undone.
      socket.destroy();
    }
  }

  return {
    dialect: "Postgres",
    query: (sql, most, signal) =>
      inTransaction(signal, async (client): Promise<Rows> => {
        // A name makes it one prepared statement, of which the protocol allows no second.
        await client.query({ name: "asked", text: `${DECLARE}${sql}` });
        const { fields, rows } = await client.query<unknown[]>({
          text: `FETCH ${most + 1} FROM asked`,
          rowMode: "array",
          types: { getTypeParser: (oid: number) => PARSERS.get(oid) ?? String },
        });
        return takeRows(
          fields.map(({ name }) => name),
          rows,
          most,
        );
      }),
    tables: (signal) =>
      inTransaction(signal, async (client) => (await client.query<Table & object>(TABLES)).rows),
    columns: (table, signal) =>
      inTransaction(signal, async (client) => (await client.query<Column & object>(COLUMNS, [table])).rows),
  };
}

function superuser(): ToolFailure {
  return new ToolFailure(
    "superuser",
    "SQL_URL: expected a role that may only read, got a superuser, who can also reach files and programs of the " +
      "database's machine. Make one: CREATE ROLE reader LOGIN PASSWORD '…' IN ROLE pg_read_all_data",
  );
}

function explain(error: unknown, timeoutMs: number): unknown {
  if (error instanceof ToolFailure) return error;
  if (!(error instanceof DatabaseError))
    return new ToolFailure("unreachable", `Postgres cannot be reached: ${messageOf(error)}`, {
      cause: error,
    });
  const { code = "", message } = error;
  if (code === "57014") return tooSlow(timeoutMs, error);
  if (/insert multiple commands/.test(message)) return oneStatement();
  // The grammar of a cursor knows nothing but SELECT: all else is an error of syntax at its first word.
  const isOther =
    code === "42601" &&
    /at or near "(?!select\b)\w+"$/i.test(message) &&
    Number(error.position) === DECLARE.length + 1;
  if (code === "25006" || isOther || /data-modifying/.test(message)) return readOnly(message, error);
  if (/^(?:08|28|3D|53|57P)/.test(code))
    return new ToolFailure("unreachable", `Postgres does not let this server in: ${message}`, {
      cause: error,
    });
  return sqlError(message, error);
}
