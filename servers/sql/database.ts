import { z } from "zod";

import type { Rows } from "./rows.ts";

/** A table or a view. Where a name is the same in several schemas it is `SCHEMA.NAME`. */
export const tableSchema = z.object({
  name: z.string(),
  kind: z.enum(["table", "view"]),
  columns: z.array(z.string()),
});
export type Table = z.infer<typeof tableSchema>;

export const columnSchema = z.object({
  name: z.string(),
  /** As the database writes it; empty where it knows none. */
  type: z.string(),
  nullable: z.boolean(),
  default: z.string().nullable(),
  primary_key: z.boolean(),
  references: z.string().nullable().describe("TABLE.COLUMN that a foreign key names"),
});
export type Column = z.infer<typeof columnSchema>;

/**
 * A database that is only read, by its own means. Every method rejects with a ToolFailure: `read_only` for what would
 * change something, `one_statement`, `timeout`, `too_large`, `cancelled`, `unreachable`, and `sql_error` with the
 * database's own words.
 */
export interface Database {
  /** "SQLite" or "Postgres", whose dialect queries are written in. */
  readonly dialect: string;
  /** Runs one query and gives at most `most` rows of it. */
  query(sql: string, most: number, signal: AbortSignal): Promise<Rows>;
  /** By name. */
  tables(signal: AbortSignal): Promise<Table[]>;
  /** In their order; `table` is a name that `tables` gave. */
  columns(table: string, signal: AbortSignal): Promise<Column[]>;
}

export interface DatabaseOptions {
  /** How long one query may take, in milliseconds. */
  timeoutMs: number;
}
