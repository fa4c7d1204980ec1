import type { ChangesElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import type { Ink } from "./ink.ts";
import { count, labelled, widest, wrap } from "./layout.ts";
import { narrower, type Pen } from "./pen.ts";
import { plainLine, plainText } from "#src/base/terminal-text.ts";

type Change = ChangesElement["items"][number];

/** One line per field, `before → after`; texts of several lines as removed and added lines. */
export function drawChanges(element: ChangesElement, pen: Pen): string[] {
  const longest = Math.max(0, ...element.items.map((item) => widest(plainLine(item.label), pen.ruler)));
  const labels = Math.min(longest, 24, Math.floor(pen.width / 3));
  return element.items.flatMap((item) => drawChange(item, labels, pen));
}

function drawChange(item: Change, labels: number, pen: Pen): string[] {
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
function lineChanges(before: string, after: string, pen: Pen): string[] {
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
