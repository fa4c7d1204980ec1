import type { Hono } from "hono";

import type { Cell, TableElement } from "#contract/card.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { ApiError, badField, notFound } from "../errors.ts";
import { type HttpEnv, offerOf } from "../identity.ts";
import { tableOf } from "../page/results.ts";
import { findTurn } from "./turn-routes.ts";

/** What a call brought, as a file for spreadsheets. */
export function addResultRoutes(app: Hono<HttpEnv>): void {
  /** `n` counts from 0, as in `tool_results`; `format=tsv` is for the clipboard. */
  app.get("/agent/turns/:id/results/:n/table", async (c) => {
    const turn = await findTurn(offerOf(c).core, c.req.param("id"));
    const call = turn.result?.toolResults[Number(c.req.param("n"))];
    if (call === undefined) throw notFound("result", c.req.param("n"));
    if (!call.ok)
      throw new ApiError(409, "no_table", "This call failed, so there is no table of what it brought.");
    const format = c.req.query("format") ?? "csv";
    if (format !== "csv" && format !== "tsv")
      throw badField("format", `expected csv or tsv, got ${JSON.stringify(format.slice(0, 40))}`);
    const table = tableOf(call.data, Infinity);
    if (format === "tsv") return c.text(toTsv(table), 200, { "cache-control": "no-store" });
    return c.body(toCsv(table), 200, {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${fileName(call)}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  });
}

/** RFC 4180, with the mark at its beginning by which Excel knows UTF-8. */
export function toCsv(table: TableElement): string {
  const lines = linesOf(table).map((cells) => cells.map(quoted).join(","));
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

/** Tabs and line ends in a cell would end it, so they become spaces. */
function toTsv(table: TableElement): string {
  const lines = linesOf(table).map((cells) =>
    cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, " ")).join("\t"),
  );
  return `${lines.join("\n")}\n`;
}

function linesOf({ columns, rows }: TableElement): string[][] {
  return [columns.map(({ label }) => harmless(label)), ...rows.map((row) => row.map(textOf))];
}

function textOf(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  return harmless(typeof cell === "string" ? cell : cell.text);
}

/**
 * Spreadsheets take what begins with one of these for a formula, which can send what else stands in the sheet
 * elsewhere; an apostrophe before it makes it text (OWASP, CSV Injection). Also after blanks, which some leave out.
 */
function harmless(text: string): string {
  return /^[\s\u00A0\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fileName({ toolId }: ToolCallResult): string {
  return `${toolId.replaceAll(/[^\w.-]+/g, "-").slice(0, 80)}.csv`;
}
