import { createSheet, type Piece, QUOTED } from "./sheet.ts";
import { type Intent, isRead, type Verbs } from "./verbs.ts";
import { STOP_WORDS, type Token, tokenize } from "./words.ts";

/** One wish of a message, read without looking at any tool. */
export interface Clause {
  text: string;
  tokens: Token[];
  /** How well each intent fits, from 0 to 1. */
  intents: Map<Intent, number>;
  /** The word that said so, or the first word where no verb is known. */
  head?: Token;
  /** Where the words after the verb and its particles begin. */
  bodyAt: number;
  /** It asks to change something. */
  changing: boolean;
  /** What it is about: the text behind "about", "for" and the like. */
  topic?: Piece;
  /** The text behind a colon. */
  tail?: Piece;
  keys: Piece[];
  /** "How do we …", "what is our policy …": somebody wants to read how it is done. */
  howTo: boolean;
  /** It says to search without saying where. */
  bareSearch: boolean;
  /** It names a thing and no verb: "tickets about the vpn". */
  verbless: boolean;
  /** The first word reads like an order that no list of verbs has: "archive DEMO-3", "restart the server". */
  order: boolean;
  /** It ends with a question mark and does not ask somebody to do something ("can you …?"). */
  question: boolean;
  /** It asks to see the effect only. */
  dryRun: boolean;
}

