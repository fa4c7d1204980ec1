import type { Card, CardAction, CardElement, ChangesElement, GraphNode } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { Ruler } from "#src/base/text-width.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { chartLines } from "../../document/chart-lines.ts";
import { before } from "../../document/graph.ts";
import { drawElement, type ElementDrawers } from "../../document/tree.ts";
import { createInk, fold, type Ink, moreNote, narrower, type TerminalContext } from "./ink.ts";
import { count, cut, hang, labelled, pad, widest, wrap } from "./layout.ts";
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
  const lines = drawElements(card.elements, {
    ink,
    ruler: new Ruler(),
    width: Math.max(20, Math.floor(options.width)) - (edge === undefined ? 0 : 2),
    more: options.more,
    foldedLines: options.foldedLines ?? 8,
    actions: options.actions ?? true,
  });
  if (lines.length === 0) lines.push(plainLine(card.title));
  if (edge === undefined) return lines.join("\n");
  const mark = ink.paint(edge, "▌");
  return lines.map((line) => (line === "" ? mark : `${mark} ${line}`)).join("\n");
}

/** The colour of the bar beside a card that wants attention. */
function edgeOf(card: Card): "yellow" | "red" | "cyan" | undefined {
  if (card.kind === "approval") return "yellow";
  if (card.kind === "error") return "red";
  return card.kind === "question" ? "cyan" : undefined;
}

