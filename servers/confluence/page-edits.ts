import { lexer, type Tokens } from "marked";

import { plainText } from "../kit/adf-document.ts";
import { toAdf } from "../kit/adf-from-markdown.ts";
import { fold } from "../kit/names.ts";
import { ToolFailure } from "../kit/tool.ts";
import { rowsIn, withRows } from "./table-rows.ts";

// One text of a page in place of another, and more at the end of one of its sections; all else stays as it is. Here for
// Markdown, in `stored-edits.ts` for what Confluence keeps.

/** A place of a page whose text can be another: a paragraph, an item, a heading, a cell, or a row of a table. */
export interface Line<T> {
  /** As it reads, without marks; a row as `| a | b |`. */
  text: string;
  isRow?: boolean;
  /** The page with another text here, or without it. */
  put(text: string | undefined): T;
  /** The page with a part of the text replaced; absent where that part is not of one piece. */
  splice(start: number, end: number, text: string): T | undefined;
  /** The page with a line behind this one, as an item where it is one; absent where none can stand there. */
  follow?: ((text: string) => T) | undefined;
  /** Of an item with a box: whether that is ticked, and the page with it the other way. */
  box?: { isDone: boolean; turned: () => T };
}

/** Throws `text_not_found`, `text_unclear` or `text_split`; nothing is replaced that does not stand there once. */
export function edited<T>(lines: readonly Line<T>[], old: string, now: string): T {
  const box = turnedBox(old, now);
  if (box !== undefined) return turned(lines, box, old);
  const isRow = rowsIn(old) !== undefined;
  const wanted = isRow ? asRow(cellsOf(old)) : plainText(toAdf(old.trim()));
  const own = lines.filter((line) => (line.isRow === true) === isRow);
  const countIn = (fit: (text: string) => string): [Line<T>, number][] =>
    own.flatMap((line) => placesOf(fit(line.text), fit(wanted)).map((at): [Line<T>, number] => [line, at]));
  const exact = countIn((text) => text);
  // What is said in a chat is rarely in the same case. Case may change the length of a text in a few languages.
  const found =
    exact.length > 0
      ? exact
      : countIn((text) => (text.toLowerCase().length === text.length ? text.toLowerCase() : text));
  const [first, ...others] = found;
  if (first === undefined || (isRow && first[0].text.length !== wanted.length))
    throw new ToolFailure(
      "text_not_found",
      `passage: expected a text that stands on the page, within one line, got "${shortened(old)}". Read the page with get_page, and give a part of it to the letter`,
    );
  if (others.length > 0)
    throw new ToolFailure(
      "text_unclear",
      `passage: expected a text that stands on the page once, but "${shortened(old)}" stands there ${found.length} times. Give more of what is around it, or the whole line`,
    );
  const [line, at] = first;
  if (line.text.length === wanted.length) return line.put(now.trim() === "" ? undefined : now.trim());
  const made = line.splice(at, at + wanted.length, now);
  if (made !== undefined) return made;
  throw new ToolFailure(
    "text_split",
    `passage: expected a text in one style, but "${shortened(old)}" is partly bold, a link or the like. Give the whole line, or change it in Confluence`,
  );
}

const BOXED = /^\s*(?:[-*+]\s+)?\[(?<done>[ xX])\]\s+(?<text>\S.*?)\s*$/s;

/** "[ ] Laptop" that shall be "[x] Laptop", and the other way round. */
function turnedBox(old: string, now: string): { text: string; isDone: boolean } | undefined {
  const [before, after] = [BOXED.exec(old)?.groups, BOXED.exec(now)?.groups];
  const isSame = before !== undefined && before["text"] === after?.["text"];
  const [isDone, shall] = [before, after].map((one) => /x/i.test(one?.["done"] ?? ""));
  return isSame && isDone !== undefined && isDone !== shall
    ? { text: plainText(toAdf(before["text"] ?? "")), isDone }
    : undefined;
}

function turned<T>(
  lines: readonly Line<T>[],
  { text, isDone }: { text: string; isDone: boolean },
  old: string,
): T {
  const boxes = lines.flatMap((line) =>
    line.box?.isDone === isDone ? [{ ...line.box, text: line.text }] : [],
  );
  const whole = boxes.filter((one) => fold(one.text) === fold(text));
  const found = whole.length > 0 ? whole : boxes.filter((one) => fold(one.text).includes(fold(text)));
  const [only, ...others] = found;
  if (only === undefined)
    throw new ToolFailure(
      "text_not_found",
      `passage: expected an item of the page with a box that is ${isDone ? "" : "not "}ticked, got "${shortened(old)}". Read the page with get_page: it may be ${isDone ? "open" : "ticked"} already`,
    );
  if (others.length > 0)
    throw new ToolFailure(
      "text_unclear",
      `passage: expected one item with a box, but ${found.length} have "${shortened(text)}". Give the whole item`,
    );
  return only.turned();
}