const POLITE =
  /^(?:[\s,.!]|\b(?:hey|hi|hello|ok|okay|so|please|pls|plz|kindly|thanks|and|then|also|now|just|quickly|countersign|go ahead and|help me(?: to)?|let['’]?s|let me|(?:can|could|would|will) (?:you|u|someone|somebody|anyone|we|i)|(?:i|we)(?:['’]d| would) like(?: you)?(?: to)?|(?:i|we) (?:want|need)(?: you)?(?: to)?|i am looking|i['’]m looking)(?=[\s,.!]))+/i;

const DRY = /^(?:(?:dry[- ]run|preview|simulate)(?: of)?:?\s+|what would happen if (?:i|we)\s+)/i;

interface Opening {
  pattern: RegExp;
  intents: Partial<Record<Intent, number>>;
  howTo?: boolean;
  search?: boolean;
  /** It starts with the thing, not with a verb. */
  noun?: boolean;
}

/** Phrases that open a wish, the most telling first; a verb on its own is looked up afterwards. */
const OPENINGS: Opening[] = [
  { pattern: /^get rid of\b/i, intents: { delete: 1 } },
  {
    pattern: /^(?:leave|add|post|write|put|make|drop)\b[^:\uE001]{0,20}?\b(?:comment|note|reply|remark)s?\b/i,
    intents: { comment: 1 },
  },
  {
    pattern:
      /^(?:(?:an?|the|status|latest) )*(?:updates?|news|info(?:rmation)?|details?|status) (?:on|about|for|of)\b/i,
    intents: { read: 1, search: 0.7, list: 0.6 },
  },
  { pattern: /^tell [a-z]\w*-\d+\b/i, intents: { comment: 1 } },
  {
    pattern: /^(?:search(?: for)?|look(?:ing)? (?:up|for)|hunt for|serach(?: for)?)\b/i,
    intents: { search: 1, list: 0.6, read: 0.4 },
    search: true,
  },
  {
    pattern:
      /^(?:find|show me|get me|is there|are there|do we have|have we)(?: got)? (?:anything|something|everything|stuff|any info(?:rmation)?)\b/i,
    intents: { search: 1 },
    search: true,
  },
  {
    pattern: /^(?:anything|something|everything) (?:about|on|regarding)\b/i,
    intents: { search: 1 },
    search: true,
  },
  {
    pattern:
      /^(?:pull up|look at|take a look at|have a look at|tell me(?: more)?(?: about)?|give me|show me|bring up|what['’]?s up with|what is up with)\b/i,
    intents: { read: 1, list: 0.9, search: 0.7 },
  },
  {
    pattern: /^how (?:do|can|should|would|to)\b(?: (?:we|i|you|one))?/i,
    intents: { search: 1, read: 0.4 },
    howTo: true,
  },
  {
    pattern: /^(?:what|where)(?:['’]?s| is| are)? (?:our|the) (?:policy|process|procedure|rule)s?\b/i,
    intents: { search: 1 },
    howTo: true,
  },
  { pattern: /^what (?:does|do|did) .{1,40}? (?:say|says|tell|know)\b/i, intents: { search: 1, read: 0.4 } },
  {
    pattern: /^(?:is there|are there|do we have|have we|has anyone|any)\b/i,
    intents: { search: 1, list: 0.8, read: 0.3 },
  },
  {
    pattern: /^(?:what|which)\b.{1,60}?\b(?:are there|do we have|exist|are available|have we)\b/i,
    intents: { list: 1, search: 0.8, read: 0.4 },
  },
  {
    pattern:
      /^(?:what|which|who|where|when|why|how|is|are|was|does|do|did|has|what['’]?s|who['’]?s|where['’]?s)\b/i,
    intents: { read: 0.9, list: 0.9, search: 0.9 },
  },
  {
    pattern: /^(?:open|file|log|raise|start|report|submit) (?:an?|another|new|the following)\b/i,
    intents: { create: 1 },
  },
  { pattern: /^new\b/i, intents: { create: 1 } },
  // "bug in MOB: crash when rotating"
  { pattern: /^(?:[Aa]n? )?\p{L}+ (?:in|for|on) [A-Z][A-Z0-9]+:\s/u, intents: { create: 1 }, noun: true },
  {
    pattern: /^(?:open|closed|my|all|the|every|recent|latest|newest|top)\b(?! (?:https?:|\S*\d))/i,
    intents: { list: 0.9, search: 0.9, read: 0.7 },
  },
  { pattern: /^open\b/i, intents: { read: 1 } },
];

/** Weights for verbs that look: a person who says "show" may mean any of the three. */
const LOOKING: Partial<Record<string, Partial<Record<Intent, number>>>> = {
  search: { search: 1, list: 0.7, read: 0.5 },
  list: { list: 1, search: 0.8, read: 0.5 },
  read: { read: 1, list: 0.9, search: 0.7 },
};

const NOUN_PHRASE: Partial<Record<Intent, number>> = { read: 0.8, list: 0.8, search: 0.8 };

export function readClause(source: string, verbs: Verbs): Clause {
  const polite = POLITE.exec(source)?.[0] ?? "";
  let text = source.slice(polite.length).trim();
  const dry = DRY.exec(text);
  if (dry) text = text.slice(dry[0].length);
  const sheet = createSheet(text);
  const tokens = tokenize(sheet.masked);
  const opening = findOpening(sheet.masked, tokens, verbs);
  const tail = findTail(sheet.masked, text);
  const topic = findTopic(sheet.masked.slice(0, tail?.start), text, opening.bodyAt);
  const intents = new Map(Object.entries(opening.intents) as [Intent, number][]);
  return {
    text,
    tokens,
    intents,
    ...(opening.head ? { head: opening.head } : {}),
    bodyAt: opening.bodyAt,
    changing: intents.size > 0 && ![...intents.keys()].some(isRead),
    ...(topic ? { topic } : {}),
    ...(tail ? { tail } : {}),
    keys: findKeys(text),
    howTo: opening.howTo,
    bareSearch: opening.search,
    verbless: opening.noun,
    order:
      opening.noun &&
      !opening.intents.create &&
      /^\p{Ll}+\s+(?:(?:the|an?|this|that|my|our|all|every|page|me|us|him|her|them)\b|[~/]|[A-Za-z]\w*-\d)/u.test(
        text,
      ),
    question: /\?\W*$/.test(sheet.masked) && !/\b(?:can|could|would|will)\b/i.test(polite),
    dryRun: dry !== null || /\bdry[- ]?run\b/i.test(sheet.masked),
  };
}

/** Whether a text starts like a wish of its own, for splitting sentences. */
function startsWish(source: string, verbs: Verbs): boolean {
  const text = source.slice((POLITE.exec(source)?.[0] ?? "").length).trim();
  if (
    OPENINGS.some(
      ({ pattern }) => pattern.test(text) && !/^(?:the|all|every|my|open|closed|any)\b/i.test(text),
    )
  )
    return true;
  const [first] = tokenize(text, 1);
  return first?.start === 0 && verbs.has(first.stem);
}

interface FoundOpening {
  intents: Partial<Record<Intent, number>>;
  head?: Token;
  bodyAt: number;
  howTo: boolean;
  search: boolean;
  noun: boolean;
}

function findOpening(masked: string, tokens: Token[], verbs: Verbs): FoundOpening {
  const [first] = tokens;
  const opening = OPENINGS.find(({ pattern }) => pattern.test(masked));
  if (opening) {
    const bodyAt = opening.pattern.exec(masked)?.[0].length ?? 0;
    const wholePhrase =
      /^(?:what|which|open|closed|my|all|the|every|recent|latest|newest|top|new|any)\b/i.test(masked);
    return {
      intents: opening.intents,
      ...(first ? { head: first } : {}),
      bodyAt: wholePhrase || opening.noun === true ? 0 : bodyAt,
      noun: opening.noun ?? false,
      howTo: opening.howTo ?? false,
      search: opening.search ?? false,
    };
  }
  // "DEMO-1 blocks DEMO-2, link them": the wish stands behind the comma.
  const later = tokens.filter((token, at) => at > 0 && /[,.;!]\s*$/.test(masked.slice(0, token.start)));
  const head = [first, ...later].find((token) => token !== undefined && verbs.has(token.stem)) ?? first;
  const known = head ? verbs.get(head.stem) : undefined;
  const noun = tokens.slice(1, 8).some(({ stem }) => stem === "export");
  if (!head || !known)
    return {
      intents: noun ? { export: 1 } : NOUN_PHRASE,
      ...(head ? { head } : {}),
      bodyAt: 0,
      howTo: false,
      search: false,
      noun: true,
    };
  const intents: Partial<Record<Intent, number>> = {};
  for (const intent of known) {
    const looks = LOOKING[intent];
    if (looks)
      for (const [name, weight] of Object.entries(looks) as [Intent, number][])
        intents[name] = Math.max(weight, intents[name] ?? 0);
    else intents[intent] = 1;
  }
  if (noun) intents.export = 1;
  if (head.lower === "give" && /\bto\b/i.test(masked)) return { ...empty(head), intents: { assign: 1 } };
  return { ...empty(head), intents: decided(intents) };
}

function empty(head: Token): Omit<FoundOpening, "intents"> {
  return { head, bodyAt: head.start === 0 ? head.end : 0, howTo: false, search: false, noun: false };
}

/** A verb that can look or change (give, get, open, put) without a telling phrase only looks. */
function decided(intents: Partial<Record<Intent, number>>): Partial<Record<Intent, number>> {
  const entries = Object.entries(intents) as [Intent, number][];
  const reads = entries.filter(([intent]) => isRead(intent));
  return reads.length > 0 ? Object.fromEntries(reads) : intents;
}

/** The text behind the first colon that is neither part of an address nor of a time. */
function findTail(masked: string, text: string): Piece | undefined {
  const colon = /(?<=[\p{L}\p{N}\uE001)]):\s+(?=\S)/u.exec(masked);
  if (!colon) return undefined;
  const start = colon.index + colon[0].length;
  const value = text.slice(start).trim();
  const quoted = masked[start] === QUOTED ? createSheet(value).quotes[0] : undefined;
  const whole = quoted?.end === value.length ? quoted.value : value;
  return { value: whole, start, end: text.length };
}

const STRONG_CUE =
  /\b(?:about|regarding|concerning|mentioning|containing|matching|related to|relating to|that mentions?|that contains?|with the words?)\s+/i;
const WEAK_CUE = /\b(?:for|on|with)\s+(?:the\s+)?/gi;
const NO_TOPIC =
  /^(?:me\b|my plate\b|us\b|it\b|him\b|her\b|them\b|[A-Za-z]\w*-\d+\b|page \d|the\s+(?:team|moment)\b|status\b|priority\b|label|type\b|title\b|high\b|low\b|medium\b|body\b|id\b|version\b|(?:the )?(?:wiki|docs?|documentation|tickets?|issues?|bugs?|pages?|files?|stuff|anything|something)\b)/i;

function findTopic(masked: string, text: string, from: number): Piece | undefined {
  const strong = STRONG_CUE.exec(masked);
  const toPiece = (start: number): Piece => ({
    value: text.slice(start, masked.length),
    start,
    end: masked.length,
  });
  if (strong) return toPiece(strong.index + strong[0].length);
  for (const weak of masked.matchAll(WEAK_CUE)) {
    const start = weak.index + weak[0].length;
    if (weak.index >= Math.max(0, from - 5) && start < masked.length && !NO_TOPIC.test(masked.slice(start)))
      return toPiece(start);
  }
  return undefined;
}

/** Issue-like keys, in capitals; `covid-19` and `utf-8` look the same and only count where a tool wants a key. */
function findKeys(text: string): Piece[] {
  const keys: Piece[] = [];
  for (const match of text.matchAll(
    /(?<![\p{L}\p{N}_-])[A-Za-z][A-Za-z0-9_]{0,15}-\d{1,9}(?![\p{L}\p{N}_-])/gu,
  ))
    keys.push({ value: match[0].toUpperCase(), start: match.index, end: match.index + match[0].length });
  return keys;
}

const JOINT =
  /(?<!\s)(?:\s*(?:[;\n]|[.?!](?=\s))+\s*(?:(?:and|then|also|please)\s+)*|\s*,?\s+(?:and then|and also|and|then|plus)\s+)/gi;
const MAX_WISHES = 8;

/**
 * The wishes of a message: "find issues about login and what does the wiki say about deploying" has two.
 * What follows a new thing or a comment belongs to it ("… and assign it to chloe"), so those stay whole.
 */
export function splitWishes(message: string, verbs: Verbs, things: ReadonlySet<string>): string[] {
  const { masked } = createSheet(message);
  const tail = /(?<=[\p{L}\p{N}]):\s/u.exec(masked)?.index ?? masked.length;
  const wishes: string[] = [];
  let from = 0;
  for (const joint of masked.matchAll(JOINT)) {
    if (joint.index >= tail || joint.index < from || wishes.length >= MAX_WISHES) break;
    const left = message.slice(from, joint.index);
    if (left.trim() === "") continue;
    const first = readClause(left, verbs);
    if (first.changing && (first.intents.has("create") || first.intents.has("comment"))) break;
    const right = message.slice(joint.index + joint[0].length);
    if (startsWish(right, verbs)) {
      wishes.push(left);
      from = joint.index + joint[0].length;
    } else if (isThing(right, things) && first.head) {
      // "list the projects and the spaces"
      return [...wishes, left, `${first.text.slice(0, first.head.end)} ${right}`];
    }
  }
  wishes.push(message.slice(from));
  return wishes.filter((wish) => wish.trim() !== "");
}

function isThing(text: string, things: ReadonlySet<string>): boolean {
  const words = tokenize(text, 8).filter((token) => !STOP_WORDS.has(token.lower));
  return words.length > 0 && words.length <= 2 && words.every(({ stem }) => things.has(stem));
}
