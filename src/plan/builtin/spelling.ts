import { distance } from "fastest-levenshtein";

import type { KnownName } from "#contract/plan.ts";
import { inOwnWords } from "./rephrase.ts";
import { createSheet } from "./sheet.ts";
import { titleWeight } from "./titles.ts";
import type { ToolIndex } from "./tool-index.ts";
import { hasVerb, VERB_WORDS } from "./verbs.ts";
import { stemOf, STOP_WORDS, THINGS } from "./words.ts";

/** "just bens" as Ben's, "whats" as what's. */
export function withApostrophes(given: string, known: readonly KnownName[]): string {
  const message = given
    .replace(/\b(what|who|where|how|that|there)s\b(?!['’])/gi, "$1's")
    .replace(ITS, "$1's");
  const names = known
    .filter(({ kind }) => kind === "person")
    .flatMap(({ id, name }) => [id, name.split(" ")[0] ?? ""])
    .filter((name) => /^\p{L}{3,}$/u.test(name));
  if (names.length === 0) return message;
  const { masked } = createSheet(message);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}'’-])(${[...new Set(names)].join("|")})s(?![\\p{L}\\p{N}'’-])`,
    "giu",
  );
  return message.replaceAll(pattern, (said: string, name: string, at: number) =>
    masked.startsWith(said, at) ? `${name}'s` : said,
  );
}

/** "Its fixed" */
const ITS =
  /\b(it)s(?= (?:fixed|done|finished|live|ready|deployed|solved|closed|working|broken|gone|over|out|merged|shipped|not|already|too|now)\b)/gi;

/**
 * "mob 16" as MOB-16, and "DEMO-3, 4 and 7" as three keys, where there is such a project and nothing else may be meant by
 * the number.
 */
export function withSpacedKeys(message: string, known: readonly KnownName[]): string {
  const codes = known.flatMap(({ kind, id }) => (kind === "project" && /^[A-Z]\w+$/.test(id) ? [id] : []));
  if (codes.length === 0) return message;
  const { masked } = createSheet(message);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}-])(${codes.join("|")})[ ._#]{0,2}(\\d{1,5})(?![\\p{L}\\p{N}%]|[.,]\\d| (?:issues|tickets|bugs|tasks|stories|days|weeks|open|things|items|times|of))`,
    "giu",
  );
  const keyed = message.replaceAll(pattern, (said: string, code: string, digits: string, at: number) => {
    const key = `${code.toUpperCase()}-${digits}`;
    // In one word, as a version or a host may be called, it is one where that issue is known alone.
    const isKey = said.length > code.length + digits.length || known.some(({ id }) => id === key);
    return isKey && masked.startsWith(said, at) ? key : said;
  });
  return withNumbers(keyed, codes, known);
}

/** A number in a row with keys is one of the same project, where that is there. */
function withNumbers(message: string, codes: readonly string[], known: readonly KnownName[]): string {
  const { masked } = createSheet(message);
  const row = new RegExp(
    `(?<![\\p{L}\\p{N}-])((?:${codes.join("|")})-)\\d{1,5}(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+(?:and|n|plus|or)\\s+|\\s*[&+/]\\s*)#?(?:(?:${codes.join("|")})-)?\\d{1,5}(?![\\p{L}\\p{N}%.:-]*[\\p{L}\\p{N}%]|\\s+(?:issues|tickets|bugs|tasks|stories|days?|weeks?|hours?|minutes?|others?|more|things|items|times|of|people|points|am|pm|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{L}*)\\b))+`,
    "giu",
  );
  return message.replaceAll(row, (said: string, lead: string, at: number) => {
    if (!masked.startsWith(said, at)) return said;
    const code = lead.toUpperCase();
    let isKnown = true;
    const keys = said.replaceAll(/(?<![\w-])#?(\d{1,5})(?![\w-])/g, (_all, digits: string) => {
      isKnown &&= known.some(({ kind, id }) => kind === "issue" && id === code + digits);
      return code + digits;
    });
    return isKnown ? keys.replaceAll(/\s+n\s+/gi, " and ") : said;
  });
}

