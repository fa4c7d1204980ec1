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

function quotePattern(text: string): RegExp {
  const apostrophes = text.split(/['’]/, MAX_APOSTROPHES + 1).length - 1;
  const inner = apostrophes < MAX_APOSTROPHES ? `${PAIRS}|${SINGLE}` : PAIRS;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${inner})`, "gu");
}

export function createSheet(text: string): Sheet {
  const quotes: Piece[] = [];
  let masked = text.replaceAll(TAKEN, " ").replaceAll(QUOTED, " ");
  for (const match of masked.matchAll(quotePattern(masked))) {
    const value = match.slice(1).find((group) => group !== undefined) ?? "";
    quotes.push({ value: value.trim(), start: match.index, end: match.index + match[0].length });
  }
  for (const { start, end } of quotes) cover(start, end, QUOTED);

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
