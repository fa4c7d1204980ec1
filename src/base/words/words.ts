import { de } from "./de.ts";
import { en, type Words } from "./en.ts";

const LANGUAGES: readonly { words: Words; names: readonly string[] }[] = [
  { words: en, names: ["en", "english"] },
  { words: de, names: ["de", "german", "deutsch"] },
];

/** What each language says there, for texts that were written at another time. */
export function inEveryLanguage<Said>(pick: (words: Words) => Said): Said[] {
  return LANGUAGES.map(({ words }) => pick(words));
}

/** The words of a language by its name or code, such as "German", "Deutsch", "de" and "de-AT"; else English. */
export function wordsOf(language: string | undefined): Words {
  const [name = ""] = (language ?? "")
    .trim()
    .toLowerCase()
    .split(/[^\p{L}]/u, 1);
  return LANGUAGES.find(({ names }) => names.includes(name))?.words ?? en;
}
