import { styleText } from "node:util";

import type { Inline, Tone } from "#contract/card.ts";
import type { Ruler } from "#src/base/text-width.ts";
import { plainLine } from "#src/base/text.ts";

type Style = Parameters<typeof styleText>[0];

/** Colours and links, or plain text where colour is off. Texts handed in are already plain. */
export interface Ink {
  readonly color: boolean;
  paint(style: Style, text: string): string;
  /** A hyperlink with colour; without it the address in brackets after the text. */
  link(text: string, href: string | undefined): string;
  tone(text: string, tone: Tone | undefined): string;
  /** A coloured word with a dot, or the word in square brackets. */
  badge(inline: Inline): string;
}

const LONGEST_LINK = 2_000;

export function createInk(color: boolean): Ink {
  const paint = (style: Style, text: string): string => {
    if (!color || text === "") return text;
    // Line by line, so that each line stands for itself wherever it is put.
    return text
      .split("\n")
      .map((line) => (line === "" ? "" : styleText(style, line, { validateStream: false })))
      .join("\n");
  };
  const link = (text: string, href: string | undefined): string => {
    const target = httpAddress(href);
    if (target === undefined) return text;
    const shown = text === "" ? target : text;
    // A wrapped link names its address on every line.
    if (!color || target.length > LONGEST_LINK)
      return sameAddress(shown, target) ? shown : `${shown} (${target})`;
    // A text that looks like another address must not hide where the link leads.
    const label = looksLikeAddress(shown) && !sameAddress(shown, target) ? `${shown} (${target})` : shown;
    return label
      .split("\n")
      .map((line) => `\u001b]8;;${target}\u0007${line}\u001b]8;;\u0007`)
      .join("\n");
  };
  const tone = (text: string, name: Tone | undefined): string =>
    name === undefined ? text : paint(TONE_STYLES[name], text);
  const badge = (inline: Inline): string => {
    const text = plainLine(inline.text);
    if (inline.tone === undefined) return link(text, inline.href);
    return color ? link(tone(`● ${text}`, inline.tone), inline.href) : link(`[${text}]`, inline.href);
  };
  return { color, paint, link, tone, badge };
}

const TONE_STYLES: Record<Tone, Style> = {
  good: "green",
  warn: "yellow",
  bad: "red",
  info: "cyan",
  neutral: "gray",
};

/** The normal form of an http or https address, free of control characters; undefined for anything else. */
export function httpAddress(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  return url.protocol === "http:" || url.protocol === "https:" ? plainLine(url.href) : undefined;
}

function looksLikeAddress(text: string): boolean {
  return /^(https?:\/\/|www\.)|^[\w-]+(\.[\w-]+)+(\/|$)/i.test(text.trim());
}

function sameAddress(text: string, target: string): boolean {
  const bare = (value: string): string =>
    value
      .trim()
      .replace(/^https?:\/\//i, "")
      .replace(/\/$/, "");
  return bare(text) === bare(target);
}

/** Where and how the parts of a card are drawn. */
export interface TerminalContext {
  ink: Ink;
  /** One for all that is drawn together. */
  ruler: Ruler;
  /** Columns. */
  width: number;
  /** What to type to see all of it, such as `/show 3`; undefined: nothing is shortened. */
  more: string | undefined;
  /** Lines shown of a folded text. */
  foldedLines: number;
  /** Whether the card's actions are written out. */
  actions: boolean;
}

/** A pen for a part that stands `columns` further right. */
export function narrower(pen: TerminalContext, columns: number): TerminalContext {
  return { ...pen, width: Math.max(16, pen.width - columns) };
}

/** The first lines, and a note of how many follow and how to see them. */
export function fold(lines: string[], pen: TerminalContext, limit: number = pen.foldedLines): string[] {
  // Two lines more are shown rather than announced.
  if (pen.more === undefined || lines.length <= limit + 2) return lines;
  const hidden = lines.length - limit;
  return [...lines.slice(0, limit), moreNote(pen, `${hidden} more lines`)];
}

export function moreNote(pen: TerminalContext, what: string): string {
  return pen.ink.paint("gray", pen.more === undefined ? `… ${what}` : `… ${what} · ${pen.more} shows all`);
}
