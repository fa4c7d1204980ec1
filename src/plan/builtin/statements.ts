import type { KnownName } from "#contract/plan.ts";

import { DAY } from "./dates.ts";
import { LEAD, piecesOf, TRAIL } from "./fragment.ts";
import { namePattern } from "./people.ts";
import { createSheet } from "./sheet.ts";
import { unasked } from "./told.ts";

const KEY = "[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}";
const KEYS = `${KEY}(?:(?:\\s*,\\s*|\\s*,?\\s+and\\s+|\\s*&\\s*)${KEY})*`;
const LEVEL = "highest|high|medium|low|lowest";
/** What is said of the records that a clause begins with: "about OPS-5: …", "DEMO-2 moves to 18 Dec". */
const SUBJECT = new RegExp(
  `^(?:(?:it is |this is |it['’]s )?(?:on|for|about|regarding|re|with)\\s+)?(?:the\\s+)?(?<keys>${KEYS})(?:\\s+(?:ticket|issue|bug|story|task|epic|one|thing))?(?:\\s+again)?\\s*[:,–-]?\\s*(?<rest>.*)$`,
  "isu",
);
/** Where one clause ends and the next begins: also before an order that "and" joins to it. */
const CLAUSES =
  /(?<=[.!])\s+|\s+[–-]\s+|\s*;\s*|\s*:\s+|\s*,\s+(?:and\s+|so\s+|but\s+)?|\s+and\s+(?=(?:please\s+|then\s+|also\s+)*(?:move|set|make|assign|close|give|remove|start|push|put|note|write|comment|bump|unassign|take)\b)/iu;
