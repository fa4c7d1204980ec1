import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type Fields, fieldsIn, type SlackDrawContext, textOf } from "../context.ts";
import { box } from "../frame.ts";
import { drawRichText } from "./text.ts";

/** In characters: what is longer than a few words wants more room than a column of states. */
const LONG_CELL = 25;

/** A table, whose first row is the header. */
export function drawTable(block: Fields, context: SlackDrawContext): Child {
  const [header, ...rows] = rowsOf(block);
  return drawRows(block, header, rows, context);
}

/** A table that Slack pages: its first page, and the others behind it. */
export function drawDataTable(block: Fields, context: SlackDrawContext): Child {
  const [header, ...rows] = rowsOf(block);
  const size = typeof block.page_size === "number" && block.page_size > 0 ? block.page_size : 5;
  const rest = rows.slice(size);
  return box(
    "sl-data",
    box("sl-caption", textOf(block.caption)),
    drawRows(block, header, rows.slice(0, size), context),
    rest.length === 0
      ? null
      : el(
          "details",
          { class: "sl-pager" },
          el("summary", null, `1–${size} of ${rows.length}  ‹ ›`),
          drawRows(block, header, rest, context),
        ),
  );
}

function rowsOf(block: Fields): Fields[][] {
  return Array.isArray(block.rows) ? block.rows.map(fieldsIn) : [];
}

function drawRows(
  block: Fields,
  header: readonly Fields[] | undefined,
  rows: readonly Fields[][],
  context: SlackDrawContext,
): Child {
  const settings = Array.isArray(block.column_settings) ? block.column_settings : [];
  const cell = (tag: "th" | "td", content: Fields, column: number): Child => {
    const setting: unknown = settings[column];
    const { align, is_wrapped: wraps } = isObject(setting) ? setting : {};
    const isLong = rows.some((cells) => lengthOf(cells[column]) > LONG_CELL);
    const names = [
      isLong ? "sl-long" : "",
      align === "right" ? "sl-right" : align === "center" ? "sl-center" : "",
      wraps === true ? "" : "sl-unwrapped",
    ].filter((name) => name !== "");
    return el(tag, { class: names.join(" ") || undefined }, drawCell(content, context));
  };
  const row = (tag: "th" | "td", cells: readonly Fields[]): Child =>
    el("tr", null, ...cells.map((content, column) => cell(tag, content, column)));
  const table = el(
    "table",
    { class: "sl-table" },
    el("thead", null, header === undefined ? null : row("th", header)),
    el("tbody", null, ...rows.map((cells) => row("td", cells))),
  );
  return el("div", { class: "sl-wide", tabindex: "0", role: "region", "aria-label": "Table" }, table);
}

function drawCell(cell: Fields, context: SlackDrawContext): Child {
  if (cell.type === "rich_text") return drawRichText(cell, context);
  return textOf(cell.text) || textOf(cell.value);
}

/** Of what can be read in a cell. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + lengthOf(part), 0);
  return isObject(value) ? textOf(value.text).length + lengthOf(value.elements) : 0;
}
