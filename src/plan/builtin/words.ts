import { stemmer } from "stemmer";

import { remember } from "../../base/remember.ts";

/** The key of a record that stands by itself: a pattern to build others of, with the flag `u`. */
export const KEY = "(?<![\\p{L}\\p{N}_-])[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}(?![\\p{L}\\p{N}_-])";

export interface Token {
  text: string;
  lower: string;
  stem: string;
  start: number;
  end: number;
}

/** So many words of messages and catalogues are read again and again. */
const MOST_STEMS = 8_000;

const WORD = /[\p{L}\p{N}]+(?:['’._-][\p{L}\p{N}]+)*/gu;

/** Numbers as people write them out. */
export const NUMBER_WORDS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
};

/** Words with their places; keys such as DEMO-12 and words such as on-call stay whole. */
export function tokenize(text: string, limit = 300): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    const lower = word.toLowerCase().replaceAll("’", "'");
    tokens.push({
      text: word,
      lower,
      stem: stemOf(lower),
      start: match.index,
      end: match.index + word.length,
    });
    if (tokens.length >= limit) break;
  }
  return tokens;
}

/** Places in a list. */
export const ORDINALS: readonly string[] =
  "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");

/** The Porter stem, without a possessive 's; "center" and "centre" are one word. */
export const stemOf: (lower: string) => string = remember(MOST_STEMS, (lower) =>
  stemmer(
    lower
      .replace(/'s$/, "")
      .replace(/^(col|fav|behavi|neighb|lab|flav)our/, "$1or")
      .replace(/^centre/, "center")
      .replace(/^(catal|dial)ogue/, "$1og")
      .replace(/^grey/, "gray"),
  ),
);

export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).filter((word) => word !== ""));
}

/** Words that say nothing about what is wanted. */
export const STOP_WORDS: ReadonlySet<string> = wordSet(
  `a about actually again all already also am an and any anybody anyone anything are as at be been but by can
  could currently deal describes did do does doing don't either else even ever every everything exactly explains
  for from get give going gonna got had has have haven't having hear heard help her here hey hi him his how i i'd
  i'll i'm i've if in into is isn't it it's its just kind kindly know let let's like look lot many may maybe me
  mention mentions might mine more much my myself need no now of off ok okay on one onto or our out over plate
  please pls plz possible quick quickly really right said say says shall she should so some somebody someone
  something stuff sure talk talks tell show than thanks thank that that's the their them then there there's these
  they thing things this those thx to today too two up us want was wasn't we we've were what what's whats when
  where which while who who's whos whose why will with wondering would written wrote yet you you're your yours
  being hello regarding around far have ones number total overall altogether latest only instead happened happening
  happens new find ask asking looking searching atm rn btw u ur smth sth wich wat wot ta hmm um well besides really
  apparently somehow still currently very always became become becomes since nowadays meanwhile carry carries carrying
  lol haha imo fyi supposed meant newly belong belongs belonging given certain various moment stuck workload landed landing inform lists plate desk stuff whole each kinds ppl till`,
);

/** General English of teams at work; one group a line. No group belongs to a particular tool. */
const GROUPS = `
issue ticket bug story task defect card problem
page doc docs document documentation article wiki handbook guide runbook manual confluence playbook
comment note reply remark annotation
user person people member colleague
directory folder
file document
image picture photo screenshot
message text
environment env
variable setting
project board
space area
repository repo
sum total addition
event meeting appointment
customer client account
order purchase
invoice bill
log logs logging
alert alarm incident
calendar schedule
size weight
schema structure
record row entry
team group
branch fork
pull pr mr
label tag
job run build pipeline
time clock
webpage url website link
entity node entry
commit
change
revision
`;

/** Stems that mean nearly the same as a stem, without itself. */
export type Synonyms = ReadonlyMap<string, ReadonlySet<string>>;

export function createSynonyms(): Synonyms {
  const synonyms = new Map<string, Set<string>>();
  for (const line of GROUPS.trim().split("\n")) {
    const stems = line.split(" ").map(stemOf);
    for (const stem of stems) {
      const others = synonyms.get(stem) ?? new Set<string>();
      for (const other of stems) if (other !== stem) others.add(other);
      synonyms.set(stem, others);
    }
  }
  return synonyms;
}

/** Stems of what teams at work speak of: an "alert" is a thing, and nobody's name. */
export const THINGS: ReadonlySet<string> = new Set(createSynonyms().keys());

/** Whether a text has all words that something is called by. */
export function hasWords(title: string, said: string): boolean {
  const stems = new Set(tokenize(title).map(({ stem }) => stem));
  const words = tokenize(said).filter(({ lower }) => lower !== "the");
  return words.length > 0 && words.every(({ stem }) => stems.has(stem));
}
