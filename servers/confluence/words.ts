import { stemmer } from "stemmer";

/** Words that say nothing about what a page is about, among them those that name the wiki itself. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about all an and any are article articles as at be but by can confluence could did do docs " +
    "does documentation find for from get had has have how i in into is it its me my of on or our " +
    "page pages please say says should show so tell that the their them there these they this " +
    "those to us was we were what when where which who why wiki will with would you your"
  ).split(" "),
);

const EXCERPT_LENGTH = 240;

/** Whether the query has a word to look for at all. */
export function hasSearchWords(query: string): boolean {
  return tokenize(query).some((word) => searchTermOf(word) !== undefined);
}

/** The part of a text around the first word that matches, cut at words. */
export function excerptOf(text: string, query = ""): string {
  const stems = new Set(tokenize(query).map(searchTermOf));
  let start = 0;
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const term = searchTermOf(word);
    if (term === undefined || !stems.has(term)) continue;
    // A little of what goes before, so that the match stands in its sentence.
    start = index < EXCERPT_LENGTH / 2 ? 0 : text.lastIndexOf(" ", index - 60) + 1;
    break;
  }
  const whole = text.length <= start + EXCERPT_LENGTH;
  const space = text.lastIndexOf(" ", start + EXCERPT_LENGTH);
  const end = whole ? text.length : space > start ? space : start + EXCERPT_LENGTH;
  return `${start > 0 ? "… " : ""}${text.slice(start, end).trim()}${whole ? "" : " …"}`;
}

/** The words of a text, as they stand. */
export function tokenize(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The stem of a word, or undefined for a stop word. */
export function searchTermOf(word: string): string | undefined {
  // Accents fall away: people type "conges" for "congés".
  const plain = word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return STOP_WORDS.has(plain) || plain === "" ? undefined : stemmer(plain);
}
