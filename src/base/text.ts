/**
 * Characters that a terminal hides, or that turn what stands beside them, and the sequences that are kept
 * although they use some of them: flags of regions (🏴 with tag characters) and ideographs with a
 * variation selector.
 */
const KEPT_OR_HIDDEN =
  /(\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f}|\p{Script=Han}[\u{e0100}-\u{e01ef}])|[\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** The same ones, and the controls that JSON leaves as they are. */
const UNSAFE_IN_JSON =
  /[\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/**
 * Text from outside as it may be printed: line breaks stay, and every other character that a terminal
 * would obey (escape sequences, C0 and C1 controls) or hide (direction controls, zero-width and tag
 * characters) becomes a visible sign. A ticket title cannot move the cursor, and what looks the same
 * is the same.
 */
export function plainText(value: string): string {
  return (
    value
      .toWellFormed()
      .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
      .replaceAll("\t", "    ")
      // Control pictures: ESC is shown as ␛.
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      .replace(/[\u0000-\u0009\u000b-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
      .replaceAll("\u007f", "␡")
      .replace(/[\u0080-\u009f]/g, "�")
      .replaceAll("\u00ad", "-")
      .replace(KEPT_OR_HIDDEN, (_sign, kept?: string) => kept ?? "�")
  );
}

/** The same on one line: line breaks become spaces. */
export function plainLine(value: string): string {
  return plainText(value).replace(/\n+/g, " ").trim();
}

/** JSON that means the same and holds none of these characters: they stand as `\u` escapes. */
export function plainJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** At most `max` UTF-16 units, the last one an ellipsis when something was cut; never half a character. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${startOf(text, max - 1)}…`;
}

/** The first `units` UTF-16 units of a text, one less where that would divide a character. */
export function startOf(text: string, units: number): string {
  return text.slice(0, units).replace(/[\uD800-\uDBFF]$/, "");
}

/** White space and line breaks as single spaces, cut to `max` UTF-16 units with an ellipsis. */
export function oneLine(text: string, max: number = Infinity): string {
  // Of a long text the start is enough for the result.
  const start = text.slice(0, max * 8);
  return cutText(start.replaceAll(/\s+/g, " ").trim(), max);
}

/**
 * Characters that are not seen, or that change how their neighbours are seen: controls, writing
 * direction, zero width, fillers, private use, lone surrogates.
 */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Each of them as its `\u` escape. */
export function unseenAsEscapes(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** "1 issue", "12 issues", "10,000 issues". */
export function count(amount: number, one: string, many: string = `${one}s`): string {
  return `${grouped(amount)} ${amount === 1 ? one : many}`;
}

/** The same without a comma in thousands: "10000 issues". */
export function plural(amount: number, one: string, many: string = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

/** 10000 as "10,000". */
export function grouped(amount: number): string {
  return amount.toLocaleString("en-GB");
}

/** The cells of a row of a Markdown table, such as `| 3 July | Farid |`, without the spaces around them. */
export function cellsIn(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
