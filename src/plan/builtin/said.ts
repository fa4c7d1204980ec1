import type { Clause } from "./clause.ts";
import type { Filled } from "./fill.ts";
import { isKin } from "./verb-kin.ts";
import type { Token } from "./words.ts";

const POINTS =
  /^(?:the|an?|this|these|those|my|our|your|his|her|their|its|all|every|each|both|it|them|him|me|us)$/;
/** "Deploy status of web-shop" is no order to deploy. */
const STATE =
  /^\p{L}+\s+(?:status|state|date|rate|count|history|logs?|notes|progress|version)\s+(?:of|for)\b/iu;
const PREPOSITION = /^\s+(?:of|for|from|about|by)\b/i;
const FINITE = /\b(?:is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|been|will|did|does|do)\b/i;

/**
 * Whether the clause's verb orders what the entry does, by the verb of its name or by one that means the
 * same. What only means the same may be a noun as well ("release date of web-shop", "mail from ben"), so
 * it has to stand before what it is done to, and not in a question.
 */
export function isOrdered(clause: Clause, { entry, args }: Filled): boolean {
  const { head, tail, tokens, text } = clause;
  if (head === undefined) return false;
  const rest = text.slice(head.end, tail?.start);
  if (entry.verbs.has(head.stem))
    return clause.changing || !(/^\s+of\b/i.test(rest) || STATE.test(text.slice(head.start)));
  if (!isKin(entry.verbs, head.lower) || PREPOSITION.test(rest)) return false;
  const next = tokens.find(({ start }) => start >= head.end);
  if (clause.question || next === undefined || FINITE.test(spoken(clause, head))) return false;
  // "reboot that server", but not "confirm that it works"
  if (next.lower === "that") return /^\s+that\s+\p{L}+\W*$/u.test(rest);
  if (POINTS.test(next.lower)) return true;
  if (entry.kin.has(next.stem) || entry.places.has(next.stem)) return true;
  return Object.values(args).some((value) => typeof value === "string" && begins(value, next));
}

/** What follows the verb, without what is quoted or stands behind a colon. */
function spoken({ tokens, tail }: Clause, head: Token): string {
  const end = tail?.start ?? Infinity;
  return tokens
    .filter((token) => token.start >= head.end && token.start < end)
    .map(({ lower }) => lower)
    .join(" ");
}

/** Whether a value begins with a word that is its name, and not a noun with more about it ("date of …"). */
function begins(value: string, { lower }: Token): boolean {
  const text = value.toLowerCase();
  return text.startsWith(lower) && !PREPOSITION.test(text.slice(lower.length));
}
