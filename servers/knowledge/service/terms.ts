import { stemmer } from "stemmer";

/** Words that say nothing of what is looked for. */
const STOP = new Set(
  (
    "a an and any are as at be been before but by can could did do does for from had has have how i if in into is it " +
    "its me my of on or our over should so some than that the their them then there these they this to us was we were " +
    "what when where which who why will with would you your find show tell get give search about us please"
  ).split(" "),
);

const MOST_TERMS = 24;
/** Of a word, in characters. */
const LONGEST = 100;

/** Text as it is indexed: compound names stand there also by their parts, `retryPayment` as `retry Payment`. */
export function searchable(text: string): string {
  const parts = new Set<string>();
  for (const [name] of text.matchAll(/\b[A-Za-z][A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*\b/g)) {
    const split = splitName(name);
    if (split !== name) parts.add(split);
  }
  return parts.size === 0 ? text : `${text}\n${[...parts].join(" ")}`;
}

function splitName(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
}

/** The words of a question worth looking for, in their order; all of them where it has no others. */
export function termsOf(query: string): string[] {
  const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const all = [...new Set(words(searchable(query)).map((word) => word.toLowerCase()))];
  const telling = all.filter((word) => !STOP.has(word) && (word.length > 1 || /\d/.test(word)));
  return (telling.length === 0 ? all : telling).slice(0, MOST_TERMS);
}

/** What is the same for all forms of a word. */
export function stemOf(word: string): string {
  return stemmer(word.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase());
}

/** The words of a text in their order, each as its stem of letters and digits; no longer than any word is. */
export function stemsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const stem = stemOf(word.slice(0, LONGEST)).replaceAll(/[^\p{L}\p{N}]/gu, "");
    return stem === "" ? [] : [stem.slice(0, LONGEST)];
  });
}