export function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  if (wanted === "") return places;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)} …` : text;
}

export function cellsOf(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(toAdf(cell.trim())));
}

export function asRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Throws `bad_row` where a row has another count of cells. */
export function checkedCells(row: string, before: readonly string[]): string[] {
  const cells = cellsOf(rowsIn(row) === undefined ? asRow([row]) : row);
  if (cells.length === before.length) return cells;
  throw new ToolFailure(
    "bad_row",
    `replacement: expected a row of ${before.length} cells, such as | a | b |, as the old one has, got ${cells.length}`,
  );
}

/**
 * A page with more at the end of the section that is called so, or behind the line that begins so. Throws
 * `section_not_found` or `section_unclear`.
 */
export function grownUnder<T>(
  under: string,
  more: string,
  { sections, lines }: { sections: readonly Section<T>[]; lines: readonly Line<T>[] },
): T {
  const wordsIn = (text: string): string[] =>
    fold(text)
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== "");
  const wanted = wordsIn(under);
  const exact = sections.filter(({ heading }) => wordsIn(heading).join(" ") === wanted.join(" "));
  const near = sections.filter(({ heading }) => {
    const own = new Set(wordsIn(heading));
    return wanted.length > 0 && wanted.every((word) => own.has(word));
  });
  const [found, ...others] = exact.length > 0 ? exact : near;
  if (found !== undefined && others.length === 0) return found.grown(more);
  if (found !== undefined)
    throw new ToolFailure(
      "section_unclear",
      `under: expected one heading of the page, but "${shortened(under)}" may be ${[found, ...others].map(({ heading }) => `"${heading}"`).join(" or ")}`,
    );
  const begin = plainText(toAdf(under.trim())).toLowerCase();
  const [line, ...alike] = lines.filter(({ text }) => begin !== "" && text.toLowerCase().startsWith(begin));
  if (line?.follow !== undefined && alike.length === 0 && isPlainLine(more)) return line.follow(more.trim());
  const names = sections.map(({ heading }) => `"${heading}"`).join(", ");
  throw new ToolFailure(
    "section_not_found",
    `under: expected a heading of the page, or the beginning of one line of it, got "${shortened(under)}". ${names === "" ? "It has no headings" : `Its headings are ${names}`}`,
  );
}

export interface Section<T> {
  heading: string;
  /** The page with more at the end of this section. */
  grown(more: string): T;
}

/** Whether a text is a line that can be an item of the list that it comes below. */
export function isPlainLine(more: string): boolean {
  const [block, ...others] = toAdf(more).content;
  return others.length === 0 && block?.type === "paragraph" && !more.trim().includes("\n");
}

const MARK = /^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|#{1,6}\s+|>\s*)*/;

function linesOf(markdown: string): Line<string>[] {
  const lines = markdown.split("\n");
  const joined = (at: number, line: string | undefined): string =>
    (line === undefined ? withoutLine(lines, at) : lines.with(at, line)).join("\n");
  return lines.map((line, at): Line<string> => {
    const isRow = rowsIn(line) !== undefined;
    const mark = isRow ? "" : (MARK.exec(line)?.[0] ?? "");
    const own = line.slice(mark.length);
    const text = isRow ? asRow(cellsOf(line)) : plainText(toAdf(own));
    return {
      text,
      isRow,
      ...(/\[[ xX]\]/.test(mark) ? { box: boxOf(mark, (other) => joined(at, other + own)) } : {}),
      put(now) {
        const whole = now !== undefined && isRow ? withCells(line, checkedCells(now, cellsOf(line))) : now;
        return joined(at, whole === undefined ? undefined : mark + whole);
      },
      splice(start, end, now) {
        const old = text.slice(start, end);
        const [place, ...others] = placesOf(own, old);
        if (place === undefined || others.length > 0) return undefined;
        return joined(at, mark + own.slice(0, place) + now + own.slice(place + old.length));
      },
      ...(isRow || own.trim() === ""
        ? {}
        : {
            follow(more) {
              if (ITEM.test(mark)) return joined(at, `${line}\n${nextOf(mark)}${more}`);
              // A paragraph goes on up to the next empty line.
              const next = lines.findIndex((other, index) => index > at && other.trim() === "");
              const last = next === -1 ? lines.length : next;
              return lines.toSpliced(last, 0, "", more).join("\n");
            },
          }),
    };
  });
}

function boxOf(mark: string, put: (mark: string) => string): NonNullable<Line<string>["box"]> {
  const isDone = /\[[xX]\]/.test(mark);
  return { isDone, turned: () => put(mark.replace(/\[[ xX]\]/, isDone ? "[ ]" : "[x]")) };
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s/;

/** The mark of the item behind one: not done, and with the next number. */
function nextOf(mark: string): string {
  return mark.replace(/\[[xX]\]/, "[ ]").replace(/\d+/, (number) => String(Number(number) + 1));
}

/** A row with other cells: those that stay as they are written, and where there is room the columns stay in line. */
function withCells(row: string, cells: readonly string[]): string {
  const texts = cellsOf(row);
  const own = row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/);
  const put = own.map((cell, at) =>
    cells[at] === texts[at] ? cell : ` ${cells[at] ?? ""} `.padEnd(cell.length),
  );
  return `|${put.join("|")}|`;
}

/** Without a line, and without the empty one that parted it from the next. */
function withoutLine(lines: readonly string[], at: number): string[] {
  const isAlone = (lines[at - 1] ?? "").trim() === "" && (lines[at + 1] ?? "").trim() === "";
  return lines.toSpliced(at, isAlone ? 2 : 1);
}

/** Markdown with one text in place of another; a line is gone where its whole text is replaced by nothing. */
export function withText(markdown: string, old: string, now: string): string {
  // The cells of tables are found by their rows, so that a text of one may be a part of it as well.
  const lines = linesOf(markdown);
  const isRow = rowsIn(old) !== undefined;
  return edited(isRow ? lines : lines.map((line) => ({ ...line, isRow: false })), old, now);
}

/** Markdown with more below it; items of a list go into the list that it ends with. */
export function withMore(markdown: string, more: string): string {
  if (markdown.trim() === "") return more;
  const last = lexer(markdown).findLast(({ type }) => type !== "space");
  return `${markdown.trimEnd()}${isItemsOf(last?.type === "list" ? listTypeOf(last as Tokens.List) : undefined, more) ? "\n" : "\n\n"}${more}`;
}

function listTypeOf({ ordered, items }: Tokens.List): string {
  return items.some(({ task }) => task) ? "taskList" : ordered ? "orderedList" : "bulletList";
}

/** Whether Markdown is nothing but items of a list of such a type. */
export function isItemsOf(type: string | undefined, more: string): boolean {
  const [block, ...others] = toAdf(more).content;
  return others.length === 0 && type !== undefined && block?.type === type;
}

/** Markdown with more at the end of the section that is called so, or behind the line that begins so. */
export function withMoreUnder(markdown: string, under: string, more: string): string {
  let at = 0;
  const tokens = lexer(markdown).map((token) => {
    const start = at;
    at += token.raw.length;
    return { token, start, end: at };
  });
  const sections = tokens.flatMap(({ token, end }, index): Section<string>[] => {
    if (token.type !== "heading") return [];
    const { depth, text } = token as Tokens.Heading;
    const next = tokens
      .slice(index + 1)
      .find(({ token: other }) => other.type === "heading" && (other as Tokens.Heading).depth <= depth);
    const last = tokens
      .slice(index + 1)
      .findLast(({ token: own, start }) => own.type !== "space" && start < (next?.start ?? Infinity));
    const [from, to] = [end, next?.start ?? markdown.length];
    const section = markdown.slice(from, to).trimEnd();
    const grown = (more: string): string => {
      const rows = rowsIn(more);
      if (rows !== undefined) return withRows(section, rows);
      if (last?.token.type === "list" && isPlainLine(more))
        return `${section}\n${nextMark(section)}${more.trim()}`;
      return `${section}\n\n${more.trim()}`;
    };
    const gap = to === markdown.length ? "" : "\n\n";
    return [
      {
        heading: plainText(toAdf(text)),
        grown: (more) =>
          `${markdown.slice(0, from).trimEnd()}\n\n${grown(more).replace(/^\n+/, "")}${gap}${markdown.slice(to)}`,
      },
    ];
  });
  return grownUnder(under, more, { sections, lines: linesOf(markdown) });
}

/** The mark of the item that comes after those of a list. */
function nextMark(section: string): string {
  const marks = section
    .split("\n")
    .flatMap((line) => /^(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+)/.exec(line)?.[0] ?? []);
  return nextOf(marks.at(-1) ?? "- ");
}
