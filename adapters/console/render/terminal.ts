import type {
  ActionsElement,
  Card,
  CardElement,
  ChangesElement,
  ErrorElement,
  FieldsElement,
  HeaderElement,
  ListElement,
  ProgressElement,
  SectionElement,
} from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { Ruler } from "#src/base/text-width.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { createInk, fold, type Ink, moreNote, narrower, type TerminalContext } from "./ink.ts";
import { count, hang, labelled, pad, widest, wrap } from "./layout.ts";
import { drawMarkdown } from "./markdown.ts";
import { cellText, drawTable } from "./table.ts";

export interface TerminalCardOptions {
  /** Columns of the terminal; no line is wider, down to 20. */
  width: number;
  /** Whether colours and hyperlinks may be used. */
  color: boolean;
  /** What a person types to see the whole card, such as `/show 3`. Absent: nothing is shortened. */
  more?: string;
  /** Lines shown of a folded text (8). */
  foldedLines?: number;
  /** Whether actions are written as commands to type (default), or left to a prompt that follows. */
  actions?: boolean;
}

/** A card as lines for a terminal, without a line break at the end. */
export function renderCardTerminal(card: Card, options: TerminalCardOptions): string {
  const ink = createInk(options.color);
  const edge = edgeOf(card);
  const width = Math.max(20, Math.floor(options.width)) - (edge === undefined ? 0 : 2);
  const pen = {
    ink,
    ruler: new Ruler(),
    width,
    more: options.more,
    foldedLines: options.foldedLines ?? 8,
    actions: options.actions ?? true,
  };
  const lines = drawElements(card.elements, pen);
  if (lines.length === 0) lines.push(plainLine(card.title));
  if (edge === undefined) return lines.join("\n");
  const mark = ink.paint(edge, "▌");
  return lines.map((line) => (line === "" ? mark : `${mark} ${line}`)).join("\n");
}

/** Running text is not set wider than this, however wide the terminal is. */
const LINE_LENGTH = 100;

