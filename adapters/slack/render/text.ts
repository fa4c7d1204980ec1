/** Characters that are never meant to be read, and that some clients choke on. */
// oxlint-disable-next-line no-control-regex -- naming control characters is the point
const FORBIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFE\uFFFF]/gu;

const EMBEDDINGS = /[\u202A\u202B\u202D\u202E]/g;
const ISOLATES = /[\u2066-\u2068]/g;

/**
 * Data as it may stand in a block: line ends as `\n`, lone surrogates and control characters as U+FFFD,
 * and every change of writing direction closed, so that it cannot reach what follows.
 */
export function cleanText(text: string): string {
  const clean = text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(FORBIDDEN, "\uFFFD");
  const isolates = clean.match(ISOLATES)?.length ?? 0;
  const embeddings = clean.match(EMBEDDINGS)?.length ?? 0;
  return clean + "\u2069".repeat(isolates) + "\u202C".repeat(embeddings);
}

/**
 * Data for the `text` of a message, the one place where Slack reads markup: what stands there is seen
 * in notifications only. `&`, `<` and `>` become entities, so there is no mention and no link; the
 * other marks give way to characters that look like them, as Slack knows no escape for them.
 */
export function escapeText(text: string): string {
  return cleanText(text)
    .replaceAll(/:(?=[\w+'-]+:|\/\/)/g, "\u2236")
    .replaceAll("*", "\u2217")
    .replaceAll("~", "\u223C")
    .replaceAll("`", "\u02CB")
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\uFF3F")
    .replaceAll(/^([ \t]*)>/gm, "$1\u203A")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** What a text adds to the JSON of a message at most: Slack may count `<` as the entity it stores. */
export function costOf(text: string): number {
  let cost = 0;
  for (let at = 0; at < text.length; at += 1) cost += unitCost(text.charCodeAt(at));
  return cost;
}

function unitCost(unit: number): number {
  switch (unit) {
    case 0x26: // &
      return 5;
    case 0x3c: // <
    case 0x3e: // >
      return 4;
    case 0x09:
    case 0x0a:
    case 0x22: // "
    case 0x5c: // backslash
      return 2;
    default:
      return 1;
  }
}

/** What blocks weigh in a message, in characters. */
export function weigh(value: unknown): number {
  const json = JSON.stringify(value);
  let weight = json.length;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit === 0x26) weight += 4;
    else if (unit === 0x3c || unit === 0x3e) weight += 3;
  }
  return weight;
}

/**
 * A text in pieces that cost at most `max` each; together they are the text. Broken after a line where
 * there is one in the last half, else after a space, never inside a character.
 */
export function splitText(text: string, max: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const fitting = fittingEnd(text, start, max);
    const end = fitting === text.length ? fitting : breakBefore(text, start, fitting);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Where a piece from `start` on that costs at most `max` ends; it has at least one character. */
function fittingEnd(text: string, start: number, max: number): number {
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
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, end - 1) + 1;
    if (at > earliest) return at;
  }
  return end;
}

/** At most `max` UTF-16 units, the last one an ellipsis when something was cut. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start}…`;
}

/** Line breaks and runs of spaces as single spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** "1 row", "12 rows", "10,000 rows". */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString("en-GB")} ${amount === 1 ? one : many}`;
}
