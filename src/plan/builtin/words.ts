import { stemmer } from "stemmer";

export interface Token {
  text: string;
  lower: string;
  stem: string;
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{N}]+(?:['’._-][\p{L}\p{N}]+)*/gu;

/** Words with their places; keys such as DEMO-12 and words such as on-call stay whole. */
export function tokenize(text: string, limit = 300): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    tokens.push({ ...toWord(word), start: match.index, end: match.index + word.length });
    if (tokens.length >= limit) break;
  }
  return tokens;
}

function toWord(word: string): { text: string; lower: string; stem: string } {
  const lower = word.toLowerCase().replaceAll("’", "'");
  return { text: word, lower, stem: stemOf(lower) };
}

/** The Porter stem, without a possessive 's. */
export function stemOf(lower: string): string {
  return stemmer(lower.replace(/'s$/, ""));
}

/** Words that say nothing about what is wanted. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about all also am an and any anything are as at be been but by can could did do does doing for from get give
  had has have hey hi how i if in into is it its just kindly know let like may me might more much my need now of
  off on one or our out over please pls plz shall should so some something stuff than that the their them then
  there these they this those to too up us want was we were what whats what's when where which who whos who's why
  will with would you your yours say says said tell show me mine myself many wrote written talk talks mention mentions describes explains plate
  currently yet around today`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** General English of teams at work; one group a line. No group belongs to a particular tool. */
const GROUPS = `
issue ticket bug story task defect card
page doc docs document documentation article wiki handbook guide runbook manual confluence
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
folder directory
size weight
schema structure
record row entry
team group
branch fork
job run build pipeline
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
