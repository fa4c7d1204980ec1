import { type Child, jsx as el } from "hono/jsx";

import type { ChartElement } from "#contract/card.ts";
import { isObject } from "#src/base/json.ts";

import { chartLines } from "../../document/chart-lines.ts";
import { type Fields, fieldsIn, type SlackDrawContext, textOf, wordsOf } from "../context.ts";
import {
  addressOf,
  box,
  type Choice,
  drawPlainly,
  drawSelect,
  drawTextInput,
  type Props,
  span,
} from "../frame.ts";
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
    case "data_table":
      return drawDataTable(block, context);
    case "data_visualization":
      return drawChart(block);
    case "container":
      return drawContainer(block, context);
    case "plan":
      return box(
        "sl-plan",
        box("sl-plan-title", textOf(block.title)),
        ...fieldsIn(block.tasks).map(drawTask),
      );
    case "context_actions":
      return box("sl-context-actions", ...controls(block, block.elements, context));
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
  const fields = fieldsIn(block.fields).map((field) => box("sl-text", drawText(field, context)));
  const content = fields.length === 0 ? text : [text, box("sl-fields", ...fields)];
  if (!isObject(block.accessory)) return content;
  const side = controls(block, [block.accessory], context);
  return box("sl-accessory", box("sl-accessory-text", content), box("sl-accessory-side", ...side));
}

/** In characters: Slack's own drawing is Slack's. */
function drawChart({ title, chart }: Fields): Child {
  const { type, segments, series } = isObject(chart) ? chart : {};
  const points = (value: unknown): { label: string; value: number }[] =>
    fieldsIn(value).map((point) => ({ label: textOf(point.label), value: Number(point.value) }));
  const all =
    type === "pie"
      ? [{ name: "", values: points(segments).map(({ value }) => value) }]
      : fieldsIn(series).map(({ name, data }) => ({
          name: textOf(name),
          values: points(data).map(({ value }) => value),
        }));
  const [first] = fieldsIn(series);
  const categories = points(type === "pie" ? segments : first?.data).map(({ label }) => label);
  const kind = type === "pie" || type === "line" ? type : "bar";
  const said = textOf(title);
  const element: ChartElement = { type: "chart", kind, title: said, categories, series: all, alt: said };
  return box(
    "sl-chart",
    box("sl-text", el("strong", null, said)),
    el("pre", { class: "sl-pre" }, chartLines(element, 48, (text) => text).join("\n")),
  );
}

/** Blocks in a frame of their own; one that folds is drawn open or closed as it comes. */
function drawContainer(block: Fields, context: SlackDrawContext): Child {
  const title = isObject(block.rich_text_title)
    ? drawRichText(block.rich_text_title, context)
    : drawText(block.title, context);
  const subtitle = isObject(block.subtitle)
    ? box("sl-container-subtitle", drawText(block.subtitle, context))
    : null;
  const head = [box("sl-container-title", title), subtitle];
  const body = box("sl-container-body", ...drawBlocks(fieldsIn(block.child_blocks), context));
  if (block.is_collapsible !== true) {
    const ruled = block.has_header_divider === true ? " sl-ruled" : "";
    return box("sl-container", box(`sl-container-head${ruled}`, ...head), body);
  }
  const open = block.default_collapsed !== true;
  return el("details", { class: "sl-container", open }, el("summary", null, ...head), body);
}

const TASK_SIGNS: Readonly<Record<string, string>> = {
  pending: "○",
  in_progress: "◔",
  complete: "✓",
  error: "✕",
};

function drawTask(task: Fields): Child {
  const state = Object.hasOwn(TASK_SIGNS, textOf(task.status)) ? textOf(task.status) : "pending";
  return box(
    `sl-task sl-task-${state.replace("_", "-")}`,
    span("sl-task-sign", TASK_SIGNS[state] ?? ""),
    box("sl-task-text", textOf(task.title)),
  );
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
  const [header, ...rows] = rowsOf(block);
  return drawRows(block, header, rows, context);
}

/** A table that Slack pages: its first page, and the others behind it. */
function drawDataTable(block: Fields, context: SlackDrawContext): Child {
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

/** A control that the product sends: a button, or an input with what is chosen in it. Undefined for others. */
function drawControl(block: Fields, element: Fields, context: SlackDrawContext): Child | undefined {
  const wired = context.attributes(block, element);
  const state = stateOf(block, element, context);
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: "sl-field" };
  switch (element.type) {
    case "button":
      return drawButton(element, props);
    case "feedback_buttons":
      return drawFeedback(element, props);
    case "static_select": {
      const { selected_option: option } = state;
      const chosen = isObject(option) ? textOf(option.value) : "";
      return drawSelect(field, options(element), chosen, wordsOf(element.placeholder) || "Choose an option");
    }
    case "users_select":
      return drawSelect(field, context.people, textOf(state.selected_user), "Choose a person");
    case "plain_text_input": {
      const placeholder = wordsOf(element.placeholder);
      return drawTextInput(field, textOf(state.value), placeholder, element.multiline === true);
    }
    case "number_input":
      return el("input", { ...field, inputmode: "decimal", type: "text", value: textOf(state.value) });
    case "datepicker":
      return el("input", { ...field, type: "date", value: textOf(state.selected_date) });
    case "overflow": {
      const items = fieldsIn(element.options).map((option) => {
        const item = context.attributes(block, { ...element, selected_option: option });
        const about = { type: "button", ...item, disabled: item === undefined, class: "sl-button" };
        return el("button", about, wordsOf(option.text));
      });
      const dots = el("summary", { class: "sl-button", "aria-label": "More" }, "⋯");
      return el("details", { class: "sl-overflow" }, dots, ...items);
    }
    default:
      return undefined;
  }
}

function drawButton(element: Fields, props: Props): Child {
  const style = element.style === "primary" || element.style === "danger" ? ` sl-${element.style}` : "";
  const label = wordsOf(element.text);
  const href = addressOf(element.url);
  if (href === undefined) {
    return el("button", { type: "button", ...props, class: `sl-button${style}` }, label);
  }
  const opened = { href, title: href, target: "_blank", rel: "noreferrer noopener" };
  return el("a", { ...opened, class: `sl-button sl-opens${style}` }, label);
}

/** A pair of thumbs; each sends the value that it stands for. */
function drawFeedback(element: Fields, props: Props): Child {
  const thumbs = [
    [element.positive_button, "👍"],
    [element.negative_button, "👎"],
  ] as const;
  return thumbs.map(([button, sign]) =>
    isObject(button)
      ? el(
          "button",
          {
            type: "button",
            ...props,
            class: "sl-icon-button",
            title: wordsOf(button.text),
            value: textOf(button.value),
          },
          sign,
        )
      : null,
  );
}

/** What is chosen or written now; where the page keeps no state, what the element came with. */
function stateOf(block: Fields, element: Fields, { values }: SlackDrawContext): Fields {
  const inBlock = values[textOf(block.block_id)];
  const state = isObject(inBlock) ? inBlock[textOf(element.action_id)] : undefined;
  if (isObject(state)) return state;
  return {
    value: element.initial_value,
    selected_option: element.initial_option,
    selected_user: element.initial_user,
    selected_date: element.initial_date,
  };
}

/** What there is to choose from, also where it is in groups. */
function options(element: Fields): Choice[] {
  const grouped = fieldsIn(element.option_groups).flatMap((group) => fieldsIn(group.options));
  return [...fieldsIn(element.options), ...grouped].map(({ value, text }) => [textOf(value), wordsOf(text)]);
}
