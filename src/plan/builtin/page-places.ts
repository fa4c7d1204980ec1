import type { JsonObject } from "#contract/json.ts";

import { STOP_WORDS, tokenize } from "./words.ts";

// What of a page's text an order means, once the page is read.

const TABLE = /^\|(?<head>.+)\|[ \t]*\n\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*\n\|(?<first>[^|\n]*)\|/gmu;
/** Fewer commas part a sentence as well. */
const LEAST_CELLS = 3;
const MOST_CELL_CHARS = 80;
const MOST_CHARS = 100_000;

/**
 * "27 November 2026, Emi, carrot cake, because she won" as a row of the one table of a page, where it has as many
 * columns and begins like its first row; undefined for any other text.
 */
export function rowOf(text: string, markdown: string): string | undefined {
  const [table, ...others] = markdown.slice(0, MOST_CHARS).matchAll(TABLE);
  const { head = "", first = "" } = table?.groups ?? {};
  const heads = head.split("|").map((name) => name.trim());
  const cells = text.replace(/[\s.]+$/, "").split(/\s*[,;]\s+/);
  const isSame =
    others.length === 0 && cells.length === heads.length && /\d/.test(cells[0] ?? "") === /\d/.test(first);
  if (!isSame || cells.length < LEAST_CELLS || /[\n|]/.test(text)) return undefined;
  if (cells.some((cell) => cell.length > MOST_CELL_CHARS)) return undefined;
  // "Because she won" below "Because" says it twice.
  const own = cells.map((cell, at) => {
    const name = heads[at] ?? "";
    const isNamed = name !== "" && cell.toLowerCase().startsWith(`${name.toLowerCase()} `);
    return isNamed ? cell.slice(name.length).trim() : cell;
  });
  return `| ${own.join(" | ")} |`;
}

/**
 * What of a page's text is meant by what somebody said of it: the words as they stand there, the one line or sentence that
 * has them ("line about the plants"), or the row of a table with another cell ("the backup for 2 December", "Emi on 2
 * December", "Emi as backup"). Undefined where that is nothing that stands there once.
 */
export function passageMeant(said: string, now: string | undefined, page: string): JsonObject | undefined {
  const markdown = page.slice(0, MOST_CHARS);
  const lines = markdown.split("\n").filter((line) => line.trim() !== "" && !BELOW_HEAD.test(line));
  const put = now === undefined ? {} : { replacement: now };
  if (CELLS.test(said)) {
    const rows = lines.filter(
      (line) => CELLS.test(line) && asCells(cellsIn(line)) === asCells(cellsIn(said)),
    );
    return rows.length === 1 ? { passage: said, ...put } : undefined;
  }
  const { part, about = "" } = /^(?<part>[a-z ]+) about (?<about>.+)$/is.exec(said)?.groups ?? {};
  if (part !== undefined) {
    const passage = partAbout(about, part, lines);
    return passage === undefined ? undefined : { passage, ...put };
  }
  for (const words of [said, said.replace(/^the\s+/i, "")]) {
    const [at, ...others] = placesIn(markdown, words);
    if (at !== undefined && others.length === 0)
      return { passage: markdown.slice(at, at + words.length), ...put };
  }
  return now === undefined ? undefined : cellMeant(said.replace(/^the\s+/i, ""), now, lines);
}

const BELOW_HEAD = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const CELLS = /^\s*\|.*\|\s*$/;
const MARK = /^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|#{1,6}\s+|>\s*)+/;

/** In a heading all else tells: "day two". */
const ARTICLES = new Set(["the", "a", "an"]);

function placesIn(text: string, words: string): number[] {
  const [all, wanted] = [text.toLowerCase(), words.toLowerCase()];
  const places: number[] = [];
  for (let at = all.indexOf(wanted); at !== -1 && places.length < 2; at = all.indexOf(wanted, at + 1))
    places.push(at);
  return places;
}

function withWords(words: string, texts: readonly string[], empty = STOP_WORDS): string[] {
  const wanted = tokenize(words).flatMap(({ lower, stem }) => (empty.has(lower) ? [] : [stem]));
  return texts.filter((text) => {
    const own = new Set(tokenize(text).map(({ stem }) => stem));
    return wanted.length > 0 && wanted.every((stem) => own.has(stem));
  });
}

/** The one sentence of the prose, else the one line, that has all of the words; a row as `| a | b |`. */
function partAbout(words: string, part: string, lines: readonly string[]): string | undefined {
  const prose = lines.filter((line) => !CELLS.test(line) && !MARK.test(line));
  const sentences = prose.flatMap((line) => line.split(/(?<=[.!?])\s+(?=\p{Lu})/u));
  const rows = lines.filter((line) => CELLS.test(line));
  const [only = "", ...others] = /^(?:row|entry)$/.test(part)
    ? withWords(words, rows)
    : withWords(words, sentences);
  // A part that is partly bold, code or a link cannot be taken out of its line.
  const isPlain = only !== "" && (CELLS.test(only) || !/[*_`[\]<]/.test(only));
  if (isPlain && others.length === 0) return bare(only);
  const [line, ...more] = withWords(words, lines);
  return line === undefined || more.length > 0 ? undefined : bare(line);
}

/** A line without the mark of its item or heading. */
function bare(line: string): string {
  return CELLS.test(line) ? asCells(cellsIn(line)) : line.replace(MARK, "").trim();
}

/** The row of a table with another cell: by its column and words of the row, or by the cell and one of both. */
function cellMeant(said: string, now: string, lines: readonly string[]): JsonObject | undefined {
  const {
    what = "",
    joint = "",
    where = "",
  } = /^(?<what>.+?)\s+(?<joint>for|on|of|in|from|as)\s+(?:the\s+)?(?<where>.+)$/isu.exec(said)?.groups ?? {};
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
  const rows = lines.filter((line) => CELLS.test(line));
  const isColumn = joint.toLowerCase() === "as";
  const found = (isColumn ? rows : withWords(where, rows)).flatMap((row) => {
    const cells = cellsIn(row);
    const heads = headsOf(row, lines);
    const named = heads.findIndex((head) => isSame(head, isColumn ? where : what));
    const at = named === -1 || isColumn ? cells.findIndex((cell) => isSame(cell, what)) : named;
    const isHere = at !== -1 && cells[at] !== undefined && (!isColumn || at === named);
    return isHere && cells !== heads
      ? [{ passage: asCells(cells), replacement: asCells(cells.with(at, now)) }]
      : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

function cellsIn(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

function asCells(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** The names of the columns of the table that a row is in. */
function headsOf(row: string, lines: readonly string[]): string[] {
  let first = lines.indexOf(row);
  while (first > 0 && CELLS.test(lines[first - 1] ?? "")) first -= 1;
  return cellsIn(lines[first] ?? "");
}

/** The heading of a page as it stands there, by words of it; as it was said where it is none, or not one. */
export function headingMeant(said: string, page: string): string {
  const headings = page
    .slice(0, MOST_CHARS)
    .split("\n")
    .flatMap((line) => (/^#{1,6}\s/.test(line) ? [bare(line)] : []));
  const exact = headings.filter((heading) => heading.toLowerCase() === said.toLowerCase());
  const [only, ...others] = exact.length > 0 ? exact : withWords(said, headings, ARTICLES);
  return only === undefined || others.length > 0 ? said : only;
}
