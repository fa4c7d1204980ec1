import type { JsonObject } from "#contract/json.ts";

import { cellsIn } from "../../base/text.ts";
import { unquoted } from "./sheet.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

// Where on a page something stands that an order for it means.

interface Line {
  /** As it reads: without the marks of its item, heading or style; a row as `| a | b |`. */
  text: string;
  kind: "prose" | "item" | "heading" | "row";
  /** The heading that it stands under. */
  under: string;
  /** What stands before it. */
  mark?: string;
}

/** A page's text, line by line, without what is empty. */
export type Page = readonly Line[];

export interface Place {
  line: Line;
  start: number;
  end: number;
}

const MOST_CHARS = 100_000;
/** Nobody writes longer lines; each order of a message is held against each of them. */
const MOST_LINE = 1_500;
const MOST_LINES = 1_000;
const BELOW_HEAD = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const ROW = /^\s*\|.*\|\s*$/;
const MARK = /^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|#{1,6}\s+|>\s*)+/;

export function pageOf(markdown: string): Page {
  let under = "";
  let isCode = false;
  return markdown
    .slice(0, MOST_CHARS)
    .split("\n")
    .filter((raw) => raw.length <= MOST_LINE)
    .slice(0, MOST_LINES)
    .flatMap((raw): Line[] => {
      if (/^\s*(?:```|~~~)/.test(raw)) isCode = !isCode;
      else if (isCode) return [{ text: raw.trim(), kind: "prose", under }];
      if (raw.trim() === "" || BELOW_HEAD.test(raw) || /^\s*(?:```|~~~)/.test(raw)) return [];
      if (ROW.test(raw)) return [{ text: asRow(cellsIn(raw).map(plain)), kind: "row", under }];
      const mark = MARK.exec(raw)?.[0] ?? "";
      const text = plain(raw.slice(mark.length)).trim();
      if (/^#{1,6}\s/.test(raw)) {
        under = text;
        return [{ text, kind: "heading", under }];
      }
      const isItem = /^\s*(?:[-*+]|\d+[.)])\s/.test(mark);
      return [{ text, kind: isItem ? "item" : "prose", under, mark }];
    });
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/\*\*|__|~~|`/g, "")
    .replace(/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, "")
    .replace(/\\(?=[^\p{L}\p{N}\s])/gu, "");
}

export function asRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Where words stand as words, in whatever case. */
export function placesOf(words: string, page: Page): Place[] {
  const wanted = words.toLowerCase().replace(/\s+/g, " ").trim();
  if (wanted === "") return [];
  return page.flatMap((line) => {
    const text = line.text.toLowerCase();
    const places: Place[] = [];
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const end = at + wanted.length;
      const isWhole =
        !/[\p{L}\p{N}](?:[.,:])?$/u.test(/^[\p{L}\p{N}]/u.test(wanted) ? text.slice(0, at) : "") &&
        !/^(?:[.,:](?=\d))?[\p{L}\p{N}]/u.test(/[\p{L}\p{N}]$/u.test(wanted) ? text.slice(end) : "");
      if (isWhole && text.length === line.text.length) places.push({ line, start: at, end });
    }
    return places;
  });
}

/** The one place that words have, or the one whose line and heading have most of what else was said. */
export function likeliest(places: readonly Place[], said: string): Place | undefined {
  const [only, ...others] = places;
  if (others.length === 0) return only;
  const stems = new Set(tellingIn(said));
  const scored = places.map((place) => {
    const own = new Set(tellingIn(place.line.text));
    const head = new Set(tellingIn(place.line.under));
    const score = [...stems].reduce((sum, stem) => sum + (own.has(stem) ? 2 : head.has(stem) ? 1 : 0), 0);
    return { place, score };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const [first, ...more] = scored.filter(({ score }) => score === best);
  return best === 0 || more.length > 0 ? undefined : first?.place;
}

/**
 * What stands at a place, and what shall stand there, as arguments of a tool that finds it by its text: with as many of
 * the words around it as make it the only one on the page.
 */
export function insteadOf({ line, start, end }: Place, now: string, page: Page): JsonObject {
  const old = line.text.slice(start, end);
  const isCapital = /^\p{Lu}/u.test(old) && /^\p{Ll}/u.test(now) && old.length > 1;
  const own = isCapital ? now.charAt(0).toUpperCase() + now.slice(1) : now;
  const whole = (from: number, to: number): JsonObject => ({
    passage: line.text.slice(from, to),
    replacement: line.text.slice(from, start) + own + line.text.slice(end, to),
  });
  if (line.kind === "row") return countOf(old, page) === 1 ? whole(start, end) : whole(0, line.text.length);
  let [from, to] = [start, end];
  while (countOf(line.text.slice(from, to), page) > 1 && (from > 0 || to < line.text.length)) {
    if (to < line.text.length) to += /^\s*\S+/.exec(line.text.slice(to))?.[0].length ?? line.text.length;
    else from = line.text.slice(0, from).trimEnd().lastIndexOf(" ") + 1;
  }
  return whole(from, to);
}

function countOf(text: string, page: Page): number {
  return page.reduce((sum, line) => sum + line.text.split(text).length - 1, 0);
}

/** A new value without what stands behind the old one anyway: "20 or 45 minutes" for "25 or 50" in "25 or 50 minutes". */
export function withoutTail(now: string, { line, end }: Place): string {
  const behind = line.text.slice(end).toLowerCase();
  const words = (/^\s*%/.test(behind) ? now.replace(/\s+percent$/i, " %") : now).split(" ");
  for (let count = words.length - 1; count > 0; count -= 1) {
    const tail = ` ${words.slice(-count).join(" ")}`.toLowerCase();
    if (behind.startsWith(tail) && !/^[\p{L}\p{N}]/u.test(behind.slice(tail.length)))
      return words.slice(0, -count).join(" ");
  }
  return now;
}

/** The one sentence of the prose, else the one line, that has all of the words. */
export function partMeant(words: string, noun: string, page: Page): string | undefined {
  const rows = page.filter(({ kind }) => kind === "row").map(({ text }) => text);
  const prose = page.filter(({ kind }) => kind === "prose").flatMap(({ text }) => sentencesIn(text));
  const [only, ...others] = withWords(words, /^(?:row|entry)/.test(noun) ? rows : prose);
  if (only !== undefined && others.length === 0) return only;
  const lines = page.filter(({ kind }) => kind !== "heading").map(({ text }) => text);
  const [line, ...more] = withWords(words, lines);
  return line === undefined || more.length > 0 ? undefined : line;
}

/** The last line, row, item or sentence. */
export function lastPart(noun: string, page: Page): string | undefined {
  if (/^(?:row|entry)/.test(noun)) return page.findLast(({ kind }) => kind === "row")?.text;
  if (/^(?:bullet|point|item|step)/.test(noun)) return page.findLast(({ kind }) => kind === "item")?.text;
  const text = page.at(-1)?.text;
  return noun.startsWith("sentence") ? sentencesIn(text ?? "").at(-1) : text;
}

/** The sentences of a line; a word with a dot is the head of what follows. */
function sentencesIn(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .filter((sentence) => tokenize(sentence).length >= LEAST_WORDS);
}

const LEAST_WORDS = 3;

function withWords(words: string, texts: readonly string[]): string[] {
  return texts.filter((text) => hasWords(text, words));
}

function hasWords(text: string, words: string): boolean {
  const [wanted, own] = [tellingIn(words), new Set(tellingIn(text))];
  return wanted.length > 0 && wanted.every((stem) => own.has(stem));
}

export function tellingIn(text: string): string[] {
  return tokenize(text.replaceAll("-", " ")).flatMap(({ lower, stem }) =>
    STOP_WORDS.has(lower) ? [] : [stem],
  );
}

/** The row of a table with another cell, by the name of its column and words of the row: "the backup", "2 December". */
export function cellInstead(column: string, row: string, now: string, page: Page): JsonObject | undefined {
  const rows = page.filter(({ kind }) => kind === "row");
  const found = withWords(
    row,
    rows.map(({ text }) => text),
  ).flatMap((text) => {
    const cells = cellsIn(text);
    const at = headsOf(text, page).findIndex((head) => head.toLowerCase() === column.toLowerCase());
    return at === -1 || cells[at] === undefined
      ? []
      : [{ passage: text, replacement: asRow(cells.with(at, now)) }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The line that a passage of the page was cut from. */
export function lineOf(passage: string, page: Page): Line | undefined {
  const own = plain(passage).replace(/\s*…$/, "");
  if (own === "") return undefined;
  return page.find(({ text, kind }) =>
    kind === "row" ? cellsIn(text).every((cell) => own.includes(cell)) : text.includes(own),
  );
}

/** Where in a row the cell begins whose column a question names. */
export function columnAsked(question: string, row: string, page: Page): number | undefined {
  const stems = new Set(tellingIn(question));
  const heads = page.some(({ text, kind }) => kind === "row" && text === row) ? headsOf(row, page) : [];
  const asked = heads.flatMap((head, at) => (tellingIn(head).some((stem) => stems.has(stem)) ? [at] : []));
  const cells = cellsIn(row);
  const at = asked.findLast((column) => cells[column] !== undefined);
  return at === undefined
    ? undefined
    : `| ${cells.slice(0, at).join(" | ")}`.length + (at === 0 ? 0 : " | ".length);
}

/** The names of the columns of the table that a row is in. */
export function headsOf(row: string, page: Page): string[] {
  let first = page.findIndex(({ text }) => text === row);
  while (page[first - 1]?.kind === "row") first -= 1;
  return cellsIn(page[first]?.text ?? "");
}

/** The one heading of a page all of whose words were said; of several the longest. */
export function headingIn(said: string, page: Page): string | undefined {
  const words = new Set(tokenize(said).map(({ stem }) => stem));
  const headings = page.filter(({ kind }) => kind === "heading").map(({ text }) => text);
  const named = headings.filter((heading) => said.toLowerCase().includes(heading.toLowerCase()));
  const [found, ...others] = (
    named.length > 0
      ? named
      : headings.filter((heading) => tokenize(heading).every(({ stem }) => words.has(stem)))
  ).toSorted((one, other) => other.length - one.length);
  return others.some((other) => other.length === found?.length) ? undefined : found;
}

const MOST_BEGIN = 100;

/** How the last item begins of the one list that a page has: of the one with numbers for steps, with boxes for checks. */
export function lastItem(of: "step" | "check" | undefined, page: Page): string | undefined {
  const isOwn = ({ kind, mark = "" }: Line): boolean =>
    kind === "item" && (of === undefined || (of === "step" ? /^\d/ : /\[/).test(mark));
  const ends = page.filter((line, at) => isOwn(line) && page[at + 1]?.kind !== "item");
  const [last, ...others] = ends;
  if (last === undefined || others.length > 0) return undefined;
  return last.text.length <= MOST_BEGIN ? last.text : last.text.slice(0, MOST_BEGIN).replace(/\s+\S*$/, "");
}

/** The item of a list that has a number. */
export function itemNumbered(number: number, page: Page): Line | undefined {
  const [item, ...others] = page.filter(({ mark = "" }) => Number.parseInt(mark, 10) === number);
  return others.length === 0 ? item : undefined;
}

/** The one line that has all of the words. */
export function lineWith(words: string, page: Page): Line | undefined {
  const [line, ...others] = page.filter(({ text }) => hasWords(text, words));
  return others.length === 0 ? line : undefined;
}

/** As many values as the one table of a page has columns, as a row of it. */
export function rowFrom(values: readonly string[], page: Page): string | undefined {
  const rows = page.filter(({ kind }) => kind === "row");
  const heads = cellsIn(rows[0]?.text ?? "");
  const isOne = values.length > 1 && rows.every(({ text }) => cellsIn(text).length === heads.length);
  return isOne && values.length === heads.length ? asRow(values) : undefined;
}

/** Fewer commas part a sentence as well. */
const LEAST_CELLS = 3;
const MOST_CELL_CHARS = 80;

/**
 * "27 November 2026, Emi, carrot cake, because she won" as a row of the one table of a page, where it has as many
 * columns and begins like its first row; undefined for any other text.
 */
export function rowOf(text: string, page: Page, least: number = LEAST_CELLS): string | undefined {
  const tables = page.flatMap(({ kind }, at) => (kind === "row" && page[at - 1]?.kind !== "row" ? [at] : []));
  const [head = 0, ...others] = tables;
  const heads = cellsIn(page[head]?.text ?? "");
  const first = cellsIn(page[head + 1]?.text ?? "")[0] ?? "";
  const cells = text
    .replace(/[\s.]+$/, "")
    .replace(/^\|\s*|\s*\|$/g, "")
    .split(text.includes("|") ? /\s*\|\s*/ : /\s*[,;]\s+/);
  const isSame =
    tables.length > 0 &&
    others.length === 0 &&
    cells.length === heads.length &&
    (least < LEAST_CELLS || /\d/.test(cells[0] ?? "") === /\d/.test(first));
  if (!isSame || cells.length < least || text.includes("\n")) return undefined;
  if (cells.some((cell) => cell.length > MOST_CELL_CHARS)) return undefined;
  // "Because she won" below "Because" says it twice.
  const own = cells.map((cell, at) => {
    const name = heads[at] ?? "";
    const isNamed = name !== "" && cell.toLowerCase().startsWith(`${name.toLowerCase()} `);
    return unquoted(isNamed ? cell.slice(name.length).trim() : cell);
  });
  return asRow(own);
}
