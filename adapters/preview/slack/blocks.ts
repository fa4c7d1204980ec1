import { type Child, jsx as el } from "hono/jsx";

import type { SlackDrawContext } from "../context.ts";
import { addressOf, type Fields, fieldsIn, isFields, textOf, wordsOf } from "../payload.ts";
import { drawControl } from "./controls.ts";
import { drawMarkdown, drawMrkdwn, drawRichText } from "./text.ts";

/** Blocks of Block Kit as Slack shows them. Every text is escaped where the nodes become HTML. */
export function drawBlocks(blocks: readonly Fields[], look: SlackDrawContext): Child[] {
  return blocks.map((block) =>
    el(
      "div",
      { class: `sl-block sl-block-${textOf(block.type).replaceAll("_", "-")}` },
      drawBlock(block, look),
    ),
  );
}

function drawBlock(block: Fields, look: SlackDrawContext): Child {
  switch (block.type) {
    case "header":
      return el("div", { class: "sl-header" }, drawText(block.text, look));
    case "section":
      return drawSection(block, look);
    case "rich_text":
      return drawRichText(block, look);
    case "context":
      return el("div", { class: "sl-context" }, ...fieldsIn(block.elements).map((one) => small(one, look)));
    case "divider":
      return el("hr", { class: "sl-divider" });
    case "actions":
    case "context_actions":
      return el("div", { class: "sl-actions" }, ...controls(block, block.elements, look));
    case "input":
      return drawInput(block, look);
    case "table":
    case "data_table":
      return drawTable(block, look);
    case "image":
      return picture(block);
    case "markdown":
      return drawMarkdown(textOf(block.text));
    case "alert":
      return el("div", { class: "sl-boxed sl-text" }, drawText(block.text, look));
    case "container":
      return drawContainer(block, look);
    case "carousel":
      return el("div", { class: "sl-carousel" }, ...drawBlocks(fieldsIn(block.elements), look));
    case "card":
      return drawCard(block, look);
    case "plan":
      return el(
        "div",
        { class: "sl-boxed" },
        el("strong", null, textOf(block.title)),
        ...drawBlocks(fieldsIn(block.tasks), look),
      );
    case "task_card":
      return drawTask(block, look);
    default:
      return plainly(block);
  }
}

/** A text object, in the markup that it says it has. */
function drawText(value: unknown, look: SlackDrawContext): Child {
  if (!isFields(value)) return null;
  return value.type === "mrkdwn" ? drawMrkdwn(textOf(value.text), look) : textOf(value.text);
}

function drawSection(block: Fields, look: SlackDrawContext): Child {
  const { accessory } = block;
  const cells = fieldsIn(block.fields).map((field) => el("div", { class: "sl-text" }, drawText(field, look)));
  const content = [
    isFields(block.text) ? el("div", { class: "sl-text" }, drawText(block.text, look)) : null,
    cells.length === 0 ? null : el("div", { class: "sl-fields" }, ...cells),
  ];
  if (!isFields(accessory)) return content;
  const side = accessory.type === "image" ? [picture(accessory)] : controls(block, [accessory], look);
  return el(
    "div",
    { class: "sl-accessory" },
    el("div", { class: "sl-accessory-text" }, ...content),
    el("div", { class: "sl-accessory-side" }, ...side),
  );
}

function drawInput(block: Fields, look: SlackDrawContext): Child {
  const hint = wordsOf(block.hint);
  const element = isFields(block.element) ? [block.element] : [];
  return el(
    "div",
    { class: "sl-input" },
    el(
      "label",
      null,
      el("span", { class: "sl-label" }, wordsOf(block.label)),
      block.optional === true ? el("span", { class: "sl-muted" }, " (optional)") : null,
      ...controls(block, element, look),
    ),
    hint === "" ? null : el("div", { class: "sl-muted sl-hint" }, hint),
  );
}

function drawContainer(block: Fields, look: SlackDrawContext): Child {
  const subtitle = wordsOf(block.subtitle);
  const title = isFields(block.rich_text_title)
    ? drawRichText(block.rich_text_title, look)
    : wordsOf(block.title) || "Details";
  return el(
    "details",
    { class: "sl-boxed", open: block.default_collapsed !== true },
    el("summary", null, title, subtitle === "" ? null : el("span", { class: "sl-muted" }, ` ${subtitle}`)),
    ...drawBlocks(fieldsIn(block.child_blocks), look),
  );
}

function drawCard(block: Fields, look: SlackDrawContext): Child {
  const [title, ...lines] = [block.title, block.subtitle, block.body].filter(isFields);
  return el(
    "div",
    { class: "sl-boxed" },
    title === undefined ? null : el("div", { class: "sl-text sl-label" }, drawText(title, look)),
    ...lines.map((line) => el("div", { class: "sl-text" }, drawText(line, look))),
    el("div", { class: "sl-actions" }, ...controls(block, block.actions, look)),
  );
}

const TASK_SIGNS: Readonly<Record<string, string>> = { complete: "✅", error: "❌", in_progress: "⏳" };

function drawTask(block: Fields, look: SlackDrawContext): Child {
  const sign = TASK_SIGNS[textOf(block.status)] ?? "○";
  return el(
    "div",
    { class: "sl-text" },
    `${sign} ${textOf(block.title)}`,
    ...[block.details, block.output].filter(isFields).map((text) => drawRichText(text, look)),
  );
}

function small(element: Fields, look: SlackDrawContext): Child {
  if (element.type === "image") return el("span", { class: "sl-muted" }, `[${textOf(element.alt_text)}]`);
  return el("span", { class: "sl-small" }, drawText(element, look));
}

/** Pictures lie elsewhere, and nothing is fetched from elsewhere: their description stands for them. */
function picture(element: Fields): Child {
  const label = textOf(element.alt_text) || wordsOf(element.title) || "Picture";
  const href = addressOf(element.image_url);
  return el(
    "div",
    { class: "sl-picture" },
    href === undefined ? label : el("a", { class: "sl-link", href, rel: "noreferrer noopener" }, label),
  );
}

function controls(block: Fields, elements: unknown, look: SlackDrawContext): Child[] {
  return fieldsIn(elements).map((element) => drawControl(block, element, look) ?? plainly(element));
}

/** What has no drawing is shown as it came. */
function plainly(value: Fields): Child {
  return el("pre", { class: "sl-pre" }, JSON.stringify(value, null, 2));
}

/** Characters. What is longer than a few words wants more room than a column of states. */
const LONG_CELL = 25;

/** A `table` or `data_table`: its first row is the header. */
function drawTable(block: Fields, look: SlackDrawContext): Child {
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

function drawCell(cell: Fields, look: SlackDrawContext): Child {
  if (cell.type === "rich_text") return drawRichText(cell, look);
  return textOf(cell.text) || textOf(cell.value);
}

/** Of what can be read in a cell. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + lengthOf(part), 0);
  return isFields(value) ? textOf(value.text).length + lengthOf(value.elements) : 0;
}
