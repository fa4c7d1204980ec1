import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { dataFolder } from "../kit/data.ts";
import { pickName } from "../kit/names.ts";
import { answer, createServer, messageOf, ToolFailure } from "../kit/tool.ts";
import { columnSchema, type Database, tableSchema } from "./database.ts";
import type { Value } from "./rows.ts";
import { openSqlite } from "./sqlite.ts";

const MOST_ROWS = 1000;

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A fresh MCP server over a database, which many may share. */
export function createSqlServer(database: Database): McpServer {
  const { dialect } = database;
  const server = createServer(
    "sql",
    "SQL database",
    `A ${dialect} database that is only read: list_tables and describe_table say what it holds, query runs one SELECT.`,
  );
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };

  server.registerTool(
    "query",
    {
      title: "Run an SQL query",
      description:
        `Run one SQL SELECT statement (${dialect}) on the SQL database, which is only read. Its tables and columns: ` +
        "list_tables and describe_table.",
      inputSchema: z.strictObject({
        sql: z
          .string()
          .trim()
          .min(1)
          .max(20_000)
          .describe('One SELECT, such as "SELECT count(*) FROM orders"'),
        limit: z.int().min(1).max(MOST_ROWS).default(100).describe(`Rows at most, 1 to ${MOST_ROWS}`),
      }),
      outputSchema: z.object({
        columns: z.array(z.string()).describe("In the query's order; a name that comes twice is numbered"),
        rows: z.array(z.record(z.string(), value)),
        row_count: z.number().describe("Rows given here"),
        truncated: z.boolean().describe("Whether the query has more rows"),
      }),
      annotations,
    },
    ({ sql, limit }, context): Promise<CallToolResult> =>
      answer(async () => {
        const found = await database.query(sql, limit, context.mcpReq.signal);
        const columns = distinct(found.columns);
        const { truncated } = found;
        const rows = found.rows.map((row) =>
          Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])),
        );
        const more = truncated ? "\n\nThere are more rows: give a higher limit, or ask for less." : "";
        const text = `${asMarkdown(columns, found.rows)}${more}`;
        return { text, data: { columns, rows, row_count: rows.length, truncated } };
      }),
  );

  server.registerTool(
    "list_tables",
    {
      title: "List the database's tables",
      description: "List the tables and views of the SQL database, with the names of their columns.",
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ tables: z.array(tableSchema) }),
      annotations,
    },
    (_args, context): Promise<CallToolResult> =>
      answer(async () => {
        const tables = await database.tables(context.mcpReq.signal);
        const lines = tables.map(
          ({ name, kind, columns }) => `- **${name}** (${kind}): ${columns.join(", ")}`,
        );
        return { text: lines.join("\n") || "The database has no table that may be read.", data: { tables } };
      }),
  );

  server.registerTool(
    "describe_table",
    {
      title: "Describe a database table",
      description:
        "Describe one table or view of the SQL database: its columns with type, default and keys, and which table " +
        "each foreign key names.",
      inputSchema: z.strictObject({
        table: z.string().trim().min(1).max(200).describe('Name of the table, such as "orders"'),
      }),
      outputSchema: z.object({ table: z.string(), columns: z.array(columnSchema) }),
      annotations,
    },
    (args, context): Promise<CallToolResult> =>
      answer(async () => {
        const { signal } = context.mcpReq;
        const names = (await database.tables(signal)).map(({ name }) => name);
        const name = pickName("table", args.table, names);
        const columns = await database.columns(name, signal);
        const cells = columns.map((one) => [
          one.name,
          one.type,
          [
            one.primary_key ? "primary key" : "",
            one.references === null ? "" : `refers to ${one.references}`,
            one.nullable ? "may be null" : "",
            one.default === null ? "" : `default ${one.default}`,
          ]
            .filter((note) => note !== "")
            .join(", "),
        ]);
        const text = `**${name}**\n\n${asMarkdown(["column", "type", "notes"], cells)}`;
        return { text, data: { table: name, columns } };
      }),
  );
  return server;
}

/** Two columns of a join may have one name, of which an object would keep the last. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
    taken.add(free);
    return free;
  });
}

/**
 * Opens the database that `SQL_URL` names: `postgres://…`, or a SQLite file as `sqlite:PATH`; without it, the demo's.
 * `SQL_TIMEOUT_MS` is how long a query may take (default 10 000). Rejects with a ToolFailure that says what is wrong.
 */
export async function openDatabase(env: NodeJS.ProcessEnv): Promise<Database> {
  const url = env.SQL_URL?.trim() ?? "";
  const options = { timeoutMs: timeoutOf(env.SQL_TIMEOUT_MS?.trim() || "10000") };
  if (url === "") return openSqlite(demoDatabase(env), options);
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import("./postgres.ts")).openPostgres(url, options);
  const file = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (file !== undefined) return openSqlite(resolve(file), options);
  // The rest of an address may hold a password.
  const found = /^[a-z+]+:/i.exec(url)?.[0] ?? "something else";
  throw new ToolFailure("bad_url", `SQL_URL: expected postgres://… or sqlite:PATH, got ${found}`);
}

function timeoutOf(text: string): number {
  const ms = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (ms >= 100 && ms <= 600_000) return ms;
  throw new ToolFailure("bad_timeout", `SQL_TIMEOUT_MS: expected 100 to 600000 milliseconds, got "${text}"`);
}

/** A table in Markdown; a line for each row. */
function asMarkdown(columns: readonly string[], rows: readonly (readonly Value[])[]): string {
  if (rows.length === 0) return "No rows.";
  const line = (cells: readonly Value[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

function cell(value: Value): string {
  return String(value ?? "")
    .replaceAll(/[\\|]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, " ");
}

/** The path of the demo shop's database, which is made in the data folder where it is not there yet. */
function demoDatabase(env: NodeJS.ProcessEnv): string {
  const sql = readFileSync(join(import.meta.dirname, "demo.sql"), "utf8");
  const folder = dataFolder(env);
  // Another demo is another file: this one may be open elsewhere.
  const path = join(folder, `shop-${createHash("sha256").update(sql).digest("hex").slice(0, 8)}.sqlite`);
  if (existsSync(path)) return path;
  const making = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(making, { force: true });
    const db = new DatabaseSync(making);
    db.exec(`BEGIN; ${sql} COMMIT`);
    db.close();
    renameSync(making, path);
    return path;
  } catch (error) {
    throw new ToolFailure(
      "store_not_writable",
      `the demo database could not be made at ${path}: ${messageOf(error)}. Make the folder writable, set ` +
        "COUNTERSIGN_DATA to another, or SQL_URL to a database of yours",
      { cause: error },
    );
  }
}
