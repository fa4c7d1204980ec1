import { inspect } from "node:util";

import { Ruler, type Run } from "#src/base/text-width.ts";

/** What an Ink writes: a style on or off, a link's begin or end. Texts hold no other escape sequence. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const SEQUENCE = /\u001b\[(\d+)m|\u001b\]8;;([^\u0007]*)\u0007/g;

/** The code that ends a style, by the code that begins it. */
const ENDS = new Map(Object.values(inspect.colors).filter((codes) => codes !== undefined));

/** Columns of a styled line; where they are more than `most`, any number above it. */
export function columnsOf(line: string, ruler: Ruler = new Ruler(), most: number = Infinity): number {
  return ruler.columns(bare(line), most);
}

function bare(line: string): string {
  return line.includes("\u001b") ? line.replace(SEQUENCE, "") : line;
}

/**
 * Lines of at most `width` columns. Words break only where they are longer than a line; a line that
 * starts with spaces keeps them, also where it goes on. Styles and links are ended and begun anew around
 * a break. Takes time in proportion to the text.
 */
export function wrap(text: string, width: number, ruler: Ruler = new Ruler()): string[] {
  return text.split("\n").flatMap((line) => {
    if (columnsOf(line, ruler, width) <= width) return [line];
    const spaces = /^ */.exec(line)?.[0].length ?? 0;
    const indent = " ".repeat(Math.min(spaces, Math.floor(width / 2)));
    const rows = rowsOf(line.slice(spaces), Math.max(1, width - indent.length), ruler);
    return (line.includes("\u001b") ? eachStyled(rows) : rows).map((row) => indent + row);
  });
}

function rowsOf(line: string, columns: number, ruler: Ruler): string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  // What stands between two words, whose spaces are dropped where the row ends there.
  let between = "";
  let gap = 0;
  const turn = (): void => {
    rows.push(row + between.replaceAll(" ", ""));
    row = "";
    used = 0;
    between = "";
    gap = 0;
  };
  const add = (text: string, taken: number): void => {
    row += between + text;
    used += gap + taken;
    between = "";
    gap = 0;
  };
  for (const [index, word] of line.split(" ").entries()) {
    if (index > 0 && used > 0) {
      between += " ";
      gap += 1;
    }
    // How many rows a word of very many takes makes no difference.
    const taken = columnsOf(word, ruler, 20 * columns);
    if (taken === 0) {
      between += word;
    } else if (taken <= columns) {
      if (used > 0 && used + gap + taken > columns) turn();
      add(word, taken);
    } else {
      const room = columns - used - gap;
      const isShorter = room > 0 && Math.ceil((taken - room) / columns) < Math.ceil(taken / columns);
      if (used > 0 && !isShorter) turn();
      for (const { text, signs, columns: each } of styledRuns(word, ruler)) {
        if (each === 0) {
          between += text;
          continue;
        }
        for (let at = 0; at < signs;) {
          if (used > 0 && used + gap + each > columns) turn();
          const fitting = Math.min(signs - at, Math.max(1, Math.floor((columns - used - gap) / each)));
          add(signs === 1 ? text : text.slice(at, at + fitting), fitting * each);
          at += fitting;
        }
      }
    }
  }
  turn();
  return rows;
}

/** A word from its start to its end, with its escape sequences as signs of no width. */
function* styledRuns(word: string, ruler: Ruler): Generator<Run, void> {
  let from = 0;
  for (const found of word.matchAll(SEQUENCE)) {
    yield* ruler.runs(word.slice(from, found.index));
    yield { text: found[0], signs: 1, columns: 0 };
    from = found.index + found[0].length;
  }
  yield* ruler.runs(word.slice(from));
}

/** Rows that each stand for themselves: what goes on is ended at the end of a row and begun in the next. */
function eachStyled(rows: readonly string[]): string[] {
  const styles: { end: number; begin: string }[] = [];
  let link = "";
  const beginAll = (): string => styles.map(({ begin }) => begin).join("") + link;
  return rows.map((row) => {
    const lead = beginAll();
    for (const [sequence, code, address] of row.matchAll(SEQUENCE)) {
      if (code === undefined) {
        link = address === "" ? "" : sequence;
        continue;
      }
      const end = ENDS.get(Number(code));
      const begun = styles.findLastIndex((style) => style.end === Number(code));
      if (end !== undefined) styles.push({ end, begin: sequence });
      else if (begun !== -1) styles.splice(begun, 1);
    }
    const tail = styles.map(({ end }) => `\u001b[${end}m`).toReversed();
    return `${lead}${row}${link === "" ? "" : "\u001b]8;;\u0007"}${tail.join("")}`;
  });
}

/** Lines with `first` before the first one and spaces of the same width before the others. */
export function hang(first: string, text: string, width: number, ruler: Ruler = new Ruler()): string[] {
  const indent = columnsOf(first, ruler);
  return wrap(text, Math.max(1, width - indent), ruler).map((line, index) =>
    index === 0 ? first + line : " ".repeat(indent) + line,
  );
}

/** A label in a column of `labels` columns and its value beside it; below it where the label is longer. */
export function labelled(
  label: string,
  value: string,
  labels: number,
  width: number,
  ruler: Ruler = new Ruler(),
): string[] {
  if (columnsOf(label, ruler) <= labels)
    return hang(`${pad(label, labels, "left", ruler)}  `, value, width, ruler);
  return [...wrap(label, width, ruler), ...hang("  ", value, width, ruler)];
}

export function pad(
  text: string,
  width: number,
  align: "left" | "right" = "left",
  ruler: Ruler = new Ruler(),
): string {
  const gap = " ".repeat(Math.max(0, width - columnsOf(text, ruler)));
  return align === "right" ? gap + text : text + gap;
}

/** A plain line of at most `width` columns, with `…` where something was left out. */
export function cut(text: string, width: number): string {
  // A row of any text has a few hundred characters at most that are seen.
  const start = text.slice(0, 20 * width + 200);
  if (start === text && columnsOf(text) <= width) return text;
  let shown = "";
  let used = 0;
  for (const { text: part, signs, columns } of new Ruler().runs(start)) {
    const fitting = columns === 0 ? signs : Math.min(signs, Math.floor((width - 1 - used) / columns));
    shown += signs === 1 && fitting === 1 ? part : part.slice(0, fitting);
    used += fitting * columns;
    if (fitting < signs) break;
  }
  return `${shown.trimEnd()}…`;
}

/** The width of the widest line. */
export function widest(text: string, ruler: Ruler = new Ruler()): number {
  return text.split("\n").reduce((most, line) => Math.max(most, columnsOf(line, ruler)), 0);
}

export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
