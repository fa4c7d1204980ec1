import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type Fields, fieldsIn, type SlackDrawContext, textOf, wordsOf } from "../context.ts";
import { box, drawPlainly, span } from "../frame.ts";
import { drawControl } from "./controls.ts";
import { drawMrkdwn, drawRichText } from "./text.ts";

/** Blocks of Block Kit as Slack shows them: those that the product sends, and every other one as its JSON. */
export function drawBlocks(blocks: readonly Fields[], context: SlackDrawContext): Child[] {
  return blocks.map((block) => {
    const kind = textOf(block.type).replaceAll("_", "-");
    return box(`sl-block sl-block-${kind}`, drawBlock(block, context));
  });
}

function drawBlock(block: Fields, context: SlackDrawContext): Child {
  switch (block.type) {
    case "header":
      return box("sl-header", drawText(block.text, context));
    case "section":
      return drawSection(block, context);
    case "rich_text":
      return drawRichText(block, context);
    case "context": {
      const texts = fieldsIn(block.elements).map((text) => span("sl-small", drawText(text, context)));
      return box("sl-context", ...texts);
    }
    case "divider":
      return el("hr", { class: "sl-divider" });
    case "actions":
      return box("sl-actions", ...controls(block, block.elements, context));
    case "input":
      return drawInput(block, context);
    case "table":
      return drawTable(block, context);
    default:
      return drawPlainly("sl", block);
  }
}

/** A text object, in the markup that it says it has. */
function drawText(value: unknown, context: SlackDrawContext): Child {
  if (!isObject(value)) return null;
  return value.type === "mrkdwn" ? drawMrkdwn(textOf(value.text), context) : textOf(value.text);
}

function drawSection(block: Fields, context: SlackDrawContext): Child {
  const text = isObject(block.text) ? box("sl-text", drawText(block.text, context)) : null;
  if (!isObject(block.accessory)) return text;
  const side = controls(block, [block.accessory], context);
  return box("sl-accessory", box("sl-accessory-text", text), box("sl-accessory-side", ...side));
}

function drawInput(block: Fields, context: SlackDrawContext): Child {
  const hint = wordsOf(block.hint);
  const label = el(
    "label",
    null,
    span("sl-label", wordsOf(block.label)),
    block.optional === true ? span("sl-muted", " (optional)") : null,
    ...controls(block, [block.element], context),
  );
  return box("sl-input", label, hint === "" ? null : box("sl-muted sl-hint", hint));
}

function controls(block: Fields, elements: unknown, context: SlackDrawContext): Child[] {
  return fieldsIn(elements).map(
    (element) => drawControl(block, element, context) ?? drawPlainly("sl", element),
  );
}

/** In characters: what is longer than a few words wants more room than a column of states. */
const LONG_CELL = 25;

/** A table, whose first row is the header. */
function drawTable(block: Fields, context: SlackDrawContext): Child {
  const [header, ...rows] = Array.isArray(block.rows) ? block.rows.map(fieldsIn) : [];
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
