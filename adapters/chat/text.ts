/** Characters that are never meant to be read, and that some clients choke on. */
// oxlint-disable-next-line no-control-regex -- naming control characters is the point
const FORBIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFE\uFFFF]/gu;

const EMBEDDINGS = /[\u202A\u202B\u202D\u202E]/g;
const ISOLATES = /[\u2066-\u2068]/g;

/**
 * Data as it may stand in a message: line ends as `\n`, lone surrogates and control characters as U+FFFD,
 * and every change of writing direction closed, so that it cannot reach what follows.
 */
export function cleanText(text: string): string {
  const clean = text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(FORBIDDEN, "\uFFFD");
  const isolates = clean.match(ISOLATES)?.length ?? 0;
  const embeddings = clean.match(EMBEDDINGS)?.length ?? 0;
  return clean + "\u2069".repeat(isolates) + "\u202C".repeat(embeddings);
}

/** What one UTF-16 unit takes up where it will stand. */
export type UnitCost = (unit: number) => number;

/**
 * A text in pieces that cost at most `max` each; together they are the text. Broken after a line where
 * there is one in the last half, else after a space, never inside a character.
 */
export function splitText(text: string, max: number, unitCost: UnitCost = () => 1): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const fitting = fittingEnd(text, start, max, unitCost);
    const end = fitting === text.length ? fitting : breakBefore(text, start, fitting);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Where a piece from `start` on that costs at most `max` ends; it has at least one character. */
function fittingEnd(text: string, start: number, max: number, unitCost: UnitCost): number {
  let cost = 0;
  let end = start;
  for (; end < text.length; end += 1) {
    cost += unitCost(text.charCodeAt(end));
    if (cost > max && end > start) break;
  }
  const next = text.charCodeAt(end);
  const isInCharacter = next >= 0xdc00 && next <= 0xdfff && isHigh(text.charCodeAt(end - 1));
  if (!isInCharacter) return end;
  return end - start > 1 ? end - 1 : end + 1;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function breakBefore(text: string, start: number, end: number): number {
  const earliest = start + Math.floor((end - start) / 2);
  // Not in the whole text: one without spaces would be read from its start for each of its pieces.
  const half = text.slice(earliest, end);
  for (const mark of ["\n", " "]) {
    const at = half.lastIndexOf(mark);
    if (at >= 0) return earliest + at + 1;
  }
  return end;
}
