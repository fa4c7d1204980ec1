import { type Child, jsx as el } from "hono/jsx";

import type { Look } from "./look.ts";
import { drawRichText } from "./rich-text.ts";
import { type Fields, fieldsIn, isFields, textOf } from "../../chat/draw/wire.ts";

/** Characters. What is longer than a few words wants more room than a column of states. */
const LONG_CELL = 25;

/** A `table` or `data_table`: its first row is the header. */
export function drawTable(block: Fields, look: Look): Child {
  const [header, ...rows] = Array.isArray(block.rows) ? block.rows.map(fieldsIn) : [];
  const settings = Array.isArray(block.column_settings) ? block.column_settings : [];
  const cell = (tag: "th" | "td", content: Fields, column: number): Child => {
    const setting: unknown = settings[column];
    const { align, is_wrapped: wraps } = isFields(setting) ? setting : {};
    const isLong = rows.some((cells) => lengthOf(cells[column]) > LONG_CELL);
    const classes = [
      isLong ? "sl-long" : "",
      align === "right" ? "sl-right" : align === "center" ? "sl-center" : "",
      wraps === true ? "" : "sl-unwrapped",
    ].filter((name) => name !== "");
    return el(tag, { class: classes.length === 0 ? undefined : classes.join(" ") }, drawCell(content, look));
  };
  const row = (tag: "th" | "td", cells: readonly Fields[]): Child =>
    el("tr", null, ...cells.map((content, column) => cell(tag, content, column)));
  const caption = textOf(block.caption);
  return el(
    "div",
    { class: "sl-wide", tabindex: "0", role: "region", "aria-label": caption === "" ? "Table" : caption },
    el(
      "table",
      { class: "sl-table" },
      caption === "" ? null : el("caption", null, caption),
      el("thead", null, header === undefined ? null : row("th", header)),
      el("tbody", null, ...rows.map((cells) => row("td", cells))),
    ),
  );
}

function drawCell(cell: Fields, look: Look): Child {
  if (cell.type === "rich_text") return drawRichText(cell, look);
  return textOf(cell.text) || textOf(cell.value);
}

/** Of what can be read in a cell. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + lengthOf(part), 0);
  return isFields(value) ? textOf(value.text).length + lengthOf(value.elements) : 0;
}
