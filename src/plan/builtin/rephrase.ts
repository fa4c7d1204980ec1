import { distance } from "fastest-levenshtein";

import { createSheet } from "./sheet.ts";
import { COLON } from "./wish.ts";

const CORRECTED =
  /(?:[\s,.;!–-]+(?:oh\s+)?(?:no,?\s+wait|wait,?\s+no|wait|scratch that|i mean(?:t)?|correction|or rather)|\s*[,.;!–-]\s*no)[\s,.:–-]+(?:(?:make (?:it|that)|rather)\s+)?(?=\S)/i;

const SHORT: Record<string, string> = {
  "re-open": "reopen",
  "w/": "with ",
  wat: "what",
  wot: "what",
  fortnight: "2 weeks",
  wont: "won't",
};

/** The text with what matches replaced, but for what is quoted or dictated behind a colon. */
export function inOwnWords(text: string, pattern: RegExp, replace: (said: string) => string): string {
  const { masked } = createSheet(text);
  const end = COLON.exec(masked)?.index ?? masked.length;
  return text.replaceAll(pattern, (said, ...rest: unknown[]) => {
    const at = rest.find((each) => typeof each === "number") ?? 0;
    return at < end && masked.startsWith(said, at) ? replace(said) : said;
  });
}

/** "assign DEMO-1 to ben. no wait, to emi" as it was meant in the end, and "I'll take it" as the order that it is. */
export function corrected(given: string): string {
  const message = inOwnWords(
    given,
    /\bre-open\b|\bw\/\s+|\bw[ao]t\b(?= )|\bfortnight\b|\bwont\b/gi,
    (said) => SHORT[said.trim().toLowerCase()] ?? said,
  );
  const told = WHICH.exec(message);
  if (told && told.index > 10) return `find issues about ${message.slice(0, told.index)}`;
  const taken =
    /^\W*i(?:['’]ll|['’]d like to| will| can| could)? (?:take|handle|own|grab|do|pick up) (it|this(?: one)?|that(?: one)?|[A-Z]\w*-\d+)\W*$/i.exec(
      message,
    );
  if (taken) return `assign ${taken[1] ?? "it"} to me`;
  const at = CORRECTED.exec(message.slice(0, COLON.exec(message)?.index));
  if (at === null || at.index === 0) return message;
  const before = message.slice(0, at.index);
  const after = message.slice(at.index + at[0].length);
  const lead = /^(?:to|as|in|for|on)\b/i.exec(after)?.[0];
  const from = lead === undefined ? -1 : before.toLowerCase().lastIndexOf(` ${lead.toLowerCase()} `);
  if (from >= 0) return `${before.slice(0, from)} ${after}`;
  return /^\p{L}+\W*$/u.test(after) ? before.replace(/\S+$/, after) : message;
}

const STATE_WORDS =
  "to do|todo|in progress|in review|review|done|closed|backlog|the backlog|won['’]t do|wont do";
const KEYS = "[A-Za-z]\\w{0,15}-\\d{1,9}(?:\\s*(?:,|and|&)\\s*[A-Za-z]\\w{0,15}-\\d{1,9})*";
const GOES = new RegExp(
  `^\\W*(${KEYS})\\s*(?:→|->|=>|:|\\bto\\b|\\bgoes? to\\b|\\b(?:can|could|should|needs to|must|has to) (?:be|go|become)(?: (?:from [\\p{L} ]+ )?to)?)\\s+(?:an?\\s+)?(.+?)\\W*$`,
  "iu",
);

/** "DEMO-3 → in progress", "DEMO-3 should be high", "both to ben": what shall be, as the order that it is. */
export function rephrased(wish: string): string {
  const [, keys = "", rest = ""] = GOES.exec(wish) ?? [];
  if (keys === "" || /\?\s*$/.test(wish)) return wish;
  if (new RegExp(`^(?:${STATE_WORDS})$`, "i").test(rest)) return `move ${keys} to ${rest}`;
  const priority = /^(highest|high|medium|low|lowest)(?: prio(?:rity)?)?$/i.exec(rest)?.[1];
  if (priority !== undefined) return `set the priority of ${keys} to ${priority}`;
  if (/^\W*[A-Z]\w*-\d[^:]*:\s/i.test(wish)) return wish;
  return /^@?\p{L}[\p{L}'’.-]+$/u.test(rest) && !/^[A-Z]{2,}$/.test(rest)
    ? `assign ${keys} to ${rest}`
    : wish;
}

/** "… which ticket was it?" asks for what was told before it. */
const WHICH =
  /[\s,.?!–-]+(?:and\s+)?(?:which|what) (?:ticket|bug|issue|page|number|one|key)(?: (?:is|was|has|had) (?:it|that|this))?\W*$/i;

/** Words that filters are made of, as people mistype them. */
export const FILTER_WORDS: readonly string[] =
  "the open with unassigned assigned priority highest overdue created updated issues tickets project reported progress status comment comments yesterday tomorrow pages search sorted which".split(
    " ",
  );

/** A long word with one letter wrong, or any with two of them swapped. */
export function spelledRight(word: string): string {
  const sorted = (text: string): string => text.split("").toSorted().join("");
  const isMeant = (each: string): boolean =>
    each[0] === word[0] &&
    ((word.length > 5 && distance(each, word) === 1) ||
      (each.length === word.length && distance(each, word) === 2 && sorted(each) === sorted(word)));
  return FILTER_WORDS.find(isMeant) ?? word;
}
