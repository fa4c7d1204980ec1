import { createRequire } from "node:module";

import type * as StringWidth from "string-width";

/**
 * Columns of a UTF-16 unit that is one character whatever stands beside it: letters of Latin, Greek and
 * Cyrillic, punctuation, boxes, ideographs, kana, precomposed Hangul. 0: it has to be looked at with what is
 * around it, such as a mark, half an emoji or a joiner. These units are nearly all that people write, and
 * looking at one costs a thousandth of what the whole rules cost.
 */
function columnsOfUnit(unit: number): 0 | 1 | 2 {
  if (unit < 0x7f) return unit < 0x20 ? 0 : 1;
  if (unit < 0x300) return unit < 0xa0 || unit === 0xad ? 0 : 1;
  if (unit < 0x2010) return isLetter(unit) ? 1 : 0;
  if (unit < 0x2600) return isSign(unit) ? 1 : 0;
  if (unit < 0x3001) return 0;
  if (unit < 0xd7a4) return isWide(unit) ? 2 : 0;
  return unit === 0xfffd ? 1 : 0;
}

function isLetter(unit: number): boolean {
  return unit >= 0x370 && unit < 0x530 && (unit < 0x483 || unit > 0x489);
}

/** Dashes, quotation marks, arrows, operators, control pictures, boxes; not those that may be drawn as emoji. */
function isSign(unit: number): boolean {
  if (unit < 0x2028) return true;
  return (
    (unit >= 0x2190 && unit < 0x2194) ||
    (unit >= 0x2200 && unit < 0x2300) ||
    (unit >= 0x2400 && unit < 0x25aa)
  );
}

function isWide(unit: number): boolean {
  if (unit < 0x3100) return unit < 0x302a || (unit > 0x3040 && unit < 0x3097) || unit > 0x309f;
  return (unit >= 0x4e00 && unit < 0xa000) || unit >= 0xac00;
}

/** Signs of one width that stand side by side: each is one UTF-16 unit, or there is one of several. */
export interface Run {
  text: string;
  signs: number;
  /** Of one sign. */
  columns: number;
}

const require = createRequire(import.meta.url);

/** The whole rules. Loaded when a text needs them: their expressions take a twelfth of the product's start. */
function wholeRules(): (sign: string) => number {
  return (require("string-width") as typeof StringWidth).default;
}

const SEGMENTER = new Intl.Segmenter();

/** Of more different signs than anybody writes, each further one is taken for a wide one. */
const MOST_SIGNS = 2_000;

/**
 * Measures what a fixed-width screen needs for texts without escape sequences, and remembers what it has
 * seen: one ruler for all that is drawn together keeps the cost of any text in bounds.
 */
export class Ruler {
  readonly #known = new Map<string, number>();

  /** Columns of a text of one line; where they are more than `most`, any number above it. */
  columns(text: string, most: number = Infinity): number {
    if (/^[ -~]*$/.test(text)) return text.length;
    let columns = 0;
    for (const run of this.runs(text)) {
      columns += run.signs * run.columns;
      if (columns > most) break;
    }
    return columns;
  }

  /** The text from its start to its end. A sign, such as a letter with its marks, is never divided. */
  *runs(text: string): Generator<Run, void> {
    for (let at = 0; at < text.length;) {
      const columns = columnsOfUnit(text.charCodeAt(at));
      let end = at;
      // What follows may belong to a unit: a mark above it, a selector that makes it an emoji.
      while (end < text.length && columnsOfUnit(text.charCodeAt(end)) === columns && isAlone(text, end + 1)) {
        end += 1;
      }
      if (columns > 0 && end > at) {
        yield { text: text.slice(at, end), signs: end - at, columns };
      } else {
        end = knotEnd(text, at);
        yield* this.#knot(text.slice(at, end));
      }
      at = end;
    }
  }

  *#knot(text: string): Generator<Run, void> {
    for (const { segment } of SEGMENTER.segment(text)) {
      let columns = this.#known.get(segment);
      if (columns === undefined && this.#known.size < MOST_SIGNS) {
        columns = wholeRules()(segment);
        this.#known.set(segment, columns);
      }
      yield { text: segment, signs: 1, columns: columns ?? 2 };
    }
  }
}

/** Whether the unit at `at` cannot belong to the one before it. */
function isAlone(text: string, at: number): boolean {
  return at >= text.length || columnsOfUnit(text.charCodeAt(at)) > 0;
}

/** Where units end that have to be looked at together: between two that stand for themselves. */
function knotEnd(text: string, start: number): number {
  let wasAlone = columnsOfUnit(text.charCodeAt(start)) > 0;
  for (let at = start + 1; at < text.length; at += 1) {
    const stands = columnsOfUnit(text.charCodeAt(at)) > 0;
    if (wasAlone && stands) return at;
    wasAlone = stands;
  }
  return text.length;
}
