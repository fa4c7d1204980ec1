import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type Fields, fieldsIn, type SlackDrawContext, textOf, wordsOf } from "../context.ts";
import { addressOf, box, drawPlainly, span } from "../frame.ts";
import { drawControl } from "./controls.ts";
import { drawMarkdown, drawMrkdwn, drawRichText } from "./text.ts";

/** Blocks of Block Kit as Slack shows them. Every text is escaped where the nodes become HTML. */
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
    case "context":
      return box("sl-context", ...fieldsIn(block.elements).map((one) => small(one, context)));
    case "divider":
      return el("hr", { class: "sl-divider" });
    case "actions":
    case "context_actions":
      return box("sl-actions", ...controls(block, block.elements, context));
    case "input":
      return drawInput(block, context);
    case "table":
    case "data_table":
      return drawTable(block, context);
    case "image":
      return picture(block);
    case "markdown":
      return drawMarkdown(textOf(block.text));
    case "alert":
      return box("sl-boxed sl-text", drawText(block.text, context));
    case "container":
      return drawContainer(block, context);
    case "carousel":
      return box("sl-carousel", ...drawBlocks(fieldsIn(block.elements), context));
    case "card":
      return drawCard(block, context);
    case "plan":
      return box(
        "sl-boxed",
        el("strong", null, textOf(block.title)),
        ...drawBlocks(fieldsIn(block.tasks), context),
      );
    case "task_card":
      return drawTask(block, context);
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
  const { accessory } = block;
  const cells = fieldsIn(block.fields).map((field) => box("sl-text", drawText(field, context)));
  const content = [
    isObject(block.text) ? box("sl-text", drawText(block.text, context)) : null,
    cells.length === 0 ? null : box("sl-fields", ...cells),
  ];
  if (!isObject(accessory)) return content;
  const side = accessory.type === "image" ? [picture(accessory)] : controls(block, [accessory], context);
  return box("sl-accessory", box("sl-accessory-text", ...content), box("sl-accessory-side", ...side));
}

function drawInput(block: Fields, context: SlackDrawContext): Child {
  const hint = wordsOf(block.hint);
  const element = isObject(block.element) ? [block.element] : [];
  return box(
    "sl-input",
    el(
      "label",
      null,
      span("sl-label", wordsOf(block.label)),
      block.optional === true ? span("sl-muted", " (optional)") : null,
      ...controls(block, element, context),
    ),
    hint === "" ? null : box("sl-muted sl-hint", hint),
  );
}

function drawContainer(block: Fields, context: SlackDrawContext): Child {
  const subtitle = wordsOf(block.subtitle);
  const title = isObject(block.rich_text_title)
    ? drawRichText(block.rich_text_title, context)
    : wordsOf(block.title) || "Details";
  return el(
    "details",
    { class: "sl-boxed", open: block.default_collapsed !== true },
    el("summary", null, title, subtitle === "" ? null : span("sl-muted", ` ${subtitle}`)),
    ...drawBlocks(fieldsIn(block.child_blocks), context),
  );
}

function drawCard(block: Fields, context: SlackDrawContext): Child {
  const [title, ...lines] = [block.title, block.subtitle, block.body].filter((one) => isObject(one));
  return box(
    "sl-boxed",
    title === undefined ? null : box("sl-text sl-label", drawText(title, context)),
    ...lines.map((line) => box("sl-text", drawText(line, context))),
    box("sl-actions", ...controls(block, block.actions, context)),
  );
}

const TASK_SIGNS: Readonly<Record<string, string>> = { complete: "✅", error: "❌", in_progress: "⏳" };

function drawTask(block: Fields, context: SlackDrawContext): Child {
  const sign = TASK_SIGNS[textOf(block.status)] ?? "○";
  return box(
    "sl-text",
    `${sign} ${textOf(block.title)}`,
    ...[block.details, block.output]
      .filter((one) => isObject(one))
      .map((text) => drawRichText(text, context)),
  );
}

function small(element: Fields, context: SlackDrawContext): Child {
  if (element.type === "image") return span("sl-muted", `[${textOf(element.alt_text)}]`);
  return span("sl-small", drawText(element, context));
}

/** Pictures lie elsewhere, and nothing is fetched from elsewhere: their description stands for them. */
function picture(element: Fields): Child {
  const label = textOf(element.alt_text) || wordsOf(element.title) || "Picture";
  const href = addressOf(element.image_url);
  return box(
    "sl-picture",
    href === undefined ? label : el("a", { class: "sl-link", href, rel: "noreferrer noopener" }, label),
  );
}

function controls(block: Fields, elements: unknown, context: SlackDrawContext): Child[] {
  return fieldsIn(elements).map(
    (element) => drawControl(block, element, context) ?? drawPlainly("sl", element),
  );
}

/** Characters. What is longer than a few words wants more room than a column of states. */
const LONG_CELL = 25;

/** A `table` or `data_table`: its first row is the header. */
function drawTable(block: Fields, context: SlackDrawContext): Child {
  const [header, ...rows] = Array.isArray(block.rows) ? block.rows.map(fieldsIn) : [];
  const settings = Array.isArray(block.column_settings) ? block.column_settings : [];
  const cell = (tag: "th" | "td", content: Fields, column: number): Child => {
    const setting: unknown = settings[column];
    const { align, is_wrapped: wraps } = isObject(setting) ? setting : {};
    const isLong = rows.some((cells) => lengthOf(cells[column]) > LONG_CELL);
    const classes = [
      isLong ? "sl-long" : "",
      align === "right" ? "sl-right" : align === "center" ? "sl-center" : "",
      wraps === true ? "" : "sl-unwrapped",
    ].filter((name) => name !== "");
    return el(
      tag,
      { class: classes.length === 0 ? undefined : classes.join(" ") },
      drawCell(content, context),
    );
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

function drawCell(cell: Fields, context: SlackDrawContext): Child {
  if (cell.type === "rich_text") return drawRichText(cell, context);
  return textOf(cell.text) || textOf(cell.value);
}

/** Of what can be read in a cell. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + lengthOf(part), 0);
  return isObject(value) ? textOf(value.text).length + lengthOf(value.elements) : 0;
}
