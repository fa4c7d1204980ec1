import { mainClause } from "../../base/passage.ts";
import { DAY } from "./dates.ts";
import { ISSUE_NOUNS, PAGE_NOUNS } from "./nouns.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { TURNED } from "./rephrase.ts";
import type { Verbs } from "./verbs.ts";
import { NEXT, readWish, startsWish, unwrap } from "./wish.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

const KEY = /(?<![\p{L}\p{N}_-])[A-Za-z]\w{0,15}-\d{1,9}(?![\p{L}\p{N}_-])/gu;
/** Where one sentence ends, or what leads to a wish does: "…, so please …". */
const END =
  /\s*[.!?;]+(?:\s+|$)|\s*\n\s*|\s+[–—-]\s+|,\s+(?=(?:(?:so|and)\s+)?(?:what|where|how|who)\s+(?:(?:do|does|should|can|must|to|the|our|wiki|handbook|runbook|say|says|i|we|one|look|start|begin|go|check|ask|call|first|now|next|then)\s*)+\?*\s*$)|(?<=^\W*\p{Ll}+ing\s[^,.;:?!]{3,80}),\s+(?=(?:what|where|how|who|which)(?:['’]?s)?\s[^,.;!?]*\?*\s*$)|,\s+(?=you (?:can|may|could)\b|(?:please|pls)\s+\p{L}{2,}\s|(?:give|assign|reassign|move|set|put|close|hand|make|bump|mark|label)\s)|,?\s+(?:so|therefore|hence),?\s+(?=(?:please|pls|plz|can you|could you|would you|kindly|i['’]d like|i would like|let['’]?s)\b)/giu;
const ASKS =
  /^\W*(?:(?:and|but|so|also|then)\s+)?(?:who\p{L}*|what\p{L}*|which|when|where|why|how|is|are|was|were|do|does|did|has|have|can|could|should|any(?:thing|one|body)?)(?:['’]s)?\b/iu;
const ASKS_SOMEBODY =
  /\b(?:can|could|would|will) (?:you|u|someone|somebody)\b|\b(?:please|pls|plz|kindly)\b/i;
/** What turns a wish belongs to it, wherever it stands … */
const TURNS =
  /\b(?:if|unless|except|instead|otherwise|i mean\w*)\b|(?:^|[,;–-])\s*(?:oh\s+)?(?:sorry|wait|actually)\b|^\W*(?:no|not|never|don['’]?t|do not)\b/i;
/** Whose words follow. */
const REPORTED =
  /\b(?:said|says?|thinks?|thought|wrote|writes|claims?|suggests?|suggested|heard|according to|assume|suppose|imagine|pretend|what if|subject|fwd?|ideas?|agenda|minutes of|wants?|wanted)\b|^\s*>/i;
/** … and what limits it, behind it. */
const LIMITS = /\b(?:until|till|rather|only|but|not|never|don['’]?t|first|before|after|no)\b/i;
/** Why somebody asks … */
const SPEAKS_OF_SELF = /^\W*(?:i|we|my|our|he|she|they|it['’]?s\s+for)\b/i;
/** … limits what is asked by these alone. */
const NARROWS = /\b(?:only|but|not|never|rather|without|no|\p{L}+n['’]t)\b/iu;
const THINGS = new Set(
  [...ISSUE_NOUNS, ...PAGE_NOUNS]
    .flatMap((noun) => [`${noun}s`, noun.replace(/y$/, "ies")])
    .filter((noun) => noun.endsWith("s")),
);
const VALUE =
  /\b(?:to ?do|in progress|(?:in )?review|done|backlog|won['’]?t (?:do|fix)|highest|high|medium|low|lowest|urgent|due|friday|monday|tuesday|wednesday|thursday|tomorrow)\b/i;
const NOTE_THAT =
  /(?:^|[\s,;]+(?:and\s+)?)(?:please\s+)?(?:(?:put|add|write|leave|note|post|mention)\s+(?:that|this|it|so)\s+(?:down\s+)?(?:in|as|into)\s+(?:an?\s+|the\s+)?(?:comments?|note|remark)|(?:leave|add|write|post)\s+an?\s+(?:comment|note)\s+(?:about|with)\s+(?:that|this|it))(?:\s+(?:please|pls|there|too|as well))*\W*$/i;
const REFERS = /\b(?:it|its|that(?: one)?|this(?: one)?|them|these|those|there)\b/i;

export interface Foreground {
  /** The wishes, with the key of what they are about in front where only what was left out names it. */
  text: string;
  /** What was only told. */
  told: string[];
}

/**
 * A message without the sentences that only tell why it is said, where another one asks for something: "first week
 * here! is there a checklist for new starters?". `isOrder` says of a sentence whether it is one for records.
 */
export function foreground(
  message: string,
  verbs: Verbs,
  isOrder: (sentence: string) => boolean,
): Foreground {
  const { text: ownWords, told: ofOthers } = withoutOthers(message, verbs, isOrder);
  if (ofOthers.length > 0) {
    const front = foreground(ownWords, verbs, isOrder);
    return { text: front.text, told: [...front.told, ...ofOthers] };
  }
  const text = withoutPreface(withoutOwnReason(message.replace(HURRY, "")), verbs, isOrder);
  const asked = asksOnly(text, verbs, isOrder);
  if (asked !== undefined) return { text: asked, told: [] };
  const { masked } = createSheet(text);
  const tail = COLON.exec(masked)?.index ?? masked.length;
  const sentences: { said: string; joint: string }[] = [];
  let from = 0;
  for (const end of masked.matchAll(END)) {
    if (end.index >= tail) break;
    const said = text.slice(from, end.index + (/^\s*[?!]/.exec(end[0])?.[0].length ?? 0));
    if (/[\p{L}\p{N}\uE001]/u.test(masked.slice(from, end.index))) {
      sentences.push({ said, joint: end[0] });
      from = end.index + end[0].length;
    }
  }
  if (from < text.length) sentences.push({ said: text.slice(from), joint: "" });
  if (sentences.length < 2) return { text, told: [] };
  const wants = sentences.map(({ said }) => isWanted(said, verbs, isOrder));
  const wanted = sentences.filter((_, at) => wants[at] === true);
  const told = sentences.filter((_, at) => wants[at] !== true).map(({ said }) => said.trim());
  const last = wants.lastIndexOf(true);
  const isChange = wanted.some(({ said }) => isOrder(said) || readWish(said, verbs).changing);
  const first = wants.indexOf(true);
  const isBound = sentences.some(
    ({ said }, at) =>
      wants[at] !== true &&
      (TURNS.test(said) ||
        isNamedValue(said, isChange) ||
        (at > first &&
          ((isChange || !SPEAKS_OF_SELF.test(said) ? LIMITS : NARROWS).test(said) ||
            (isChange && TURNED.test(said)))) ||
        (isChange && REPORTED.test(said))),
  );
  if (last === -1 || told.length === 0 || isBound) return { text, told: [] };
  const kept = wanted
    .map(({ said, joint }, at) => said + (at === wanted.length - 1 ? "" : joint))
    .join("")
    .trim();
  // "The stories that nobody has - give them to emi"
  if (/\b(?:them|these|those|both|all)\b/i.test(maskedOf(kept))) return { text, told: [] };
  // "Learning budget - how much is it per year?": what is asked about stands before the question.
  const [thing = ""] = told;
  const isNamed = /^\s*(?:[-–—,:?]|\n)/.test(sentences[0]?.joint ?? "") || REFERS.test(maskedOf(kept));
  const isThing =
    isNamed && told.length === 1 && wants[0] !== true && isNounPhrase(thing) && ASKS.test(unwrap(kept).text);
  if (isThing && (thing.match(KEY) ?? []).length === 0)
    return {
      text: REFERS.test(maskedOf(kept))
        ? kept.replace(REFERS, `the ${thing.replace(/^(?:the|our|my|an?)\s+/i, "")}`)
        : `${kept.replace(/\?\s*$/, "")} about ${thing}`,
      told: [],
    };
  const keys = [...new Set(told.join(" ").match(KEY) ?? [])];
  // "The retest failed. Put that in a comment": what was told is its text.
  const [only, ...more] = told;
  const note = NOTE_THAT.exec(kept);
  if (note && only !== undefined && more.length === 0 && keys.length < 2) {
    const before = kept.slice(0, note.index).trim();
    const record = keys[0] ?? "it";
    const body = only
      .replace(new RegExp(`^${KEY.source}\\s+(?=(?:is|was|has|can|does)\\b)`, "u"), "It ")
      .replace(new RegExp(`^${KEY.source}\\s+`, "u"), "")
      .replace(/[.!\s]+$/, "");
    const about = keys.length === 0 ? "" : `${record}: `;
    const order = before === "" ? "" : `${about}${before.replace(/[,;]?\s*(?:and|then)?$/i, "")}${NEXT}`;
    return { text: `${order}comment on ${record}: ${body}`, told: [] };
  }
  if (keys.length === 0) return { text: kept, told };
  const own = kept.match(KEY) ?? [];
  // "DEMO-14 failed the retest. Send it back": what is spoken of is what "it" is.
  if (own.length > 0) return REFERS.test(maskedOf(kept)) ? { text, told: [] } : { text: kept, told };
  // "OPS-13 has a due date in the past. Remove it": what is removed is not the record.
  if (/\b(?:delete|remove|erase|destroy|trash|drop|clear)\b/i.test(maskedOf(kept))) return { text, told: [] };
  if (
    keys.length > 1 ||
    !(REFERS.test(maskedOf(kept)) || isOrder(`${keys[0] ?? ""}: ${kept}`) || isOfRecord(kept, verbs))
  )
    return { text, told: [] };
  return { text: `${keys[0] ?? ""}: ${kept}`, told };
}

/**
 * An order of a record without what is said behind it of another one that stays as it is: "…. DEMO-14 stays in review
 * until Ben has seen it", "…, not into MOB-10", "…, unlike MOB-8, which has to stay High".
 */
function withoutOthers(message: string, verbs: Verbs, isOrder: (sentence: string) => boolean): Foreground {
  if (message.length > MOST_CHARS) return { text: message, told: [] };
  const { masked } = createSheet(message);
  for (const pattern of OF_OTHERS) {
    const found = pattern.exec(masked);
    if (found === null || found.index < 6 || COLON.test(masked.slice(0, found.index))) continue;
    const text = message.slice(0, found.index);
    const told = message.slice(found.index).replace(/^[\s,.;!–-]+/u, "");
    const [own, others] = [text, told].map((part) => (part.match(KEY) ?? []).map((key) => key.toUpperCase()));
    const isOther = others?.every((key) => own?.includes(key) !== true) === true;
    const orders = (part: string): boolean => isOrder(part) || readWish(part, verbs).changing;
    // "…. DEMO-14 is already there. Assign MOB-3 to Ben": what comes behind may be asked for.
    const isMore = told
      .split(/[.!?;]\s+/u)
      .slice(1)
      .some(orders);
    if (own?.length !== 1 || !isOther || isMore || !orders(text)) continue;
    return { text, told: [told] };
  }
  return { text: message, told: [] };
}

/** More is no order with a remark. */
const MOST_CHARS = 500;
const OTHER = "(?:the\\s+(?:one|bug|story|task|epic)\\s+(?:on|in|with)\\s+)?[A-Z]\\w{0,15}-\\d{1,9}";
const OF_OTHERS: readonly RegExp[] = [
  new RegExp(
    `\\s*[.;,!–-]+\\s+(?:(?:and|but|while|whereas|as)\\s+)?${OTHER}(?:\\s+itself)?\\s+(?:stays?|keeps?|remains?|(?:is|are)\\s+(?:already|still|another|fine|ok(?:ay)?|good|right|there|\\p{Lu}\\p{L}+['’]s)|can\\s+(?:stay|rest|wait|keep)|has\\s+to\\s+stay|doesn['’]?t\\s+(?:need|have)|has\\s+been)\\b(?!.*\\b(?:too|also|as well|same|likewise|both)\\b).*$`,
    "su",
  ),
  new RegExp(
    `\\s*,\\s+(?:and\\s+)?(?:(?:un)?like|just like|same as|as opposed to|as with|not(?:\\s+(?:like|in|into|to|for|on|with|under))?)\\s+(?:the\\s+)?[A-Z]\\w{0,15}-\\d{1,9}\\b(?!.*\\b(?:too|also|as well)\\b).*$`,
    "su",
  ),
  new RegExp(
    `\\s*[.;!]+\\s+If\\s+(?!.*\\b(?:it|that|this)\\b)[^.;!?]*[A-Z]\\w{0,15}-\\d{1,9}[^.;!?]*\\b(?:may|can|could|might)\\b.*$`,
    "su",
  ),
];

/** A question without what is told behind it, where neither is an order. */
function asksOnly(message: string, verbs: Verbs, isOrder: (sentence: string) => boolean): string | undefined {
  if (!ASKS.test(message) || createSheet(message).masked.includes(QUOTED)) return undefined;
  const { asked, told } = mainClause(message);
  if (told === "" || KEY_IN.test(told)) return undefined;
  return [asked.slice(0, -1), told].some((part) => readWish(part, verbs).changing || isOrder(part))
    ? undefined
    : asked;
}

/** "I'm away on 5 December, who is on call that week?": why it is asked says when. */
function withoutOwnReason(message: string): string {
  const { why = "", asked = "" } = OWN_REASON.exec(message)?.groups ?? {};
  if (asked === "" || KEY_IN.test(why)) return message;
  const day = new RegExp(`\\b(?:on|from|in)\\s+((?:${DAY})(?![\\p{L}\\p{N}]))`, "iu").exec(why)?.[1];
  return day === undefined
    ? asked
    : asked.replace(/\b(?:(?:in|on)\s+)?(?:that\s+(?:week|day)|then)\b/i, `on ${day}`);
}

const OWN_REASON =
  /^\W*(?:i|we)(?:['’](?:m|ve|ll)|\s+(?:have|am|are|will|got))\s+(?<why>[^?.,;:"“]{3,80}),\s+(?:and\s+|so\s+)?(?<asked>(?:who|what|which|where|how)(?:['’]s)?\s[^?,]*\?)\s*$/iu;

const HURRY =
  /^\W*(?:quick(?:\s+(?:question|one))?|(?:random|dumb|silly|stupid|small|short)\s+question|question|hurry|urgent)\s*[,:!–-]+\s+(?=\p{L}+\s+\p{L})/iu;
const KEY_IN = /[A-Za-z]\w{0,15}-\d/;

/** "Move the due date to Friday": a change that has to be one of a record, and is of no new one and of no page. */
function isOfRecord(kept: string, verbs: Verbs): boolean {
  const { changing, intents } = readWish(kept, verbs);
  const isField =
    /\b(?:due date|deadline|priority|prio|status|assignee|labels?|title|summary|description)\b/i.test(kept);
  return changing && isField && !intents.has("create") && !/\bpages?\b/i.test(kept);
}

/** A few words without a verb, which name something. */
function isNounPhrase(said: string): boolean {
  const words = tokenize(said);
  return (
    words.length > 0 &&
    words.length < 6 &&
    words.some(({ lower }) => !STOP_WORDS.has(lower)) &&
    !/\b(?:is|are|was|were|has|have|had|will|would|can|could|do|does|did|i|we|you|they|he|she|it|here|there|thanks?|hello|hi|sorry|week|day|morning)\b/i.test(
      said,
    )
  );
}

function maskedOf(text: string): string {
  return createSheet(text).masked;
}

/** What is quoted, an address and, of a change, a few words with a state or a priority may be a value of the wish. */
function isNamedValue(said: string, isChange: boolean): boolean {
  const isShort = tokenize(said).length < 6;
  if (isChange && isShort && VALUE.test(said)) return true;
  // "It must be in the wiki" says where to look.
  const isPlace =
    /\b(?:in|on|from)\s+(?:the\s+|our\s+)?(?:wiki|docs|documentation|confluence|jira|handbook|code|mailbox|database)\b/i;
  return createSheet(said).masked.includes(QUOTED) || /["“”:@/#]/.test(said) || isPlace.test(said);
}

function isWanted(said: string, verbs: Verbs, isOrder: (sentence: string) => boolean): boolean {
  const { text } = unwrap(said);
  if (/\?\s*$/.test(said) || ASKS_SOMEBODY.test(said) || isOrder(said)) return true;
  const wish = readWish(said, verbs);
  if (wish.changing || wish.counts || wish.bareSearch || wish.howTo) return true;
  if (
    ASKS.test(text) ||
    startsWish(text, verbs) ||
    /^(?:everything|all|every|whatever)\b(?!\s+(?:is|was|the best))/i.test(text)
  )
    return true;
  // "Open bugs in OPS": things, and nothing that is told of them.
  return (
    wish.tokens.some(({ lower }) => THINGS.has(lower)) &&
    !/\b(?:is|are|was|were|has|have|had|will|would|i|we|they|he|she)\b/i.test(said)
  );
}

/** "Retest list please: everything in review", "Two small things about DEMO-15: please raise the priority". */
function withoutPreface(message: string, verbs: Verbs, isOrder: (sentence: string) => boolean): string {
  const { masked } = createSheet(message);
  const colon = COLON.exec(masked);
  if (colon === null || colon.index > 200) return message;
  const head = message.slice(0, colon.index);
  const tail = message.slice(colon.index + colon[0].length);
  const keys = [...new Set(head.match(KEY) ?? [])];
  const isDictated =
    /\b(?:comment|note|remark|reply|title|titled|summary|description|body|text|saying|says?|said|write|writes|wrote|tell|log|named|called|rename)\b/i.test(
      head,
    ) ||
    (keys.length > 0 && new RegExp(`^\\W*(?:(?:on|for|in|about)\\s+)?${KEY.source}\\W*$`, "u").test(head));
  const wish = readWish(head, verbs);
  if (isDictated || wish.changing || isOrder(head) || masked.slice(0, colon.index).includes(QUOTED))
    return message;
  const isWish =
    POLITELY.test(tail) ||
    isOrder(tail) ||
    (isWanted(tail.split(/[.!?;]\s/)[0] ?? "", verbs, isOrder) && isPlainHead(head));
  if (!isWish) return message;
  if (keys.length === 0) return tail;
  return keys.length === 1 && (tail.match(KEY) ?? []).length === 0
    ? `${keys[0] ?? ""}: ${tail}`
    : (tail.match(KEY) ?? []).length > 0
      ? tail
      : message;
}

const POLITELY = /^\W*(?:please|pls|plz|kindly|could you|can you|would you)\b/i;

/** Nothing that is looked for by itself. */
function isPlainHead(head: string): boolean {
  return tokenize(head).filter(({ lower }) => !STOP_WORDS.has(lower)).length < 5 && !/\?/.test(head);
}
