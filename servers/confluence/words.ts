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
/** So much of it stands before the first word that was looked for. */
const LEAD = 60;

/** Whether the query has a word to look for at all. */
export function hasSearchWords(query: string): boolean {
  return tokenize(query).some((word) => searchTermOf(word) !== undefined);
}

/** The part of a text that has the most of the words that are looked for, cut at words. */
export function excerptOf(text: string, query = ""): string {
  const stems = new Set(tokenize(query).map(searchTermOf));
  const found = [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ 0: word, index }) => {
    const term = searchTermOf(word);
    return term !== undefined && stems.has(term) ? [{ term, index }] : [];
  });
  // The words that stand within reach of each, counted as the window moves on.
  const within = new Map<string, number>();
  let [best, most, next] = [0, 0, 0];
  for (const { term, index } of found) {
    for (; (found[next]?.index ?? Infinity) < index + EXCERPT_LENGTH - LEAD; next += 1) {
      const reached = found[next]?.term ?? "";
      within.set(reached, (within.get(reached) ?? 0) + 1);
    }
    if (within.size > most) [best, most] = [index, within.size];
    const left = (within.get(term) ?? 0) - 1;
    if (left > 0) within.set(term, left);
    else within.delete(term);
  }
  // A little of what goes before, so that the match stands in its sentence.
  const start = best < EXCERPT_LENGTH / 2 ? 0 : text.lastIndexOf(" ", best - LEAD) + 1;
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