/** The message with its slips of the keyboard mended, but for what is quoted or dictated. */
export function spelled(
  message: string,
  { entries }: ToolIndex,
  names: readonly string[],
  known: readonly KnownName[],
): string {
  const own = new Set(names.flatMap((name) => name.toLowerCase().split(/\s+/)));
  const titled = titleWords(known);
  const isKnown = (word: string): boolean =>
    STOP_WORDS.has(word) ||
    own.has(word) ||
    titleWeight(stemOf(word), known) > 0 ||
    THINGS.has(stemOf(word)) ||
    entries.some(({ vocabulary, verbs }) => vocabulary.has(stemOf(word)) || hasVerb(verbs, stemOf(word)));
  return inOwnWords(message, WORD, (word) => {
    const lower = word.toLowerCase();
    const meant = isKnown(lower) ? lower : spelledRight(lower, [...own], titled);
    return meant === lower ? word : meant;
  });
}

const SHORTEST = 5;
const LONG_WORD = 7;
const wordsOf = new WeakMap<readonly KnownName[], readonly string[]>();

/** The longer words in the titles of what is known. */
function titleWords(known: readonly KnownName[]): readonly string[] {
  const before = wordsOf.get(known);
  if (before !== undefined) return before;
  const words = known.flatMap(({ kind, name }) =>
    kind === "issue" || kind === "page" ? name.toLowerCase().split(/[^\p{L}]+/u) : [],
  );
  const longer = [...new Set(words)].filter((word) => word.length >= SHORTEST);
  wordsOf.set(known, longer);
  return longer;
}

/** One with a capital may be a name, but where a message begins with it. */
const WORD =
  /(?<![\p{L}\p{N}"'“@/_.-])(?:(?<=^[^\p{L}\p{N}]*)\p{Lu})?\p{Ll}{2,}(?<=\p{L}{3})(?![\p{L}\p{N}"'”@/_-])/gu;

/** The words that wishes are made of, besides those of tools. */
const WORDS: readonly string[] = [
  ...new Set([
    ...VERB_WORDS,
    ..."the open with unassigned assigned priority highest overdue created updated issues issue tickets ticket bugs".split(
      " ",
    ),
    ..."project reported progress status comment comments yesterday tomorrow pages search which what how first".split(
      " ",
    ),
    ..."second third last many still high medium lowest label labels review backlog story epic due date duplicate".split(
      " ",
    ),
    ..."could would should might please someone somebody instead latest about already again begun began turned meant".split(
      " ",
    ),
    ..."monday tuesday wednesday thursday friday saturday sunday january february march april june july august".split(
      " ",
    ),
    ..."september october november december deadline parent blocked urgent sprint enough order compare wiki".split(
      " ",
    ),
    ..."blocks blocker related done assignee reporter closed resolved finished anything something everything nobody".split(
      " ",
    ),
  ]),
];

/**
 * A word as it was meant: two letters swapped, one missing or doubled, or one wrong in a long word; as it is where no
 * word is that near, or several are. `names` are further words; of `titles` long ones alone, as "plans" is no slip of
 * "plants", nor "sitting" of "setting".
 */
export function spelledRight(word: string, names: readonly string[], titles: readonly string[] = []): string {
  if (WORDS.includes(word)) return word;
  const isSwapped = (each: string): boolean => {
    if (each.length !== word.length) return false;
    const at = word.split("").findIndex((letter, place) => letter !== each[place]);
    return at !== -1 && word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2) === each;
  };
  const isSlip = (each: string): boolean => {
    if (distance(each, word) !== 1) return false;
    if (each.length === word.length) return word.length > 6;
    if (each.length > word.length) return word.length > 4 || !/[aeiouy]/.test(word);
    return word.length > 4 && word.replaceAll(/(.)\1/g, "$1") === each.replaceAll(/(.)\1/g, "$1");
  };
  const isFar = (each: string): boolean => each.length === word.length || each.length < LONG_WORD;
  for (const isMeant of [isSwapped, isSlip]) {
    const near = [
      ...[...WORDS, ...names].filter((each) => each.length > 2),
      ...titles.filter((each) => isMeant === isSwapped || !isFar(each)),
    ].filter((each) => each[0] === word[0] && isMeant(each));
    // "label" and "labels" are one word with and without its ending.
    const [only, ...others] = near.toSorted((one, other) => one.length - other.length);
    if (only !== undefined && others.every((other) => other.startsWith(only)))
      return near.find((each) => each.length === word.length) ?? only;
  }
  return word;
}
