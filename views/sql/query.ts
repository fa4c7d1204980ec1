import { z } from "zod";

import type { ViewInput } from "#contract/core.ts";
import { isObject } from "#src/base/json.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { createBudget, toTable } from "../generic/table.ts";
import { resultView, type ViewResult } from "../parts.ts";
import { unpackJson } from "../text.ts";

const answerSchema = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
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