/** What takes a statement back, or leaves it open. */
const DOUBTFUL =
  /\?|\b(?:if|unless|until|maybe|perhaps|might|whether|don['’]?t|do not|never|not yet|nothing|instead of|or|wait|asks?|would|could|were)\b/i;
const ORDERS =
  /^(?:(?:please|pls|can you|could you|kindly|also|then)\s+)*(?:move|set|make|assign|close|give|remove|start|push|put|note|write|comment|bump|unassign|take|add|create|open|delete|link|label|tag|rename|change|mark|drop|raise|lower|connect|show|list|find|reopen|finish|resolve|tell|ask|thank|remind)\b/i;

/** What is said of records, the first group of which is a value: as an order for them. */
function predicates(
  known: readonly KnownName[],
): readonly (readonly [RegExp, (keys: string, value: string) => string])[] {
  const name = namePattern(known).source;
  return [
    [/^(?:is|are)\s+mine(?:\s+now)?$/iu, (keys) => `assign ${keys} to me`],
    [
      new RegExp(`^(?:is|are|goes|go)\\s+(?:for|to)\\s+(me|${name})(?:\\s+now)?$`, "iu"),
      (keys, who) => `assign ${keys} to ${who}`,
    ],
    [
      new RegExp(
        `^(?:(?:moves?|goes|go|slips?|shifts?|is moved|are moved|gets?|is postponed)\\s+(?:to\\s+)?|(?:needs?|has|have|must)\\s+(?:to\\s+)?be\\s+(?:done|finished|ready|live)\\s+(?:by|until|on)\\s+|(?:is\\s+|are\\s+)?due\\s+(?:on\\s+|by\\s+)?|until\\s+|till\\s+)(${DAY})$`,
        "iu",
      ),
      (keys, day) => `set the due date of ${keys} to ${day}`,
    ],
    [
      new RegExp(`^(?:let['’]?s\\s+)?say\\s+(${DAY})$`, "iu"),
      (keys, day) => `set the due date of ${keys} to ${day}`,
    ],
    [
      new RegExp(`^(?:should|must|has to|needs to)\\s+be\\s+(?:prio(?:rity)?\\s+)?(${LEVEL})$`, "iu"),
      (keys, level) => `set the priority of ${keys} to ${level}`,
    ],
    [
      /^(?:(?:is|are)\s+)?(?:now\s+)?(?:ready for|up for|waiting for|can go (?:in)?to)\s+(?:a\s+|the\s+)?review(?:\s+now)?$/iu,
      (keys) => `move ${keys} to In Review`,
    ],
    [/^(?:so\s+)?(?:it\s+)?(?:may|can)\s+be\s+(?:closed)(?:\s+now)?$/iu, (keys) => `move ${keys} to Done`],
    [
      new RegExp(
        `^(?:it\\s+)?(?:(?:is|are)\\s+)?(?:blocked by|waiting for)\\s+(?:the\\s+)?(${KEY})(?:\\s+(?:ticket|issue|bug|story|task))?$`,
        "iu",
      ),
      (keys, other) => `link ${keys} is blocked by ${other}`,
    ],
  ];
}

const NOTED =
  /^(?:(?:please|pls|can you|could you|also|then)\s+)*(?:comment|write|note|add|say|mention)(?:\s+(?:a comment|on it|there|in a comment))?(?:\s*:\s*|\s+that\s+(?!(?:to|on|in|under)\s+(?:the|it|that|this|his|her|their|our|my|\p{L}+['’]s)\b))(?<text>\S+\s.*)$/isu;
const NOTE_THAT = new RegExp(
  `^(?:(?:please|pls|also|and|can you|could you)\\s+)*(?:note|write|put|log|add|comment)\\s+(?:that|this|it)(?:\\s+down)?(?:\\s+(?:as a comment|in (?:the|a) (?:ticket|comment)|there))?(?:\\s+(?:on|in|to|under)\\s+(?:(?:the|his|her|their|our|my|\\p{L}+['’]s)\\s+)?(?:(?<key>${KEY})(?:\\s+ticket)?|ticket|issue|bug|story|task))?[\\s?]*$`,
  "iu",
);
const CREATES = /\b(?:create|new|open an?|file an?|make an?|add an?)\b/i;

/**
 * The orders that a message of several statements makes of its records: "the upgrade is mine now. blocked by OPS-4",
 * "DEMO-2 moves to 18 Dec, and DEMO-14 needs to be done by Wednesday". A clause without a record is said of the one before;
 * what only tells is passed over. `titleOf` finds the record that a clause calls by its words. Undefined where a clause
 * orders something else, is doubtful, or nothing is ordered.
 */
export function asStatements(
  text: string,
  known: readonly KnownName[],
  titleOf: (said: string) => string | undefined,
  about?: string,
): string[] | undefined {
  if (text.length > MOST_CHARS || CREATES.test(text)) return undefined;
  const clauses = text
    .split(CLAUSES)
    .map((one) => one.trim())
    .filter((one) => /[\p{L}\d]/u.test(one));
  // What is quoted is somebody's text, but for what shall be noted as a whole.
  const isQuoted = createSheet(text).quotes.length > 0 && !NOTE_THAT.test(clauses.at(-1) ?? "");
  if (clauses.length > MOST_CLAUSES || isQuoted) return undefined;
  let topic = about;
  // A day alone is said of what the message itself speaks of.
  let isSpokenOf = false;
  const orders = new Set<string>();
  const told: string[] = [];
  const rules = predicates(known);
  for (const [at, clause] of clauses.entries()) {
    const bare = clause.replace(LEAD, "").replace(TRAIL, "");
    if (bare === "") continue;
    const subject = SUBJECT.exec(bare)?.groups;
    const said = subject?.["rest"] ?? bare;
    if (subject?.["keys"] !== undefined) [topic, isSpokenOf] = [subject["keys"], true];
    if (said === "") continue;
    const own = topic ?? "";
    const that = NOTE_THAT.exec(bare);
    if (that) {
      topic = that.groups?.["key"] ?? topic;
      if (topic === undefined || told.length === 0) return undefined;
      orders.add(commentOn(topic, told.join(", ")));
      continue;
    }
    const note =
      NOTED.exec(said)?.groups?.["text"] ??
      (/^(?:also\s+)?comment$/i.test(said) ? clauses.slice(at + 1).join(", ") : undefined);
    if (note !== undefined) {
      if (own === "" || at < clauses.length - 2) return undefined;
      orders.add(commentOn(own, note));
      break;
    }
    const found = rules.flatMap(([pattern, order]) => {
      const match = pattern.exec(said);
      return match === null ? [] : [order(own, match[1] ?? "")];
    });
    const [order] = own === "" ? [] : found;
    const pieces = own === "" || clauses.length < 2 ? undefined : piecesOf(said, own, known);
    if (order !== undefined) orders.add(order);
    else if (
      pieces &&
      pieces.orders.length > 0 &&
      (pieces.isMarked ||
        (isSpokenOf && told.some((one) => LATE.test(one)) && !GIVES.test(pieces.orders.join(";"))))
    )
      for (const piece of pieces.orders) orders.add(piece);
    else if (PLAIN.test(bare) && clauses.length > 1 && !SPEAKS.test(text)) {
      // A plain order among them stays what it is.
      topic = new RegExp(KEY, "u").exec(bare)?.[0] ?? topic;
      orders.add(topic === undefined ? bare : bare.replace(/\bit\b/i, topic));
    } else if (
      ORDERS.test(said) ||
      DOUBTFUL.test(said) ||
      VALUED.test(said) ||
      new RegExp(KEY, "u").test(said)
    )
      return undefined;
    else {
      const named = subject === undefined ? titleOf(clause) : undefined;
      if (named !== undefined) [topic, isSpokenOf] = [named, true];
      told.push(clause);
    }
  }
  return orders.size === 0 ? undefined : [...orders];
}

/** What a day by itself stands behind: "the server is 6 days late, my fault. Friday", and no meeting. */
const LATE =
  /\b(?:late|later|overdue|delayed|behind|slip\p{L}*|due|deadline|wo?n['’]?t|cannot|can['’]?t|can not|no chance|more time|low prio|too (?:low|high))\b/iu;
const PLAIN = new RegExp(
  `^(?:(?:please|pls|also|then)\\s+)*(?:give|assign|move|set|put|bump|raise|lower|close|start|reopen|unassign)\\s+(?:it\\b|(?:the\\s+)?(?:priority|due date|status)\\s+of\\s+|${KEY}(?![\\p{L}\\d-]))[^"“:]*$`,
  "iu",
);
/** Where something is dictated, a comma ends nothing. */
const SPEAKS = /["“:]|\b(?:comment|note|write|say|saying|tell|rename|title|called)\b/i;
/** Who is only named is given nothing: "sorry, Chloé". */
const GIVES = /\bassign\b/;
/** What speaks of a value is not only told. */
const VALUED =
  /\b(?:in progress|in review|to do|backlog|highest|lowest|prio\p{L}*|labels?|assign\p{L}*|my name)\b/iu;
const MOST_CHARS = 400;
const MOST_CLAUSES = 7;

function commentOn(record: string, text: string): string {
  return `comment on ${record}: "${unasked(text.replaceAll('"', "'").replace(/[\s.]+$/, ""))}"`;
}
