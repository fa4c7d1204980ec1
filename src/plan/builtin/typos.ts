import { distance } from "fastest-levenshtein";

import { VERB_WORDS, type Verbs } from "./verbs.ts";
import { tokenize } from "./words.ts";

/**
 * The message with its first word mended where that is a verb with one letter wrong, missing, doubled or
 * swapped: "asign DEMO-3", "shwo me". Any other word may be a name.
 */
export function mendVerb(message: string, verbs: Verbs, known: (stem: string) => boolean): string {
  const polite = /^\s*(?:(?:please|pls|hey|hi|can you|could you)[\s,]+)*/i.exec(message)?.[0] ?? "";
  const [first] = tokenize(message.slice(polite.length), 1);
  if (first === undefined || first.start !== 0 || first.lower.length < 4) return message;
  if (!/^\p{L}+$/u.test(first.text) || verbs.has(first.stem) || known(first.stem)) return message;
  const near = VERB_WORDS.find((verb) => isNear(first.lower, verb));
  if (near === undefined) return message;
  return `${polite}${near}${message.slice(polite.length + first.end)}`;
}

function isNear(word: string, verb: string): boolean {
  if (verb.length < 4 || Math.abs(word.length - verb.length) > 1 || word[0] !== verb[0]) return false;
  const apart = distance(word, verb);
  return apart === 1 ? verb.length > 4 || word.length > 4 : apart === 2 && sorted(word) === sorted(verb);
}

function sorted(word: string): string {
  return word.split("").toSorted().join("");
}
