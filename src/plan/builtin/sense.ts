import asked from "./asked.json" with { type: "json" };
import { createReader, type Read } from "./sense-model.ts";
import learnt from "./sense.json" with { type: "json" };

// What was learnt stands apart from how it is read: `npm run sense` needs the latter before there is the former.

/**
 * What a sentence at work wants of a tracker: a change of one kind, a look, something from the wiki, or nothing
 * ("told"). `scripts/sense/examples.tsv` and `remarks.tsv` say by examples what each of them is.
 */
export type Sense = (typeof learnt.heads.sense)[number];

/** What is said of a list: its form, and what has to be true of what it holds. See `scripts/sense/lists.tsv`. */
export type Asked = Record<keyof typeof asked.heads, Read>;

const readSense = createReader(learnt);
const readAsked = createReader(asked);

/** What a sentence means. Records, people and dates in it are to be replaced by KEY, PERSON and DATE. */
export function senseOf(sentence: string): { sense: Sense; sure: number } {
  const { value, sure } = readSense(sentence).sense;
  return { sense: value, sure };
}

/** Which list a message asks for. What is named in it is to be replaced by KEY, PERSON, PROJECT, EPIC and LABEL. */
export function askedOf(message: string): Asked {
  return readAsked(message);
}

/** The words that messages that ask for lists are made of; others are about something. */
export const LIST_WORDS: ReadonlySet<string> = new Set(asked.words.split(" "));
