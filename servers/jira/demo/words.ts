import { stemmer } from "stemmer";

import { fold } from "../names.ts";

/** Words that say nothing about what is looked for. */
const stopWords: ReadonlySet<string> = new Set(
  "a about all an and any are as at be by do for from has have how i in is it its me my of on or our that the this to was we what when where which who why with find show list search give issue issues ticket tickets jira".split(
    " ",
  ),
);

/** The words of a text, folded; issue keys stay whole. */
export function wordsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}_]+(?:-\d+)?/gu) ?? [];
}

/** Words as they are indexed: "teapots" and "teapot" are one. */
export function stem(word: string): string {
  return stemmer(word);
}

/** The words of a question worth looking for; all of them when there are no others. */
export function searchWords(query: string): string[] {
  const words = wordsOf(query);
  const telling = words.filter((word) => !stopWords.has(word));
  return telling.length > 0 ? telling : words;
}

/** JQL's `~`: every word of `wanted` is in the text; "log*" matches by its beginning. */
export function containsWords(text: string, wanted: string): boolean {
  const words = wordsOf(text);
  const stems = new Set(words.map(stem));
  return (fold(wanted).match(/[\p{L}\p{N}_]+(?:-\d+)?\*?/gu) ?? []).every((word) =>
    word.endsWith("*")
      ? words.some((candidate) => candidate.startsWith(word.slice(0, -1)))
      : stems.has(stem(word)),
  );
}
