import type { KnownName } from "#contract/plan.ts";
import { NEVER_MIND } from "./answer.ts";
import { namePattern, NOBODY } from "./people.ts";
import { type Sense, senseOf } from "./sense.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { titleWeight } from "./titles.ts";
import { KEY, tokenize } from "./words.ts";
import {
  type SenseContext,
  type Part,
  DEMANDS,
  STANDS,
  SUFFICES,
  FROM_NOW,
  GIVES_OTHER,
  PLACEHOLDER,
  RECORD,
  READERS,
  isEpic,
} from "./sense-orders.ts";

const KEYS = new RegExp(`${KEY}(?:(?:\\s*[,&]\\s*|\\s+and\\s+|,\\s+and\\s+)${KEY})*`, "gu");
const ROW =
  /\b(?:the\s+)?(?:first|second|third|fourth|fifth|last)\s+(?:one|ticket|issue|bug|task|story)\b/giu;
const SENTENCE = /(?<=[.!?…])\s+|\s*[\n;]\s*|\s+[–—-]+\s+|(?<=[\p{L}\p{N})]):\s+/u;
const CLAUSE = new RegExp(
  `\\s*,\\s+(?!(?:and\\s+)?${KEY})(?:(?:and|but|so|because|since|as|hence|therefore)\\s+)?|\\s+(?:but|because|so(?!\\s+(?:too|that|far|many|much|long|soon|high|low|as|on|i can)\\b)|and(?!\\s+${KEY}))\\s+`,
  "u",
);
const MOST_CHARS = 500;
/** So likely is what a change is read from. */
const SURE = 0.7;
const LOOKS: ReadonlySet<Sense> = new Set(["show", "find", "wiki"]);
/** What makes another message of the whole: a second thought, somebody's words, several that nobody names. */
const OTHERWISE =
  /^\W*(?:no|nope|not|never|if|unless|once|in case|compare|assume|suppose|imagine|re|from|to|fwd?|fyi|subject)\b[^,]*(?=:|,|$)|^\W*(?:if|unless|in case|assume|suppose|imagine|neither)\b|\b(?:whether|unless|in case|no no|other one|(?:the|all|any|no) others?(?! (?:window|tab|day|side|hand|end|phone|room)\b)|another|previous|never ?mind|nvm|forget (?:it|that|about)|about to|was going to|old owner|one step(?! (?:up|down|higher|lower)\b)|one and|then re-?open|as a duplicate|meant to|except|but not|ask|asks|compare|swap|between|according to|apparently|neither|nor|said:|says:|wrote:|from here,|to (?:that|what it was)$|watchers?|agenda|aside|easy|start over|but one|children|all (?:of )?(?:the|my|our)|everything (?:in|of|under|from|on|within|below))\b|\b(?:the )?one (?:that|which|who)\b|[A-Z]\w*-\d+(?: and|,|\/) ?\d|\bafter (?:the|that|this)\b/iu;
