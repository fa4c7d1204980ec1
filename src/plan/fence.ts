import { randomBytes } from "node:crypto";

import { firstCharacters } from "./size.ts";

/**
 * Puts text from people, tools and documents into a prompt as data: between markers that nobody can
 * guess, every line quoted so that no line can be BEGIN, END, a command or a role marker, and without
 * control characters.
 */
export type Fence = (label: string, text: string) => string;

/** A fence with a boundary of its own; make one for each prompt. */
export function createFence(boundary: string = randomBytes(6).toString("hex")): Fence {
  return (label, text) => `<data ${label} ${boundary}>\n${quoteLines(text)}\n</data ${boundary}>`;
}

/** One line of data, for places that hold a single line, such as a tool's description. */
export function toSingleLine(text: string, limit: number): string {
  // NEL is a line end for some readers, and no white space for \s.
  const line = stripControls(text)
    .replaceAll(/[\s\u0085]+/g, " ")
    .trim();
  return line.length <= limit ? line : `${firstCharacters(line, limit - 1)}…`;
}

function quoteLines(text: string): string {
  return stripControls(text)
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((line) => `| ${line}`)
    .join("\n");
}

/**
 * C0 and C1 controls but tab and line ends, and the invisible characters that hide or turn text. The
 * joiners stay: emoji and several scripts are written with them.
 */
const HIDDEN = new RegExp(
  String.raw`[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]`,
  "gu",
);

function stripControls(text: string): string {
  return text.replaceAll(HIDDEN, "");
}
