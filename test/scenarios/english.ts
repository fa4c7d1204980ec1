import { de } from "#src/base/words/de.ts";
import { en } from "#src/base/words/en.ts";

/** Where a value stands in a sentence. */
const PLACE = "\u{f0000}";

/** Every piece of every sentence, between what it names. */
function piecesOf(words: object): string[] {
  return Object.values(words).flatMap((value: unknown): string[] => {
    if (typeof value === "string") return [value];
    if (typeof value === "object" && value !== null) return piecesOf(value);
    if (typeof value !== "function") return [];
    try {
      const said: unknown = (value as (...values: string[]) => unknown)(PLACE, PLACE, PLACE, PLACE, PLACE);
      return typeof said === "string" ? said.split(PLACE) : [];
    } catch {
      // It takes more than texts: the pieces of statements stand in the views.
      return [];
    }
  });
}

/** Labels of ours, and all else that German says as English does. */
const german = new Set([...piecesOf(de), ...Object.values(de.labels)].map((piece) => piece.trim()));
const english = [...new Set(piecesOf(en).map((piece) => piece.trim()))].filter((piece) => !german.has(piece));
/** Long enough to be nobody else's words; shorter ones are looked for as a whole text. */
const LONG = english.filter((piece) => piece.length >= 10 && / /.test(piece));
const WHOLE = new Set(english.filter((piece) => /[a-z]{3}/i.test(piece)));

/** English sentences of ours, or pieces of them, in what was sent. */
export function englishIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [
    ...(WHOLE.has(text.trim()) ? [text.trim()] : []),
    ...LONG.filter((piece) => text.includes(piece)).map(
      (piece) => `${piece} in ${JSON.stringify(text.slice(0, 160))}`,
    ),
  ]);
}