const ASKS =
  /^\W*(?:and\s+)?(?:who\p{L}*|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|should(?:n['’]t)?|show|list|find|explain|check|tell|keep|stop|avoid|refrain)\b/iu;
/** Several that nobody names. */
const THEM = /\b(?:them|they|these|those)\b/i;
const SEVERAL =
  /\b(?:all|every|each|any|both|some|them|they|these|those|stories|issues|tickets|bugs|tasks|pages?)\b/iu;
/** What is to be kept in mind is no record yet. */
export const NEW: RegExp =
  /\b(?:something|new|another|forget|remember|remind|track|file|create|add|write|log(?=\s+(?:it|this|that|an?|another|the)\b))\b|^\W*\p{L}+\s+an?\s/iu;
const NEEDS_SEVERAL =
  /\b(?:need|want|make|open|file|add|get)\s+(?:me\s+|us\s+)?(?:two|three|four|five|six|[2-9]|some|several|a\s+(?:few|couple(?:\s+of)?))\s+(?:new\s+|more\s+)?(?:sub-?tasks|tasks|tickets|issues|bugs|stories)\b/iu;
/** What it is to replace: "… instead of the one we've missed" */
const INSTEAD_OF = /\binstead of\s+(?:the|that|its|our|what|one|two|three|four|five|six|\d+)\b[^.!?]*/i;
/** "Just as a remark", "just take the date off" */
const JUST_AS =
  /\bjust\s+(?=as\s+an?\b)|(?<=^\W*(?:(?:please|pls|so|and|then)\s+)*)just\s+(?=(?:take|set|move|put|make|give|close|remove|drop|clear|assign|add|change|mark)\b)/iu;
/** What doubts, limits, puts off or only reports a change. */
const TURNED =
  /\b(?:if|unless|once|until|till|when|whether|before|after|maybe|perhaps|might|may(?!\s+(?:go|move|rest|be\s+(?:closed|moved|reopened)|come\s+(?:off|down))\b)|hope\p{L}*|wish|wonder\p{L}*|imagine|suppose|assume|guess|think|thought|thinks|said|says|saying|told|tells|heard|claims?|(?<!\b(?:i|we) )wants?|wanted|asked|asks|wrote|promised|expect|afraid|love to see|like to see|tomorrow|later|someday|eventually|soon|almost|nearly|half|far from|could have|should have(?!\s+(?:no|the|an?)\b)|would have|would be|yesterday|next (?:week|month|sprint)|never|or|behind an? (?:feature )?flag|instead(?!\W*$)|rather|except|only|already|just|kidding|joking|haha|lol|pretend|for granted|(?:approve|review|look at|merge|check)\s+(?:my|the|our|his|her|this)\s+(?:pull request|pr|branch|code|merge request|mr)|example|covers? for|(?<!\b(?:can|could|would|will) )you (?:set|put|moved|closed|must|should))\b/iu;
const NEGATED =
  /\b(?:not|never|no|nor|neither|nobody|none)\b|\p{L}n['’]t\b|\b(?:dont|isnt|wont|cant|doesnt)\b/iu;
/** What may be said with a "not". */
const MAY_NEGATE: ReadonlySet<Sense> = new Set(["wontdo", "unassign", "todo", "reopen", "undue"]);
/** What takes back or forbids, wherever it stands … */
const TAKES_BACK =
  /\b(?:do not|don['’]?t|dont|never|stop|avoid|refrain|leave|keep|stays?|ignore|undo|(?<!\bcan )wait|kidding|joking|wish|pretend|suppose|doubt|wrong|call(?=\s+(?:it|this|that|off)\b))\b(?!\s+delete)/i;
/** … and in a few words beside it. */
const DENIES =
  /\b(?:not|no|nope|right|isn['’]?t it|is it|does(?:n['’]?t)? (?:he|she|it)|really|says?|said|claims?|thinks?|thought|suggests?|wrote|told|he|she|or|as if|maybe|perhaps|though|but|except|what do you|why|done|did i|\p{L}+n['’]t (?:you|it|he|she|they))\b/iu;
const FEW_WORDS = 6;
const AGREES = /\b(?:thinks? so|agrees?|says? (?:so|yes|ok))\b/i;
/** "The bug behind KEY", "whatever blocks KEY", "the same as KEY": another record is meant. */
const ANOTHERS = new RegExp(
  `\\b(?:behind|after|before|blocking|blocks|blocked by|blocker of|than|like|as|next to|parent of|child of|part of)\\s+(?:the\\s+)?${KEY}`,
  "iu",
);
/** Who looks for something has not begun it. */
const SEEKS =
  /\b(?:look(?:ing|ed)?|search(?:ing|ed)?|hunt(?:ing|ed)?|digging) (?:for|up)\b|\b(?:to|can['’]?t) find\b/i;
/** What is asked for and not read. */
const REQUESTS = /^\W*(?:can|could|would|will)\s+(?!you\s+(?:believe|imagine))|\b(?:please|pls)\s+\p{L}+/iu;
const FREED = new RegExp(`\\b${NOBODY}`, "iu");
/** "It", or what is asked for in a word. */
const REFERS = /\b(?:it|this|that|ticket|issue|one|mine|please|pls|plz)\b/i;
/** Behind these stands somebody who is given nothing. */
const BESIDE = /\b(?:from|off|instead of|not|than|by|with|for|after|since|because|says?|said|told|ask)\s+$/i;
/** What deletes a record is said in so many words, and nothing else is meant by it. */
const DESTROYS = new RegExp(
  `\\b(?:delete|erase|purge|destroy)\\s+(?:it|this|that|the (?:[^,.;:!?]{2,60}? )?(?:ticket|issue|record|bug|task|story|one)\\b|${KEY})`,
  "iu",
);
const QUOTES: ReadonlySet<Sense> = new Set(["comment", "rename", "label", "unlabel"]);
/** Several that nobody names, or that share a word. */
const LISTED = /\b(?:sub-?tasks|issues|tickets|bugs|tasks|stories|ones)\b/i;
/** "What does it say?" */
const ASKS_WHAT =
  /^\W*(?:(?:and|so|but)\s+)?(?:what|which|when|where|why|how|who(?! wants\b))(?:['’]s)?\b[^?]*\?/iu;
/** What is to be seen. */
const SHOWS = /^\W*(?:(?:and|please|pls|then|now)\s+)*(?:show|list|find|open|display|search|look up)\b/i;
/** "This is Farid", "Ben here" */
const INTRODUCES =
  /^\W*(?:(?:hi|hello|hey|hej|morning)\W+)?(?:this is|it['’]s|i am|i['’]m|my name is)\s+\p{L}+(?:\s+here)?\W*$|^\W*\p{L}+ here\W*$/iu;
/** "DEMO-14 has no due date": how it is, where the rest says how it shall be. */
const LACKS =
  /(?<!\b(?:should|shall|must|may|can)\s)\b(?:has|have|had|got|there['’]s|there is|is|still)\s+(?:still\s+)?(?:no|without(?: an?)?)\s+(?:due date|deadline|date|label|owner|assignee|priority)s?\b/i;
/** "The printer bug is getting silly": how it is, and nothing that anybody does. */
const TURNS =
  /(?:\b(?:is|are|was|has\s+been|keeps?)|['’](?:s|re))\s+(?:\p{L}+ly\s+|now\s+)?(?:getting|becoming|growing|turning)\s+(?!\p{L}+ed\b|done\b|it\b|this\b|that\b)\p{L}+/iu;
/** "Low, and into epic DEMO-20": where something shall be, and not what is changed. */
const DESTINED = new RegExp(
  `\\b(?:in|into|under|to)\\s+(?:the\\s+)?(?:epic\\s+${KEY}|${KEY}\\s+epic)\\b`,
  "iu",
);
/** "Dmitri's drowning in it" */
const BUSY =
  /^\W*\p{L}+(?:['’]s|\s+is|\s+are)\s+(?!(?:taking|doing|handling|picking|having|owning|getting|on|going to)\b)\p{L}+ing\b/iu;
/** What somebody did. */
const DID =
  /^\W*(?:i|we|he|she|they|you|somebody|someone)\s+(?:\p{L}+ly\s+|just\s+|already\s+)?(?:\p{L}{2,}ed|put|set|took|gave|did|made|went|had|wrote|began|got)\b/iu;
/** "who wrote it up": which of the people is meant, and nothing else. */
const WHO = /\bwho(?:['’]s|\s+\p{L}+)(?:\s+(?:it|this|that|them|him|her|up|in))*/giu;
/** "Can its status reflect that?", "please reflect that in the tracker" */
const SHOWS_SO =
  /^\W*(?:(?:and|so|please|pls|can you|could you)\s+)*(?:reflect|show|mirror|record|note|enter)\s+(?:that|this|it)\s+(?:in|on)\s+(?:the\s+)?(?:tracker|jira|board|ticket|issue|system)\W*$|^\W*(?:(?:and|so|please|pls)\s+)*(?:can|could|should|would)\s+(?:its|the|their)\s+(?:status|state|board|ticket|issue|tracker|date|due date|deadline|priority|prio)\s+(?:please\s+)?(?:reflect|say|show|follow|match|know)\s+(?:that|this|so|it)(?:\s+(?:too|as well|please))?\W*$/i;
/** "MOB-8 has to wait for MOB-16. Can you record that one blocks the other?" */
const ONE_THE_OTHER =
  /\b(?:record|note|link(?: them)? so|show|add) that (?:the )?one (?:blocks|waits for|depends on|is blocked by) the other\b/giu;
const PUTS_NOTE = /\b(?:put|add|leave|write|post|drop)\b[^.!?]*\bas\s+an?\s+(?:comment|note)\b/i;
const LEAVES_NOTE =
  /^\W*(?:(?:and|also|then|please|pls)\s+)*(?:leave|add|write|put|post)\s+an?\s+(?:comment|note)\b/i;
const KEEPS = /\b(?:stays?|keeps?|leave|remains?)\b/i;
const CONFIRMS =
  /^\W*(?:(?:and|so|yes|ok|please|pls|then|now)\W+)*(?:(?:would|could|can|will)\s+you\s+(?:please\s+)?)?(?:record|save|enter|note|add|change|do|fix|swap|switch|make|assign|set|adjust|correct|use)\s+(?:it|that|this|them|the assignee|the owner)(?:\s+(?:bit|so|over|in|like (?:that|this)|that way|please|pls|for me))*\W*$/i;

/** A record, and nothing that shall become of it. */
const ONLY_NAMED =
  /^\W*(?:(?:i\s+see|ok(?:ay)?|and|now|then|next|so|also|please|pls|what\s+about|on|to|back|with|thanks?|right|good|great|the|ticket|issue|one|again|too|[A-Z]\w*-\d+)(?![\p{L}\d-])\W*)+$/iu;

/**
 * What a message wants of records, by what its sentences mean, as orders in plain words: where each part is read as a
 * change with all that it needs, or as none. Undefined where a part is not clear, or nothing is wanted.
 */
export function bySense(said: string, context: SenseContext): string[] | undefined {
  const { message, quotes } = withoutQuotes(said.replace(ONE_THE_OTHER, "link them so"));
  if (message.length > MOST_CHARS || OTHERWISE.test(message) || DESTROYS.test(message)) return undefined;
  // "And now DEMO-15" wants to see it.
  if (ONLY_NAMED.test(message) || NEVER_MIND.test(message)) return undefined;
  // Several that are to be made are none yet.
  if (NEEDS_SEVERAL.test(message)) return undefined;
  // What somebody else wrote orders nothing.
  if (/^\s*>/m.test(message)) return undefined;
  if (DESTINED.test(message) && (message.match(KEYS)?.length ?? 0) < 2) return undefined;
  const isListed = message.search(KEYS) < 0 && LISTED.test(message);
  const isAboutOne = context.about !== undefined || message.search(KEYS) >= 0 || message.search(ROW) >= 0;
  if (!isAboutOne || isListed) return undefined;
  const parts = partsOf(message, quotes, context);
  const acts = withOneState(parts.filter((part) => isAct(part, parts)));
  const asks = parts.some(
    ({ sense, sure, said: part }) =>
      (LOOKS.has(sense) && sure > SURE && (/\?/.test(part) || SHOWS.test(part))) || ASKS_WHAT.test(part),
  );
  const meant = acts.flatMap(({ keys }) => keys);
  const last = parts.findLastIndex((part) => acts.includes(part));
  const isDenied = parts.some(
    (part, at) =>
      !acts.includes(part) &&
      !(at < last && isTold(part)) &&
      !isConfirming(part) &&
      !keepsOther(part, acts) &&
      ((denies(part) && !bearsOut(part, acts)) ||
        BARE_VALUE.test(part.said) ||
        LEAVES_NOTE.test(part.said) ||
        REQUESTS.test(part.said) ||
        (meant.length > 0 && !isBackground(part) && part.keys.some((key) => !meant.includes(key)))),
  );
  if (acts.length === 0 || asks || isDenied) return undefined;
  const named = [...new Set(parts.flatMap(({ keys }) => keys))];
  // "The store screenshots" are one task.
  const isTitled = named.length < 2 && context.about !== "it" && message.search(KEYS) < 0;
  const orders = new Set<string>();
  const read = acts.map((act) => ({ act, order: READERS[act.sense]?.(act, parts, context) }));
  for (const { act, order } of read) {
    // "Put the link to it there as a comment, for the reviewer": a comment, whatever it is to say.
    if (order === undefined && !PUTS_NOTE.test(act.said) && saysNoMore(act, read)) continue;
    // What is said of one of several records has to name it.
    const isOpen =
      act.sense !== "link" &&
      act.sense !== "epic" &&
      act.keys.length === 0 &&
      ((named.length > 1 && !(named.length === 2 && /\bboth\b/i.test(act.said))) ||
        SEVERAL.test(act.said.replace(isTitled ? THEM : named.length === 2 ? /\bboth\b/i : /(?!)/, "")) ||
        (named.length === 0 && context.about === "it" && (!REFERS.test(act.said) || CALLED.test(act.said))));
    if (act.sense !== "link" && callsOther(act, named, context.known)) return undefined;
    const record = (act.keys.length > 0 ? act.keys : named).join(" and ") || context.about;
    if (order === undefined || isOpen || record === undefined) return undefined;
    if (LISTED.test(act.said.replaceAll(KEYS, " "))) return undefined;
    orders.add(
      order.replace(RECORD, record).replaceAll(PLACEHOLDER, (_all, at: string) => quoted(quotes, at)),
    );
  }
  // "Set it to Done, with the comment “…”": nothing that somebody puts in quotes is left out.
  if (quotes.some((quote) => ![...orders].some((order) => order.includes(quote)))) return undefined;
  // What broke again and goes back to where it was is there.
  for (const order of orders) {
    // Nobody has it, and somebody shall.
    const given = /^unassign (.+)$/.exec(order)?.[1];
    if (given !== undefined && [...orders].some((one) => one.startsWith(`assign ${given} to `)))
      orders.delete(order);
    const back = ["In Progress", "To Do"].map((state) =>
      order.replace(/^reopen (.+)$/, `move $1 to ${state}`),
    );
    if (order.startsWith("reopen ") && back.some((one) => orders.has(one))) orders.delete(order);
  }
  // One record has one state, and one person has it.
  const kinds = new Set([...orders].map((order) => order.replace(/ to .*$/, "").replace(/^reopen/, "move")));
  return kinds.size < orders.size ? undefined : [...orders];
}

/** The quote that a placeholder stands for: in quotes, as what is in it orders nothing. */
function quoted(quotes: readonly string[], at: string): string {
  const quote = quotes[Number(at)] ?? "";
  return quote.includes('"') ? quote : `"${quote}"`;
}

/** What names nothing to write or to go into, and what another part says in full: "Seven days. Let's have that as its deadline" */
function saysNoMore({ sense }: Part, read: readonly { act: Part; order: string | undefined }[]): boolean {
  const others = read.filter(({ order }) => order !== undefined);
  return sense === "comment" || sense === "epic"
    ? others.length > 0
    : others.some(({ act }) => act.sense === sense);
}

/** So likely is what may be offered, and never done. */
const LIKELY = 0.4;

/**
 * The change of one record that a message most likely wants, where nothing in it is sure enough to be asked for: for
 * the person to say so. Nothing is deleted by it.
 */
export function likelyBySense(said: string, context: SenseContext): string[] | undefined {
  const { message, quotes } = withoutQuotes(said);
  if (message.length > MOST_CHARS || ONLY_NAMED.test(message)) return undefined;
  // Most messages look for something, and that is cheap to see.
  const isAboutOne = context.about !== undefined || message.search(KEYS) >= 0;
  if (!isAboutOne && context.titleOf?.(message) === undefined) return undefined;
  const whole = senseOf(message.replace(KEYS, "KEY"));
  if (LOOKS.has(whole.sense) && whole.sure > SURE) return undefined;
  const parts = partsOf(message, quotes, context);
  const named = [...new Set(parts.flatMap(({ keys }) => keys))];
  const likely = parts
    .filter(
      ({ sense, sure, said: part, rest }) =>
        sense !== "told" &&
        sense !== "link" &&
        !LOOKS.has(sense) &&
        sure >= LIKELY &&
        rest !== "" &&
        !ASKS.test(part) &&
        !SEEKS.test(part) &&
        !(DID.test(part) && sense !== "done" && sense !== "review") &&
        (!/\?\s*$/.test(part) || REQUESTS.test(part)) &&
        (!NEGATED.test(part) || MAY_NEGATE.has(sense)),
    )
    .toSorted((one, other) => other.sure - one.sure);
  for (const part of likely) {
    const order = READERS[part.sense]?.(part, parts, context);
    const keys = part.keys.length > 0 ? part.keys : named;
    const record = keys.length > 1 ? undefined : (keys[0] ?? context.about);
    if (order === undefined || record === undefined) continue;
    return [order.replace(RECORD, record).replaceAll(PLACEHOLDER, (_all, at: string) => quoted(quotes, at))];
  }
  return undefined;
}

function isAct(part: Part, all: readonly Part[]): boolean {
  const { sense, sure, said, rest, names, keys } = part;
  if (sense === "told" || LOOKS.has(sense) || sure < SURE || rest === "" || part.isHead) return false;
  if (POLITE.test(said) || WISHES.test(said)) return false;
  if (ASKS.test(said) || SEEKS.test(said) || INTRODUCES.test(said) || isConfirming(part)) return false;
  if (sense === "assign" && (BUSY.test(said) || GIVES_OTHER.test(said))) return false;
  if ((LACKS.test(said) || TURNS.test(said)) && all.length > 1) return false;
  // What somebody did, and how it is, is told where another part orders.
  if (sense !== "done" && sense !== "review" && DID.test(said)) return false;
  if (sense === "priority" && isFact(part) && all.some((other) => other !== part && isOrder(other)))
    return false;
  if (sense === "unassign" && /\b(?:nobody|no[ -]one)\b/i.test(said) && !FREED.test(said)) return false;
  // "Take DEMO-15 off DEMO-12": one of two records is no person.
  if (sense === "unassign" && OFF_ANOTHER.test(said)) return false;
  // "Emi has moved it": what somebody did is no wish.
  if (names && sense !== "assign" && sense !== "comment") return false;
  const isLink = sense === "link" && keys.length === 2;
  const own = said.replaceAll(WHO, " ").replace(INSTEAD_OF, " ").replace(JUST_AS, " ");
  return (
    !TURNED.test(own) &&
    (isLink || !ANOTHERS.test(own)) &&
    (!NEGATED.test(own) || MAY_NEGATE.has(sense) || isQuoted(part))
  );
}

const OFF_ANOTHER = new RegExp(`${KEY}\\s+(?:off|from)\\s+${KEY}`, "iu");

/** "Let's not forget MOB-17", "someone should look at it" */
const WISHES =
  /\b(?:not|n['’]t)\s+forget\b|^\W*(?:someone|somebody|anyone|anybody)\s+(?:should|could|might|must|has\s+to|needs?\s+to|ought\s+to)\b/iu;

/** "Pretty please." */
const POLITE =
  /^\W*(?:(?:pretty|please|pls|plz|many|thanks?|thank you|thx|ta|cheers|sorry|ok(?:ay)?|bye|now|then|well|great|good)\b\W*)+$/iu;

/** "Nothing is chopped off any more. It may go to review": of several states the one that is said by its name. */
function withOneState(acts: readonly Part[]): Part[] {
  const states = acts.filter(({ sense }) => STATE_SENSES.has(sense));
  const named = states.filter(({ said }) => STATE_NAME.test(said));
  const isClear = named.length === 1 && new Set(states.map(({ sense }) => sense)).size > 1;
  return acts.filter((act) => !isClear || !states.includes(act) || named.includes(act));
}

const STATE_SENSES: ReadonlySet<Sense> = new Set(["start", "review", "done", "todo", "wontdo", "reopen"]);
const STATE_NAME =
  /\b(?:(?:in|to|into|on|as)\s+(?:in\s+)?(?:progress|review|done|to[ -]?do|the backlog|backlog)|won['’]?t do|clos(?:e|ed)|reopen\p{L}*|open (?:it|this|that) again)\b/iu;

/** What is written or called is in the quote. */
function isQuoted({ sense, quotes }: Part): boolean {
  return QUOTES.has(sense) && quotes.length === 1;
}

function isFact({ said }: Part): boolean {
  return STANDS.test(said) && !SUFFICES.test(said) && !DEMANDS.test(said) && !FROM_NOW.test(said);
}

function isOrder({ sense, sure, said }: Part): boolean {
  return sense !== "told" && !LOOKS.has(sense) && sure >= SURE && !STANDS.test(said);
}

/** "Never mind the sale, it's over. Close it": what is told before an order takes nothing of it back. */
function isTold({ sense, sure, said, keys }: Part): boolean {
  return (
    sense === "told" && sure > SURELY_TOLD && keys.length === 0 && !FORBIDS.test(said) && !REQUESTS.test(said)
  );
}

const FORBIDS =
  /^\W*(?:(?:but|and|so|please|pls)\s+)*(?:do not|don['’]?t|dont|never|stop|avoid|refrain|ignore|undo)\b|\b(?:kidding|joking|pretend|suppose|wrong|no|nope|not yet|wait|say\p{L}*|said|claim\p{L}*|think\p{L}*|thought|suggest\p{L}*|wrote|writes?|told|tells?|asks?|asked)\b/iu;

/** "Dmitri is drowning in OPS-4, so hand OPS-13 to Ben": told of another record than what is ordered names. */
function isBackground({ sense, sure, said }: Part): boolean {
  return sense === "told" && sure > SURELY_TOLD && !NEGATED.test(said);
}

const SURELY_TOLD = 0.85;

/** "And Ben gets the plural one", of which nothing is known. */
const CALLED =
  /\bthe\s+(?!same\b|whole\b|current\b|right\b)(?<words>(?:\p{L}+\s+){1,3}?)(?:one|ticket|issue|bug|story|task)\b/iu;

/** "…, and assign the passkey story to me", beside one record whose title has none of that. */
function callsOther({ said, keys }: Part, named: readonly string[], known: readonly KnownName[]): boolean {
  const [key, ...others] = named.filter((one) => !isEpic(one, known));
  const record = known.find(({ kind, id }) => kind === "issue" && id === key);
  if (record === undefined || others.length > 0 || keys.includes(record.id)) return false;
  const own = new Set(tokenize(record.name).map(({ stem }) => stem));
  const called = tokenize(CALLED.exec(said)?.groups?.["words"] ?? "").map(({ stem }) => stem);
  return called.some((stem) => titleWeight(stem, known) > 0) && !called.some((stem) => own.has(stem));
}

/** "Record that bit", "yes, assign it", "change that": the rest of the message says what. */
function isConfirming({ said }: Part): boolean {
  return CONFIRMS.test(said) || SHOWS_SO.test(said);
}

/** "That is not done. Open it again", "take me off, it can stay without an owner", "the provider decides, not we" */
function bearsOut({ said }: Part, acts: readonly Part[]): boolean {
  const isOnly = (...senses: Sense[]): boolean => acts.every(({ sense }) => senses.includes(sense));
  if (NOT_OVER.test(said) || /^\W*(?:so\s+)?no\W*$/i.test(said)) return isOnly("reopen", "todo", "start");
  if (UNOWNED.test(said)) return isOnly("unassign");
  if (NOT_THAT_ONE.test(said)) return isOnly("due", "priority");
  if (KNOWS_IT.test(said)) return isOnly("assign");
  return NOT_WE.test(said) && !acts.some(({ sense }) => sense === "assign" || sense === "take");
}

const NOT_OVER = /(?:\bnot|n['’]t)\s+(?:really\s+|yet\s+)?(?:done|fixed|finished|solved|resolved|over)\b/i;
const UNOWNED = /\bwithout\s+(?:an?\s+)?(?:owner|assignee)\b|\bunassigned\b/i;
/** "In 45 days and not in 60", "High, not Highest" */
const NOT_THAT_ONE =
  /^\W*(?:and\s+|but\s+)?not\s+(?:in\s+|on\s+|by\s+|the\s+)?(?:\d{1,3}(?:st|nd|rd|th)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|highest|high|medium|low|lowest)(?:\s+(?:days?|weeks?|months?))?\W*$/i;
/** "Give it to Ben, he wrote it" */
const KNOWS_IT =
  /^\W*(?:he|she|they)\s+(?:wrote|built|made|knows?|started|began|offered|volunteered|asked)\b(?!.*\b(?:not|no)\b|.*n['’]t\b)/i;
const NOT_WE = /^\W*(?:and\s+)?not\s+(?:we|us|me|i|you|they|them|he|him|she|her)\W*$/i;

/** "The beta test stays with Farid", "prio stays": of another record, or of what nothing is ordered for. */
function keepsOther({ said, keys, names }: Part, acts: readonly Part[]): boolean {
  if (!KEEPS.test(said) || acts.length === 0) return false;
  const meant = acts.flatMap((act) => act.keys);
  if (keys.length > 0) return meant.length > 0 && keys.every((key) => !meant.includes(key));
  const isOrdered = (...senses: Sense[]): boolean => acts.some(({ sense }) => senses.includes(sense));
  if (names || /\b(?:assign\w*|owner)\b/i.test(said)) return !isOrdered("assign", "unassign", "take");
  if (/\bprio(?:rity)?\b/i.test(said)) return !isOrdered("priority");
  if (/\b(?:due|date|deadline)\b/i.test(said)) return !isOrdered("due", "undue");
  return /\b(?:status|state)\b/i.test(said) && !acts.some(({ sense }) => STATE_SENSES.has(sense));
}

/** A message whose quotes stand as `"Q0"`, `"Q1"` …: what is in them orders nothing. */
function withoutQuotes(message: string): { message: string; quotes: string[] } {
  const { quotes, masked } = createSheet(message);
  let text = "";
  let end = 0;
  for (const [at, quote] of quotes.entries()) {
    text += `${masked.slice(end, quote.start)}"Q${at}"`;
    end = quote.end;
  }
  const whole = (text + masked.slice(end)).replaceAll(QUOTED, " ");
  // "The ticket needs a comment that step 4 has the old path": what it shall say orders nothing either.
  const said =
    quotes.length === 0 && whole.length <= MOST_CHARS ? NOTE_SAYING.exec(whole)?.groups?.["text"] : undefined;
  const note = said?.replace(POLITE_END, "") ?? "";
  return note.length < LEAST_NOTE || said === undefined
    ? { message: whole, quotes: quotes.map(({ value }) => value) }
    : { message: `${whole.slice(0, whole.length - said.length)}"Q0"`, quotes: [note] };
}

const LEAST_NOTE = 8;
const NOTE_SAYING =
  /\b(?:comments?|notes?|remarks?)\b[^.!?:;"“]{0,100}?(?:(?<!\bso )\bthat|\bsaying(?:\s+that)?|,\s*namely\s*:?)\s+(?<text>[^"“”]{8,400})$/isu;
const POLITE_END =
  /(?:[\s,.!]+(?:ok(?:ay)?|thanks?|thank\s+you|thx|cheers|bye|please|pls|ta)\b)+[\s.!?]*$|\s*\?\s*$/iu;

/** Whether it takes back what was said beside it, or says that it is not so. */
function denies({ said, keys }: Part): boolean {
  if (AGREES.test(said)) return false;
  return (
    TAKES_BACK.test(said) || (keys.length === 0 && DENIES.test(said) && tokenize(said).length < FEW_WORDS)
  );
}

/** The sentences of a message, and of one that holds several wishes or is not understood as a whole its clauses. */
function partsOf(message: string, quotes: readonly string[], context: SenseContext): Part[] {
  const sentences = message.split(SENTENCE).filter((said) => /[\p{L}\p{N}]/u.test(said));
  let end = 0;
  return sentences.flatMap((said) => {
    end = message.indexOf(said, end) + said.length;
    const isAhead = /^:\s/.test(message.slice(end));
    const whole = partOf(said, isAhead, quotes, context);
    const clauses = said.split(CLAUSE).filter((each) => tokenize(each).length > 0);
    if (clauses.length < 2) return [whole];
    const parts = clauses.map((clause, at) =>
      partOf(clause, isAhead && at === clauses.length - 1, quotes, context),
    );
    const acts = new Set(parts.filter((part) => isAct(part, parts)).map(({ sense }) => sense));
    const isSplit =
      acts.size > 1 ||
      parts.filter(({ keys }) => keys.length > 0).length > 1 ||
      whole.people.length > 1 ||
      clauses.some((clause) => BARE_VALUE.test(clause));
    return isSplit || !isAct(whole, [whole]) ? parts : [whole];
  });
}

/** "…, high, and due on the day after": wished besides. */
const BARE_VALUE =
  /^\W*(?:and\s+)?(?:(?:highest|high|medium|low|lowest)(?:\s+prio(?:rity)?)?\W*$|due\s+(?!to\b)\S)/i;

function partOf(
  said: string,
  isAhead: boolean,
  all: readonly string[],
  { known, dates, now, titleOf }: SenseContext,
): Part {
  const keys = [...new Set((said.match(new RegExp(KEY, "gu")) ?? []).map((key) => key.toUpperCase()))];
  const date = dates.find(said, now);
  const text = date === undefined ? said : `${said.slice(0, date.start)}DATE${said.slice(date.end)}`;
  const people: string[] = [];
  const masked = text
    .replace(namePattern(known), (name: string, ...more: unknown[]) => {
      const at = more.find((each) => typeof each === "number") ?? 0;
      if (!BESIDE.test(text.slice(0, at))) people.push(name.replace(/['’]s$/, ""));
      return "PERSON";
    })
    .replace(KEYS, "KEY")
    .replace(ROW, "KEY");
  keys.push(...(said.match(ROW) ?? []).map((row) => (/^the\b/i.test(row) ? row : `the ${row}`)));
  const rest = masked.replaceAll(/KEY|[^\p{L}\p{N}]/gu, "");
  const title = keys.length === 0 ? titleOf?.(said) : undefined;
  return {
    said,
    quotes: [...said.matchAll(PLACEHOLDER)].flatMap(([, at]) => all[Number(at)] ?? []),
    isHead: isAhead && (keys.length > 0 || title !== undefined || /^\W*(?:the|that|this)\b/i.test(said)),
    keys: title === undefined ? keys : [title],
    rest,
    names: masked.includes("PERSON"),
    people: [...new Set(people)],
    ...(literally(masked) ?? senseBeside(withLabels(withEpics(masked, said, known)), title)),
  };
}

/** "KEY belongs to EPIC": of two records one may be an epic. */
function withEpics(masked: string, said: string, known: readonly KnownName[]): string {
  const keys = said.match(new RegExp(KEY, "gu")) ?? [];
  const epics = keys.map((key) => isEpic(key, known));
  if (keys.length !== 2 || epics.filter(Boolean).length !== 1) return masked;
  let at = -1;
  return masked.replaceAll(/\bKEY\b/g, (key) => {
    at += 1;
    return epics[at] === true ? "EPIC" : key;
  });
}

/** "The label idea", "the idea label": which one it is says nothing of what is wished. */
function withLabels(masked: string): string {
  return masked
    .replaceAll(BEHIND_LABEL, (_all, noun: string) => `${noun} LABEL`)
    .replaceAll(AHEAD_OF_LABEL, (_all, noun: string) => `LABEL ${noun}`);
}

const NO_LABEL =
  "(?:KEY|PERSON|DATE|EPIC|LABEL|the|this|that|these|those|its|an?|same|new|right|wrong|other|another|our|my|your|no|any|which|what|add|remove|drop|put|lose|take|set|give|with|is|was|are|should|can|could|may|must|has|have|on|of|off|from|for|to|and|or|please|again|too|now|it|them|as|in|at|back|away|there|here|one)\\b";
const BEHIND_LABEL = new RegExp(
  `\\b(labels?|tags?)\\s+["“]?(?!${NO_LABEL})[\\p{L}\\p{N}_-]{2,30}["”]?`,
  "giu",
);
const AHEAD_OF_LABEL = new RegExp(`\\b(?!${NO_LABEL})[\\p{L}\\p{N}_-]{2,30}\\s+(labels?|tags?)\\b`, "giu");

/** What is said of a record that is called by its title is read as if its key stood there, where that says more. */
function senseBeside(masked: string, title: string | undefined): { sense: Sense; sure: number } {
  const read = senseOf(masked);
  const keyed = title === undefined ? masked : masked.replace(SUBJECT, "KEY");
  if (keyed === masked || (read.sense !== "told" && read.sure >= SURE)) return read;
  const other = senseOf(keyed);
  return other.sense === "told" || LOOKS.has(other.sense) || other.sure < SURE ? read : other;
}

const SUBJECT =
  /^(?!.*\b(?:PERSON|that|who|which|before|after|when|while|because|he|she|i|we|they|you|it)\b.*?\s(?:is|are|has|have|can|goes|needs|should|must|may)\s)[^,;:]{3,80}?(?=\s(?:is|are|has|have|can|goes|needs|should|must|may)\s)/iu;

/** What is put into a state by its name is read so, whatever the words around it seem to mean. */
function literally(masked: string): { sense: Sense; sure: number } | undefined {
  const [, first, state = first ?? ""] = PUTS_INTO.exec(masked) ?? SAYS_STATE.exec(masked) ?? [];
  if (ITS_PERSON.test(masked)) return { sense: "assign", sure: 1 };
  const sense = STATES.find(([pattern]) => pattern.test(state))?.[1];
  return state === "" || sense === undefined ? undefined : { sense, sure: 1 };
}

/** "Farid it is" */
const ITS_PERSON = /^\W*(?:(?:so|then|ok|yes|fine)\W+)*PERSON it is\W*$/;
const PUTS_INTO =
  /\b(?:set|put|move|pull|get|bring|flip|switch|push|take|change|send|drag)\s+(?:(?!not\b)\S+\s+){0,5}?(?:(?:back|over)\s+)?(?:in|into|to)\s+(?:in\s+)?(progress|review|done|to[ -]?do)\b/i;
/** "That epic should say in progress", "it needs to sit in To Do again" */
const SAYS_STATE =
  /\b(?:should|must|has to|needs? to|may|can)\s+(?:now\s+)?(?:sit|be|stay|go|rest|stand)\s+(?:back\s+)?(?:in|on)\s+(?:in\s+)?(progress|review|done|to[ -]?do)\b|\b(?:should|must|ought to)\s+(?:now\s+|really\s+)?(?:say|read|show)\s+(?:in\s+)?(progress|review|done|to[ -]?do)\b/i;
const STATES: readonly (readonly [RegExp, Sense])[] = [
  [/^progress/i, "start"],
  [/^review/i, "review"],
  [/^done/i, "done"],
  [/^to/i, "todo"],
];