/** The parts of a card with a blank line between them. */
function drawElements(elements: readonly CardElement[], pen: TerminalContext): string[] {
  const parts = elements
    .map((element) => drawElement(element, ELEMENTS, pen))
    .filter((lines) => lines.length > 0);
  return parts.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

/** Running text is not set wider than this, however wide the terminal is. */
const LINE_LENGTH = 100;
/** Labels in a column of their own are cut off by a longer line at most here. */
const LONGEST_LABEL = 24;

const ELEMENTS: ElementDrawers<string[], TerminalContext> = {
  header({ text, href, eyebrow, badges = [] }, pen) {
    const { ink } = pen;
    const above = [
      eyebrow === undefined ? "" : ink.paint("gray", plainLine(eyebrow)),
      badges.map((badge) => ink.badge(badge)).join("  "),
    ].filter((part) => part !== "");
    return [
      ...(above.length === 0 ? [] : wrapped(above.join("  "), pen)),
      ...wrapped(ink.link(ink.paint("bold", plainLine(text)), href), pen),
    ];
  },

  /** Labels in a column of their own; short pairs stand side by side where there is room. */
  fields(element, pen) {
    const { ink, width, ruler } = pen;
    const items = element.items.map(({ label, value }) => ({
      label: plainLine(label),
      value: cellText(value, pen),
    }));
    const labels = labelColumns(items, width, pen);
    const draw = (item: { label: string; value: string }, columns: number): string[] =>
      labelled(ink.paint("gray", item.label), item.value, labels, columns, ruler);
    const half = Math.floor((Math.min(width, LINE_LENGTH) - 4) / 2);
    const isPaired =
      items.length > 3 &&
      items.every(
        ({ label, value }) => labels + 2 + widest(value, ruler) <= half && widest(label, ruler) <= labels,
      );
    if (!isPaired) return items.flatMap((item) => draw(item, width));
    const rows = Math.ceil(items.length / 2);
    return items.slice(0, rows).map((item, index) => {
      const right = items[rows + index];
      const [left = ""] = draw(item, half);
      return right === undefined
        ? left
        : `${pad(left, half, "left", ruler)}    ${draw(right, half)[0] ?? ""}`;
    });
  },

  text({ text, format, folded, graph }, pen) {
    if (graph !== undefined) return drawGraph(graph, text, pen);
    const narrow = readable(pen);
    const lines = format === "markdown" ? drawMarkdown(text, narrow) : wrapped(plainText(text), narrow);
    return folded === true ? fold(lines, pen) : lines;
  },

  code({ text, folded }, pen) {
    const bar = pen.ink.paint("gray", "│ ");
    const lines = wrap(plainText(text), Math.max(1, pen.width - 2), pen.ruler).map((line) => bar + line);
    return folded === true ? fold(lines, pen) : lines;
  },

  table: drawTable,

  chart(element, given) {
    const pen = readable(given);
    const note =
      element.note === undefined ? [] : wrapped(pen.ink.paint("gray", plainLine(element.note)), pen);
    const lines = chartLines(element, pen.width, plainLine);
    return [...wrapped(pen.ink.paint("bold", plainLine(element.title)), pen), ...lines, ...note];
  },

  list({ ordered, items }, given) {
    const pen = readable(given);
    const { ink, width, ruler } = pen;
    const drawn = items.map(({ text, href, badges = [], detail }, index) => {
      const mark = ordered === true ? `${index + 1}. ` : "• ";
      const marks = badges.map((badge) => `  ${ink.badge(badge)}`).join("");
      const more =
        detail === undefined ? [] : wrap(plainText(detail), Math.max(1, width - mark.length), ruler);
      return [
        ...hang(mark, ink.link(plainText(text), href) + marks, width, ruler),
        ...more.map((line) => " ".repeat(mark.length) + ink.paint("gray", line)),
      ];
    });
    // Items of several lines need air between them.
    const isAiry = drawn.some((lines) => lines.length > 2);
    return drawn.flatMap((lines, index) => (isAiry && index > 0 ? ["", ...lines] : lines));
  },

  links({ items }, pen) {
    const { ink } = pen;
    return items.flatMap(({ label, href }) =>
      wrapped(`${ink.paint("gray", "↗")} ${ink.link(plainLine(label), href)}`, pen),
    );
  },

  progress({ label, value, total }, pen) {
    const said = plainLine(label);
    return [`${said === "" ? "" : `${said}  `}${total === undefined ? value : bar(value, total, pen)}`];
  },

  changes({ items }, given) {
    const pen = readable(given);
    const labels = labelColumns(items, pen.width, pen);
    return items.flatMap((item) => drawChange(item, labels, pen));
  },

  section({ title: said, elements, folded }, pen) {
    const title = pen.ink.paint("bold", plainLine(said));
    const lines = drawElements(elements, narrower(pen, 2)).map((line) => (line === "" ? "" : `  ${line}`));
    return folded === true && pen.more !== undefined && lines.length > 4
      ? [...wrapped(`▸ ${title}`, pen), `  ${moreNote(pen, count(lines.length, "line"))}`]
      : [...wrapped(title, pen), ...lines];
  },

  /** Actions as what to type. Stopping is a key, which the chat names itself. */
  actions({ items }, pen) {
    const { ink, actions } = pen;
    return (actions ? items : []).flatMap((item) => {
      const typed = commandOf(item);
      const label = `${ink.paint("gray", "›")} ${plainLine(item.label)}: `;
      return typed === undefined ? [] : wrapped(`${label}${ink.paint("cyan", typed)}`, pen);
    });
  },

  footer: ({ text }, pen) => wrapped(pen.ink.paint("gray", plainLine(text)), readable(pen)),

  error({ message, detail }, given) {
    const { ink, width, ruler } = readable(given);
    const more = detail === undefined ? [] : wrap(ink.paint("gray", plainText(detail)), width - 2, ruler);
    return [
      ...hang(ink.paint("red", "✖ "), ink.paint("red", plainText(message)), width, ruler),
      ...more.map((line) => `  ${line}`),
    ];
  },
};

function wrapped(text: string, { width, ruler }: TerminalContext): string[] {
  return wrap(text, width, ruler);
}

function readable(pen: TerminalContext): TerminalContext {
  return { ...pen, width: Math.min(pen.width, LINE_LENGTH) };
}

/** How wide the column of labels is. */
function labelColumns(
  items: readonly { label: string }[],
  width: number,
  { ruler }: TerminalContext,
): number {
  const longest = Math.max(0, ...items.map(({ label }) => widest(plainLine(label), ruler)));
  return Math.min(longest, LONGEST_LABEL, Math.floor(width / 3));
}

/** `████░░░░ 4/8`; a share outside 0 to 1 fills or empties the bar, the numbers stay as they are. */
export function bar(value: number, total: number, pen: Pick<TerminalContext, "ink" | "width">): string {
  const columns = Math.max(8, Math.min(24, Math.floor(pen.width / 4)));
  const share = total > 0 ? Math.min(1, Math.max(0, value / total)) : 0;
  const full = Math.round(share * columns);
  const drawn = pen.ink.paint("green", "█".repeat(full)) + pen.ink.paint("gray", "░".repeat(columns - full));
  return `${drawn} ${value}/${total} (${Math.floor(share * 100)} %)`;
}

function commandOf({ id, label, value: given }: CardAction): string | undefined {
  const value = plainLine(given);
  switch (id) {
    case "approve":
      return `/approve ${value}`;
    case "deny":
      return `/deny ${value} REASON`;
    case "settle_happened":
      return `/settle ${value} happened`;
    case "settle_did_not":
      return `/settle ${value} did_not`;
    case "prompt":
      return value === plainLine(label) ? `“${value}”` : value;
    default:
      return undefined;
  }
}

/** One line per field, `before → after`; texts of several lines as removed and added lines. */
function drawChange(item: ChangesElement["items"][number], labels: number, pen: TerminalContext): string[] {
  const label = pen.ink.paint("bold", plainLine(item.label));
  const isOneSided = item.before === undefined || item.after === undefined;
  if (isOneSided) return drawValue(label, valueText(item.before ?? item.after ?? null), labels, pen);
  const [before, after] = [valueText(item.before ?? null), valueText(item.after ?? null)];
  if (!`${before}${after}`.includes("\n")) {
    return labelled(label, arrow(before, after, pen.ink), labels, pen.width, pen.ruler);
  }
  const lines = lineChanges(before, after, narrower(pen, 2));
  return [...wrapped(label, pen), ...lines.map((line) => `  ${line}`)];
}

/** A value that nothing stands against. */
function drawValue(label: string, value: string, labels: number, pen: TerminalContext): string[] {
  if (!value.includes("\n")) return labelled(label, value, labels, pen.width, pen.ruler);
  return [...wrapped(label, pen), ...wrapped(value, narrower(pen, 2)).map((line) => `  ${line}`)];
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

/** Columns that a name has at least. */
const LEAST_NAME = 12;

/**
 * A node a line, with its sign on a rail of its own: from there lines go down to those after it, which they enter from
 * the side. A rail that a line only passes behind stays whole. The text instead where there is no room.
 *
 * ```
 * ✓        lines
 * ├─✓      security
 * ├─│─✗    tests
 * ╰─┴─┴─✓  summary
 * ```
 */
function drawGraph(nodes: readonly GraphNode[], text: string, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  const sources = nodes.map((node, index) => before(node, index));
  const last = new Map(sources.flatMap((from, index) => from.map((one) => [one, index])));
  // By rail, the node whose line is on it.
  const rails: (number | undefined)[] = [];
  const rows = sources.map((from, index) => {
    const entering = [...rails.keys()].filter((rail) => from.includes(rails[rail] ?? -1));
    const first = entering[0] ?? -1;
    let own = first + 1;
    while (rails[own] !== undefined) own += 1;
    const [begin, end] = [Math.min(first === -1 ? own : first, own), Math.max(own, entering.at(-1) ?? -1)];
    const signs = Array.from({ length: Math.max(rails.length, own + 1) }, (_, rail) => {
      const isPassed = rail > begin && rail < end;
      if (rail === own) return "●";
      if (rails[rail] === undefined) return isPassed ? "─" : " ";
      if (!entering.includes(rail)) return "│";
      const isLast = last.get(rails[rail]) === index;
      const sides = rail === begin ? "├╰" : rail === end ? "┤╯" : "┼┴";
      return sides.charAt(isLast ? 1 : 0);
    });
    for (const rail of entering) if (last.get(rails[rail] ?? -1) === index) rails[rail] = undefined;
    if (last.has(index)) rails[own] = index;
    return { signs, own, begin, end };
  });
  const columns = 2 * Math.max(0, ...rows.map(({ signs }) => signs.length)) - 1;
  if (columns + 2 + LEAST_NAME > width) return wrap(plainLine(text), width, pen.ruler);
  return rows.map(({ signs, own, begin, end }, index) => {
    const node = nodes[index];
    const drawn = signs.map((sign, rail) => {
      const mark =
        rail === own ? ink.tone(plainLine(node?.sign ?? "●"), node?.tone) : ink.paint("gray", sign);
      return mark + ink.paint("gray", rail >= begin && rail < end ? "─" : " ");
    });
    const rest = " ".repeat(columns + 1 - 2 * signs.length);
    return `${drawn.join("")}${rest} ${cut(plainLine(node?.text ?? ""), width - columns - 2)}`;
  });
}
