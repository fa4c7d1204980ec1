import { z } from "zod";

import type { CardElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { createBudget, toTable } from "../generic/table.ts";
import { resultView, type ViewResult } from "../parts.ts";
import { unpackJson } from "../text.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const answerSchema = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), value)),
  truncated: z.boolean().default(false),
});

/** SqlQueryView: what a query found as a table, in the query's own order of columns, and the query below it. */
export function sqlQueryView({ data, args, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const { columns, rows, truncated } = answerSchema.parse(unpackJson(data));
  const found = truncated ? say.views.firstRows(rows.length) : say.amounts.row(rows.length);
  const sql = isObject(args) && typeof args["sql"] === "string" ? args["sql"] : "";
  return resultView(
    found,
    [
      { type: "header", text: found },
      ...(rows.length === 0 ? [] : toTable(rows, createBudget(say), columns)),
      ...(truncated ? [{ type: "text" as const, text: say.views.moreRows }] : []),
      ...(sql === "" ? [] : [{ type: "code" as const, text: sql, language: "sql", folded: true }]),
    ],
    rows.length,
  );
}

const listSchema = z.object({
  tables: z.array(z.object({ name: z.string(), kind: z.string(), columns: z.array(z.string()) })),
});

const tableSchema = z.object({
  table: z.string().min(1),
  columns: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      primary_key: z.boolean(),
      references: z.string().nullable(),
      nullable: z.boolean(),
      default: z.string().nullable(),
    }),
  ),
});

/** SqlTablesView: the tables of a database, each with the names of its columns. */
export function sqlTablesView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const { tables } = listSchema.parse(unpackJson(data));
  const rows = tables.map(({ name, kind, columns }) => ({ name, kind, columns: columns.join(", ") }));
  return listed(say.amounts.table(rows.length), rows, language);
}

/** SqlTableView: one table by its columns; what none of them has is left out. */
export function sqlTableView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const { table, columns } = tableSchema.parse(unpackJson(data));
  const rows = columns.map((column) =>
    Object.fromEntries(
      Object.entries(column).filter(([key]) => columns.some((one) => one[key as keyof typeof one])),
    ),
  );
  return listed(`${table}: ${say.amounts.column(columns.length)}`, rows, language);
}

function listed(title: string, rows: JsonObject[], language: string | undefined): ViewResult {
  const budget = createBudget(wordsOf(language));
  const elements: CardElement[] = rows.length === 0 ? [] : toTable(rows, budget, Object.keys(rows[0] ?? {}));
  return resultView(title, [{ type: "header", text: title }, ...elements], rows.length);
}
