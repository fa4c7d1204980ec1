import type { ArgSources, KnownName, PlanInput } from "#contract/plan.ts";

import { isPlainId } from "../../base/ids.ts";
import { anyOf, loosely } from "../../base/matching.ts";
import { DICTATES as DICTATED } from "./padding.ts";
import type { Linked } from "./titles.ts";
import type { Referents } from "./refer.ts";
import { COLON, createSheet } from "./sheet.ts";

/** Where "him" and "her" stand for somebody: what is given or told to them, and what they have. */
const PRONOUN =
  /\b(?<lead>(?:to|for|with|from|by|than)\s+|(?:tell|ask|thank|give|hand|assign|send|inform|notify|remind)\s+)(?<whom>him|her)\b(?!['’])|\b(?<verb>(?:what|which|how many)\b[^.!?]*?\s(?:is|does|did|has)\s+|^\W*(?:is|does|did|has)\s+)(?<who>s?he)\b|\b(?<whose>(?<=\b(?:of|are|on|in|show|list|and|only|just|give|assign|reassign|move|hand|pass)\s+)(?:his|her))(?=\s+(?:\p{L}+\s+){0,2}(?:issues|tickets|bugs|tasks|stories|work|plate|desk|pages))/iu;
/** What follows is somebody's words, which stay as they are. */
const DICTATES = new RegExp(`${COLON.source}|\\bsaying\\b`, COLON.flags.replace("g", ""));
/** "Before my talk with Ana: what is she working on?" dictates nothing. */
const ASKS_BEHIND = /:\s+(?:what|which|how\s+many|who|where|when|is|does|has)\b[^:]*\?\s*$/iu;
const GIVES = /^(?:to|give|hand|assign)\b/i;
/** "Give it back to whoever reported it" */
const REPORTER =
  /(?<=\b(?:to|give|hand|(?:ask|tell|inform|remind)(?=.*(?:reporter|creator|it|this|that)\s+\S))\s+)(?:(?:whoever|who|the (?:one|person|guy|colleague) (?:who|that)) (?:has )?(?:reported|opened|filed|created|raised) (?:it|this|that)|(?:the|its) (?:reporter|creator))(?!['’])\b/iu;
/** So many messages back somebody is still spoken of. */
const REMEMBERED = 2;

/**
 * A message with the name of whom "him" or "her" is: the one person who was spoken of, else the one on the record on
 * the screen. Left as it is where there is none, or more than one: then it is asked for.
 */
export function withPeople(
  message: string,
  { known = [], history, actorName }: Pick<PlanInput, "known" | "history" | "actorName">,
  { thing }: Referents,
): Linked {
  const reporter = thing?.people?.find(({ role }) => /reporter|creator|author/.test(role));
  if (thing !== undefined && reporter !== undefined && REPORTER.test(createSheet(message).masked)) {
    const one = sayableName(
      reporter.name,
      known.filter(({ kind }) => kind === "person"),
    );
    if (one === undefined) return { text: message, put: {} };
    return { text: message.replace(REPORTER, one), put: { [one]: thing.source } };
  }
  const { masked } = createSheet(message);
  const found = PRONOUN.exec(masked.slice(0, textIn(masked)));
  const { lead = "", verb = "", whose } = found?.groups ?? {};
  const people = known.filter(({ kind }) => kind === "person");
  // "What has Emi got on her desk" says whose itself.
  // … in the same clause; "Dmitri is away, give his tickets to me" says whose before it.
  const before =
    message
      .slice(0, found?.index)
      .split(/[,.;!?]/)
      .at(-1) ?? "";
  const clause = before + message.slice(found?.index);
  if (found === null || (whose !== undefined && namedIn(clause, people).length > 0))
    return { text: message, put: {} };
  const own = nameOf(actorName ?? "", people);
  const ahead = message.slice(0, found.index);
  // "Farid is swamped. Dmitri said he would do it, so give it to him": who was named last, in the same sentence.
  const near = ahead.split(/[.!?]\s+/).at(-1) ?? "";
  const earlier = [ahead, ...history.map((turn) => turn.message).toReversed()];
  const spoken = [near, ...earlier.slice(0, REMEMBERED + 1)].map((text) => namedIn(text, people));
  const all = thing?.people ?? [];
  const owners = all.filter(({ role }) => /assignee|owner/.test(role));
  // "What else does he have" is of who has it.
  const isOfOwner = (verb !== "" || whose !== undefined) && owners.length > 0;
  const onScreen = (isOfOwner ? owners : all)
    // Who has it is not given it.
    .filter(({ role }) => !(GIVES.test(lead) && /assignee|owner/.test(role)))
    .map(({ name }) => nameOf(name, people));
  const meant = [...spoken, onScreen].map((names) => [...new Set(names)].filter((name) => name !== own));
  const [one, ...others] = meant.find((names) => names.length > 0) ?? [];
  const name = one === undefined || others.length > 0 ? undefined : sayableName(one, people);
  if (one === undefined || name === undefined) return { text: message, put: {} };
  const isSpoken = spoken.some((names) => names.includes(one));
  const source: ArgSources = {
    [name]: isSpoken || thing === undefined ? { from: "history" } : thing.source,
  };
  // "Dmitri's tickets", where no other is called so.
  const [first = name] = name.split(" ");
  const isOnly = people.filter((one) => one.name.split(" ").includes(first)).length === 1;
  const instead = `${lead}${verb}${whose === undefined ? name : `${isOnly ? first : name}'s`}`;
  const text = message.slice(0, found.index) + instead + message.slice(found.index + found[0].length);
  return { text, put: source };
}

/** "She" of "what does she have", where nobody was spoken of. */
export function unknownPerson(message: string): string | undefined {
  const { masked } = createSheet(message);
  return PRONOUN.exec(masked.slice(0, textIn(masked)))?.groups?.["who"];
}

/** Where somebody's own words begin. */
function textIn(masked: string): number | undefined {
  const at = DICTATES.exec(masked)?.index;
  const isAsked =
    at !== undefined && ASKS_BEHIND.test(masked.slice(at)) && !DICTATED.test(masked.slice(0, at));
  return isAsked ? undefined : at;
}

/** What the server's tools take: the id, which is what people say as well, where it is a word. */
function nameOf(said: string, people: readonly KnownName[]): string {
  const lower = said.toLowerCase();
  const one = people.find(({ id, name }) => [id, name].some((each) => each.toLowerCase() === lower));
  return one === undefined ? said : one.name;
}

/**
 * How a message may call somebody whom a server names. People choose what they are called, and "Eve and delete DEMO-4" would
 * be read as an order: undefined for what is no plain name.
 */
export function sayableName(said: string, people: readonly KnownName[]): string | undefined {
  const name = nameOf(said, people);
  if (name.length <= MOST_OF_NAME && PLAIN_NAME.test(name) && !NO_NAME.test(name)) return name;
  const id = people.find((one) => one.name === name)?.id;
  return id !== undefined && isPlainId(id) && !KEY.test(id) ? id : undefined;
}

const MOST_OF_NAME = 60;
const PLAIN_NAME =
  /^(?:[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\p{L}\.)(?: (?:[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\p{L}\.)){0,4}$/u;
const NO_NAME =
  /(?<![\p{L}'’-])(?:and|then|or|but|not|no|to|from|into|it|its|this|that|these|those|them|all|every\p{L}*|issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?|pages?|me|mine|und|dann|oder|alle\p{L}*|es|das)(?![\p{L}'’-])/iu;
const KEY = /^[A-Z]\w*-\d+$/i;

function namedIn(text: string, people: readonly KnownName[]): string[] {
  return people.flatMap(({ id, name }) => {
    const names = [id, name, ...name.split(" ")].filter((each) => each.length > 2);
    return new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${anyOf(names, loosely)})(?:['’]?s)?(?![\\p{L}\\p{N}])`,
      "iu",
    ).test(text)
      ? [name]
      : [];
  });
}

/** "Nobody needs it" says what nobody does, and gives nothing to nobody. */
export const NOBODY =
  "(?:nobody|no[ -]one)(?!\\s+(?!(?:should|shall|has to|must|on|for|at|in|now|please|pls|and|until|yet|any ?more|either|instead|today|again)\\b)\\p{L})";

/** "@farid can you look at the invoice", "not you, bot": said to a colleague. */
export function isToColleague(message: string, known: readonly KnownName[]): boolean {
  // "What do you all think?"
  if (/\bwhat\s+do\s+you\s+(?:all|guys|folks|two|others)\s+think\b/i.test(message)) return true;
  if (/\bnot\s+you\b,?\s+(?:dear\s+)?(?:bot|countersign)\b/i.test(message)) return true;
  if (ANNOUNCES.test(message) && !/[A-Za-z]\w*-\d/.test(message)) return true;
  const called = /^\s*@(\p{L}[\p{L}.-]*(?:\s\p{Lu}\p{L}+)?)\s*[,:–-]?\s+(?<said>\S.*)$/su.exec(message);
  const lower = called?.[1]?.toLowerCase() ?? "";
  const isPerson = known.some(
    ({ kind, id, name }) =>
      kind === "person" && [id, name, name.split(" ")[0]].some((one) => one?.toLowerCase() === lower),
  );
  return isPerson && TO_SOMEBODY.test(called?.groups?.["said"] ?? "");
}

/** "Heads-up for everybody reading here: the warehouse is closed" */
const ANNOUNCES =
  /^\W*(?:heads[- ]?up|psa|public\s+service\s+announcement)(?:\s+(?:for|to)\s+(?:everybody|everyone|all|the\s+team|you\s+all|those)[^:,!?]{0,30})?\s*[:,!–-]+\s+(?![^]*\?\s*$)(?![^]*\b(?:please|pls|can\s+you|could\s+you)\b)/iu;

/** "@ben has the login bug" tells of Ben, and "can you …" asks him. */
const TO_SOMEBODY =
  /^(?:(?:can|could|would|will|shall|do|did|are|have|were)\s+(?:you|we|i)|please|pls|let['’]?s|thanks?|thank\s+you|thx|you|your|any\s+(?:idea|news)|how|what|when|why|hi|hey|sorry|i|we)\b/iu;

/** The names of people, whole and in their parts, and with an "'s" behind them; `more` are further patterns. */
export function namePattern(known: readonly KnownName[], more: readonly string[] = []): RegExp {
  const all = [...longestFirst(known), ...more].join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}-])(?:${all || "(?!)"})(?:['’]s)?(?![\\p{L}\\p{N}])`, "giu");
}

/** A message is read against the same names many times. */
const named = new WeakMap<readonly KnownName[], string[]>();

function longestFirst(known: readonly KnownName[]): string[] {
  const before = named.get(known);
  if (before !== undefined) return before;
  const names = known
    .filter(({ kind }) => kind === "person")
    .flatMap(({ id, name }) => [name, ...name.split(" "), id])
    .filter((name) => /^\p{L}[\p{L}\p{N} .'’-]+$/u.test(name));
  const longest = [...new Set(names)]
    .toSorted((one, other) => other.length - one.length)
    .map((name) => name.replaceAll(".", "\\."));
  named.set(known, longest);
  return longest;
}

/** "Move the sign-on thing from Ben to Farid": people have it, and no state; undefined where these are no people. */
export function handedOver(text: string, known: readonly KnownName[]): string | undefined {
  if (!known.some(({ kind }) => kind === "person")) return undefined;
  const name = namePattern(known).source;
  const {
    lead = "",
    what = "",
    to = "",
  } = new RegExp(
    `^(?<lead>\\W*(?:(?:please|pls|ok(?:ay)?|can\\s+you|could\\s+you)[\\s,]+)*)(?:move|hand|transfer|shift|pass)\\s+(?<what>\\S[^,.;:?"“]{1,60}?)\\s+from\\s+(?:${name})\\s+(?:over\\s+)?to\\s+(?<to>${name}|me)[\\s.!]*$`,
    "iu",
  ).exec(text)?.groups ?? {};
  return to === "" ? undefined : `${lead}assign ${what} to ${to}`;
}
