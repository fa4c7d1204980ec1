import { remember } from "../../base/remember.ts";
import { STATEMENT } from "./sql-statement.ts";

/** A piece of the message with its place. */
export interface Piece {
  value: string;
  start: number;
  end: number;
}

/** Stands for each character of a quoted string. */
export const QUOTED = "\uE001";
/** Stands for each character that is understood already. */
export const TAKEN = "\uE000";
/** Behind it stands what somebody dictates. */
export const COLON: RegExp = /(?<=[\p{L}\p{N}\uE001)]):\s+(?=\S)/u;

/**
 * A sentence on which arguments are marked off one by one. `masked` has the length of the text;
 * quoted strings and what was taken cannot match a pattern by accident.
 */
export interface Sheet {
  readonly text: string;
  readonly masked: string;
  readonly quotes: readonly Piece[];
  /** The quotes that nobody has taken. */
  openQuotes(): Piece[];
  quoteAt(start: number): Piece | undefined;
  take(start: number, end: number): void;
}

const PAIRS = `"([^"\\n]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|\`([^\`\\n]*)\``;
const SINGLE = "'([^\\n]*?)'(?![\\p{L}\\p{N}])|‘([^‘\\n]*?)’(?![\\p{L}\\p{N}])";
/** An apostrophe may open a quotation that is closed far away or never; with too many, none does. */
const MAX_APOSTROPHES = 60;

const [FEW_QUOTES, MANY_QUOTES] = [`${PAIRS}|${SINGLE}`, PAIRS].map(
  (inner) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${inner}|(${STATEMENT}))`, "gu"),
) as [RegExp, RegExp];

function quotePattern(text: string): RegExp {
  const apostrophes = text.split(/['’]/, MAX_APOSTROPHES + 1).length - 1;
  return apostrophes < MAX_APOSTROPHES ? FEW_QUOTES : MANY_QUOTES;
}

/** A message is looked at in many ways, each of which asks what is quoted in it. */
const MOST_TEXTS = 64;
const quotesIn = remember(MOST_TEXTS, (text: string): { quotes: readonly Piece[]; masked: string } => {
  const plain = text.replaceAll(TAKEN, " ").replaceAll(QUOTED, " ");
  const quotes: Piece[] = [];
  // In pieces: a text of thousands of quotes would be copied for each of them.
  const masked: string[] = [];
  let from = 0;
  for (const match of plain.matchAll(quotePattern(plain))) {
    const value = match.slice(1).find((group) => group !== undefined) ?? "";
    const [start, end] = [match.index, match.index + match[0].length];
    quotes.push({ value: value.trim(), start, end });
    masked.push(plain.slice(from, start), QUOTED.repeat(end - start));
    from = end;
  }
  return { quotes, masked: masked.join("") + plain.slice(from) };
});

export function createSheet(text: string): Sheet {
  const { quotes, masked: own } = quotesIn(text);
  let masked = own;

  function cover(start: number, end: number, mark: string): void {
    masked = masked.slice(0, start) + mark.repeat(end - start) + masked.slice(end);
  }

  return {
    text,
    quotes,
    get masked() {
      return masked;
    },
    openQuotes: () => quotes.filter(({ start }) => masked[start] === QUOTED),
    quoteAt: (start) => quotes.find((quote) => quote.start === start && masked[start] === QUOTED),
    take: (start, end) => {
      cover(start, end, TAKEN);
    },
  };
}

/** A message cut down to its sentence: long quoted or pasted texts are one character each. */
export interface Shortened {
  text: string;
  /** The sentence itself is longer than anybody reads as one. */
  tooLong: boolean;
  /** Puts the long texts back into what is to be done. */
  restore: <Value>(value: Value) => Value;
}

/** What is said to people, with dots for the long texts. */
export function withDots(said: string): string {
  return said.replace(STAND_IN, "…");
}

const LONG = 200;
const MAX_SENTENCE = 1500;
/** Stand-ins are private-use characters, so no word of a message is one. */
const FIRST_STAND_IN = 0xe100;
const STAND_IN = /[\uE100-\uE1FF]/g;

/**
 * Reading a sentence costs more than proportionally to its length, so bodies of any size are taken out
 * before and put back after. Nothing is lost. Those of several messages are told apart where they share `kept`.
 */
export function shorten(message: string, kept: string[] = []): Shortened {
  const standIn = (text: string): string => {
    kept.push(text);
    return String.fromCharCode(FIRST_STAND_IN + kept.length - 1);
  };
  const rest = message.replace(/[\uE000-\uE1FF]/g, " ");
  let text = "";
  const { quotes, masked } = createSheet(rest);
  const colon = /[\p{L}\p{N}\uE001)]:\s+(?=\S)/u.exec(masked.slice(0, MAX_SENTENCE));
  const tailAt = colon ? colon.index + colon[0].length : rest.length;
  const tail = rest.slice(tailAt);
  let from = 0;
  for (const { value, start, end } of quotes) {
    if (end > tailAt) break;
    const isLong = value.length > LONG && kept.length < 200;
    // What stands in single quotes is quoted like anything else.
    const isSingle = /^['‘]/.test(rest[start] ?? "") && !value.includes('"');
    const quoted = isLong ? `"${standIn(value)}"` : isSingle ? `"${value}"` : rest.slice(start, end);
    text += squeeze(rest.slice(from, start)) + quoted;
    from = end;
  }
  text += squeeze(rest.slice(from, tailAt)) + (tail.length > LONG ? standIn(tail.trim()) : tail);
  return {
    text: text.slice(0, MAX_SENTENCE),
    tooLong: text.length > MAX_SENTENCE,
    restore: (value) => restored(value, kept) as typeof value,
  };
}

function squeeze(text: string): string {
  return text.replace(/[^\S\n]+/g, " ").replace(/\n[\s]*/g, "\n");
}

function restored(value: unknown, kept: string[]): unknown {
  if (typeof value === "string")
    return value.replace(STAND_IN, (char) => kept[char.charCodeAt(0) - FIRST_STAND_IN] ?? char);
  if (Array.isArray(value)) return value.map((item) => restored(item, kept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, restored(item, kept)]));
}

/** A text without the quotes that stand around all of it. */
export function unquoted(text: string): string {
  const trimmed = text.trim();
  const [quote] = createSheet(trimmed).quotes;
  const isAll = quote?.start === 0 && /^[\s.,!?;:]*$/.test(trimmed.slice(quote.end));
  return isAll ? quote.value : trimmed;
}

/** A text that may stand between “ and ”. */
export function quotable(text: string): string {
  return text.replaceAll(/[“”„]/g, '"').replaceAll(QUOTED, "");
}