/** The parts of a card with a blank line between them. */
function drawElements(elements: CardElement[], pen: TerminalContext): string[] {
  const parts = elements.map((element) => drawElement(element, pen)).filter((lines) => lines.length > 0);
  return parts.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function drawElement(element: CardElement, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  const textPen = { ...pen, width: Math.min(width, LINE_LENGTH) };
  switch (element.type) {
    case "header":
      return drawHeader(element, pen);
    case "fields":
      return drawFields(element, pen);
    case "text": {
      const lines =
        element.format === "markdown"
          ? drawMarkdown(element.text, textPen)
          : wrap(plainText(element.text), textPen.width, pen.ruler);
      return element.folded === true ? fold(lines, pen) : lines;
    }
    case "table":
      return drawTable(element, pen);
    case "list":
      return drawList(element, textPen);
    case "code": {
      const bar = ink.paint("gray", "│ ");
      const lines = wrap(plainText(element.text), Math.max(1, width - 2), pen.ruler).map(
        (line) => bar + line,
      );
      return element.folded === true ? fold(lines, pen) : lines;
    }
    case "links":
      return element.items.flatMap((item) =>
        wrap(`${ink.paint("gray", "↗")} ${ink.link(plainLine(item.label), item.href)}`, width, pen.ruler),
      );
    case "progress":
      return [drawProgress(element, pen)];
    case "changes":
      return drawChanges(element, textPen);
    case "section":
      return drawSection(element, pen);
    case "actions":
      return pen.actions ? drawActions(element, pen) : [];
    case "footer":
      return wrap(ink.paint("gray", plainLine(element.text)), textPen.width, pen.ruler);
    default:
      return drawError(element, textPen);
  }
}

function drawHeader(element: HeaderElement, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  const title = ink.paint("bold", plainLine(element.text));
  const badges = (element.badges ?? []).map((badge) => ink.badge(badge)).join("  ");
  const eyebrow = element.eyebrow === undefined ? "" : ink.paint("gray", plainLine(element.eyebrow));
  const above = [eyebrow, badges].filter((part) => part !== "").join("  ");
  return [
    ...(above === "" ? [] : wrap(above, width, pen.ruler)),
    ...wrap(ink.link(title, element.href), width, pen.ruler),
  ];
}

/** Labels in a column of their own; short pairs stand side by side where there is room. */
function drawFields(element: FieldsElement, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  const items = element.items.map((item) => ({
    label: plainLine(item.label),
    value: cellText(item.value, pen),
  }));
  const labels = Math.min(
    Math.max(0, ...items.map((item) => widest(item.label, pen.ruler))),
    24,
    Math.floor(width / 3),
  );
  const draw = (item: { label: string; value: string }, columns: number): string[] =>
    labelled(ink.paint("gray", item.label), item.value, labels, columns, pen.ruler);
  const half = Math.floor((Math.min(width, LINE_LENGTH) - 4) / 2);
  const paired =
    items.length > 3 &&
    items.every(
      (item) => labels + 2 + widest(item.value, pen.ruler) <= half && widest(item.label, pen.ruler) <= labels,
    );
  if (!paired) return items.flatMap((item) => draw(item, width));
  const rows = Math.ceil(items.length / 2);
  return items.slice(0, rows).map((item, index) => {
    const right = items[rows + index];
    const left = draw(item, half)[0] ?? "";
    return right === undefined
      ? left
      : `${pad(left, half, "left", pen.ruler)}    ${draw(right, half)[0] ?? ""}`;
  });
}

function drawList(element: ListElement, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  const items = element.items.map((item, index) => {
    const mark = element.ordered === true ? `${index + 1}. ` : "• ";
    const badges = (item.badges ?? []).map((badge) => `  ${ink.badge(badge)}`).join("");
    const detail =
      item.detail === undefined
        ? []
        : wrap(plainText(item.detail), Math.max(1, width - mark.length), pen.ruler);
    return [
      ...hang(mark, ink.link(plainText(item.text), item.href) + badges, width, pen.ruler),
      ...detail.map((line) => " ".repeat(mark.length) + ink.paint("gray", line)),
    ];
  });
  // Items of several lines need air between them.
  const airy = items.some((lines) => lines.length > 2);
  return items.flatMap((lines, index) => (airy && index > 0 ? ["", ...lines] : lines));
}

function drawProgress(element: ProgressElement, pen: TerminalContext): string {
  const label = plainLine(element.label);
  const start = label === "" ? "" : `${label}  `;
  if (element.total === undefined) return `${start}${element.value}`;
  return `${start}${bar(element.value, element.total, pen)}`;
}

/** `████░░░░ 4/8`; a share outside 0 to 1 fills or empties the bar, the numbers stay as they are. */
export function bar(value: number, total: number, pen: Pick<TerminalContext, "ink" | "width">): string {
  const columns = Math.max(8, Math.min(24, Math.floor(pen.width / 4)));
  const share = total > 0 ? Math.min(1, Math.max(0, value / total)) : 0;
  const full = Math.round(share * columns);
  const drawn = pen.ink.paint("green", "█".repeat(full)) + pen.ink.paint("gray", "░".repeat(columns - full));
  return `${drawn} ${value}/${total} (${Math.floor(share * 100)} %)`;
}

function drawSection(element: SectionElement, pen: TerminalContext): string[] {
  const title = pen.ink.paint("bold", plainLine(element.title));
  const lines = drawElements(element.elements, narrower(pen, 2)).map((line) =>
    line === "" ? "" : `  ${line}`,
  );
  if (element.folded === true && pen.more !== undefined && lines.length > 4) {
    return [...wrap(`▸ ${title}`, pen.width, pen.ruler), `  ${moreNote(pen, count(lines.length, "line"))}`];
  }
  return [...wrap(title, pen.width, pen.ruler), ...lines];
}

function drawError(element: ErrorElement, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  const detail =
    element.detail === undefined
      ? []
      : wrap(ink.paint("gray", plainText(element.detail)), width - 2, pen.ruler);
  return [
    ...hang(ink.paint("red", "✖ "), ink.paint("red", plainText(element.message)), width, pen.ruler),
    ...detail.map((line) => `  ${line}`),
  ];
}

/** Actions as what to type. Stopping is a key, which the chat names itself. */
function drawActions(element: ActionsElement, pen: TerminalContext): string[] {
  return element.items.flatMap((item) => {
    const words = typed(item);
    return words === undefined
      ? []
      : wrap(
          `${pen.ink.paint("gray", "›")} ${plainLine(item.label)}: ${pen.ink.paint("cyan", words)}`,
          pen.width,
          pen.ruler,
        );
  });
}

function typed(action: ActionsElement["items"][number]): string | undefined {
  const value = plainLine(action.value);
  switch (action.id) {
    case "approve":
      return `/approve ${value}`;
    case "deny":
      return `/deny ${value} REASON`;
    case "settle_happened":
      return `/settle ${value} happened`;
    case "settle_did_not":
      return `/settle ${value} did_not`;
    case "prompt":
      return value === plainLine(action.label) ? `“${value}”` : value;
    default:
      return undefined;
  }
}

/** The colour of the bar beside a card that wants attention. */
function edgeOf(card: Card): "yellow" | "red" | "cyan" | undefined {
  if (card.kind === "approval") return "yellow";
  if (card.kind === "error") return "red";
  return card.kind === "question" ? "cyan" : undefined;
}

type Change = ChangesElement["items"][number];

/** One line per field, `before → after`; texts of several lines as removed and added lines. */
function drawChanges(element: ChangesElement, pen: TerminalContext): string[] {
  const longest = Math.max(0, ...element.items.map((item) => widest(plainLine(item.label), pen.ruler)));
  const labels = Math.min(longest, 24, Math.floor(pen.width / 3));
  return element.items.flatMap((item) => drawChange(item, labels, pen));
}

function drawChange(item: Change, labels: number, pen: TerminalContext): string[] {
  const { ink } = pen;
  const label = pen.ink.paint("bold", plainLine(item.label));
  const before = valueText(item.before);
  const after = valueText(item.after);
  if (`${before}${after}`.includes("\n")) {
    return [
      ...wrap(label, pen.width, pen.ruler),
      ...lineChanges(before, after, narrower(pen, 2)).map((line) => `  ${line}`),
    ];
  }
  return labelled(label, arrow(before, after, ink), labels, pen.width, pen.ruler);
}

/** `before → after`; what is only there afterwards with a plus, what will be gone with a minus. */
function arrow(before: string, after: string, ink: Ink): string {
  if (before === "" && after === "") return ink.paint("gray", "(empty)");
  if (before === "") return ink.paint("green", `+ ${after}`);
  if (after === "") return ink.paint("red", `- ${before}`);
  return before === after
    ? `${after} ${ink.paint("gray", "(as before)")}`
    : `${ink.paint("red", before)} → ${ink.paint("green", after)}`;
}

/** The lines that differ; equal lines at the start and the end are counted. */
function lineChanges(before: string, after: string, pen: TerminalContext): string[] {
  const old = before === "" ? [] : before.split("\n");
  const fresh = after === "" ? [] : after.split("\n");
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, fresh.length) - start;
  while (end < shorter && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const marked = (sign: "-" | "+", lines: string[]): string[] =>
    lines.flatMap((line) =>
      wrap(line, pen.width - 2, pen.ruler).map((part) =>
        pen.ink.paint(sign === "-" ? "red" : "green", `${sign} ${part}`),
      ),
    );
  const same = (number: number): string[] =>
    number === 0 ? [] : [pen.ink.paint("gray", `  … ${count(number, "line")} as before`)];
  return [
    ...same(start),
    ...marked("-", old.slice(start, old.length - end)),
    ...marked("+", fresh.slice(start, fresh.length - end)),
    ...same(end),
  ];
}

/** A JSON value for people: words and numbers as they are, lists of them with commas, the rest as JSON. */
function valueText(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) {
    return plainText(value.join(", "));
  }
  return plainText(JSON.stringify(value));
}
