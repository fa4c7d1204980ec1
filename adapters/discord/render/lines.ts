import type { Cell, Inline } from "#contract/card.ts";

import { cellText, signOf } from "../../chat/card-text.ts";
import { cleanText, splitText } from "../../chat/text.ts";
import { codeBlock, escapedCost, escapeLabel, escapeText, inlineCode, safeUrl } from "./escape.ts";
import { PIECE } from "./limits.ts";

export type Style = "bold" | "italic" | "strike" | "code";

/** Data with its look; `href` makes it a link. */
interface Span {
  text: string;
  styles?: readonly Style[];
  href?: string;
}

/** Spans side by side; a span may have line breaks. */
export type Line = Span[];

/** What flows down a message: lines, each with a mark in front (`## `, `> `), and boxes of fixed width. */
export type Flow = { mark?: string; line: Line } | { code: string; language?: string };

export function words(text: string, ...styles: Style[]): Line {
  const clean = cleanText(text);
  if (clean === "") return [];
  return [{ text: clean, ...(styles.length === 0 ? {} : { styles }) }];
}

export function bold(text: string): Line {
  return words(text, "bold");
}

export function italic(text: string): Line {
  return words(text, "italic");
}

/** A text that opens an address; the bare text, with the address where it is one, if that may not be linked. */
export function linked(text: string, href: string | undefined, ...styles: Style[]): Line {
  if (href === undefined) return words(text, ...styles);
  const label = text.trim() === "" ? href : text;
  if (safeUrl(href) !== undefined) {
    return [{ text: cleanText(label), href, ...(styles.length === 0 ? {} : { styles }) }];
  }
  return /^https?:\/\//i.test(href) && label !== href
    ? words(`${label} (${href})`, ...styles)
    : words(label, ...styles);
}

export function flowLine(line: Line, mark?: string): Flow {
  return mark === undefined ? { line } : { line, mark };
}

/** Small grey text. */
export function small(line: Line): Flow {
  return { line, mark: "-# " };
}

/** A text without formatting, line by line. */
export function plainFlow(text: string): Flow[] {
  return cleanText(text)
    .split("\n")
    .map((line) => ({ line: words(line) }));
}

export function code(text: string, language?: string): Flow {
  return language === undefined ? { code: text } : { code: text, language };
}

/** A flow as pieces of markup, each of one or more whole lines and at most `PIECE` long. */
export function pack(flow: readonly Flow[]): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const item of flow) {
    for (const text of "code" in item ? boxes(item.code, item.language) : markupLines(item)) {
      if (piece !== "" && piece.length + 1 + text.length > PIECE) {
        pieces.push(piece);
        piece = text;
      } else {
        piece = piece === "" ? text : `${piece}\n${text}`;
      }
    }
  }
  if (piece !== "") pieces.push(piece);
  return pieces.map(trimEmpty).filter((text) => text !== "");
}

/** Empty lines at the ends of a piece only make a gap. */
function trimEmpty(piece: string): string {
  return piece.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/** In as many boxes as it needs. */
function boxes(text: string, language?: string): string[] {
  const cost = (unit: number): number => (unit === 0x60 ? 2 : 1);
  return splitText(cleanText(text), PIECE - 30, cost).map((part) =>
    codeBlock(part.replace(/\n$/, ""), language),
  );
}

/** A line as markup, in several lines where it has line breaks or is too long. */
function markupLines({ line, mark = "" }: { line: Line; mark?: string }): string[] {
  const lines: string[] = [];
  let current = "";
  const close = (): void => {
    // A point of a list or a heading is not begun anew.
    const lead = lines.length === 0 ? mark : (/^(?:> |-# )+/.exec(mark)?.[0] ?? "");
    lines.push(`${lead}${current}`.trimEnd());
    current = "";
  };
  for (const span of line) {
    for (const [index, part] of span.text.split("\n").entries()) {
      if (index > 0) close();
      for (const text of splitText(part, PIECE / 3, escapedCost)) {
        const drawn = markup({ ...span, text });
        if (current !== "" && mark.length + current.length + drawn.length > PIECE - 10) close();
        current += current === "" ? drawn : `${seam(current, drawn)}${drawn}`;
      }
    }
  }
  close();
  return lines;
}

/** Marks that touch are read as one longer mark. */
function seam(before: string, after: string): string {
  return /[*_~`]$/.test(before) && /^[*_~`]/.test(after) ? "\u200B" : "";
}

function markup({ text, styles = [], href }: Span): string {
  const inner = text.trim();
  const lead = text.slice(0, text.length - text.trimStart().length);
  const tail = text.slice(lead.length + inner.length);
  if (inner === "") return text;
  const url = href === undefined ? undefined : safeUrl(href);
  const core =
    url === undefined
      ? styled(inner, styles)
      : inner === url && inner === href
        ? `<${url}>`
        : `[${escapeLabel(inner)}](<${url}>)`;
  // The marks stand outside of the link, where Discord looks for them.
  const wrapped =
    url === undefined
      ? core
      : wrap(
          core,
          styles.filter((style) => style !== "code"),
        );
  return `${lead}${wrapped}${tail}`;
}

function styled(text: string, styles: readonly Style[]): string {
  if (styles.includes("code"))
    return wrap(
      inlineCode(text),
      styles.filter((style) => style !== "code"),
    );
  return wrap(escapeText(text), styles);
}

const MARKS: Readonly<Record<Style, string>> = { bold: "**", italic: "*", strike: "~~", code: "" };

function wrap(markup: string, styles: readonly Style[]): string {
  const marks = [...new Set(styles)].map((style) => MARKS[style]).filter((mark) => mark !== "");
  return marks.reduce((inner, mark) => `${mark}${inner}${mark}`, markup);
}

function badgeLine({ text, tone, href }: Inline): Line {
  return [...words(signOf(tone)), ...linked(text, href)];
}

/** Badges, each set apart from what stands before it. */
export function badgeLines(items: readonly Inline[] = []): Line {
  return items.flatMap((item) => [...words("  "), ...badgeLine(item)]);
}

/** A value as people read it; an absent one is "none". */
export function cellLine(value: Cell): Line {
  if (value === null || value === "") return italic("none");
  return typeof value === "object" ? badgeLine(value) : words(cellText(value));
}
