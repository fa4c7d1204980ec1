import { remember } from "../../base/remember.ts";
import { ISSUE, PAGE, WORK } from "./nouns.ts";
import { COLON, createSheet, type Piece, QUOTED } from "./sheet.ts";
import { statementVerb } from "./sql-statement.ts";
import { type Intent, isChangeVerb, isOtherChange, isRead, type Verbs } from "./verbs.ts";
import { STOP_WORDS, type Token, tokenize } from "./words.ts";

/** One wish of a message, read without looking at any tool. */
export interface Wish {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** How well each intent fits, from 0 to 1. */
  readonly intents: ReadonlyMap<Intent, number>;
  /** The word that said so, or the first word where no verb is known. */
  readonly head?: Token;
  /** Where the words after the verb and its particles begin. */
  readonly bodyAt: number;
  /** It asks to change something. */
  readonly changing: boolean;
  /** What it is about: the text behind "about", "for" and the like. */
  readonly topic?: Piece;
  /** The text behind a colon. */
  readonly tail?: Piece;
  readonly keys: readonly Piece[];
  /** "How do we …", "what is our policy …": somebody wants to read how it is done. */
  readonly howTo: boolean;
  /** It says to search without saying where. */
  readonly bareSearch: boolean;
  /** It asks how many there are. */
  readonly counts: boolean;
  /** It names a thing and no verb: "tickets about the vpn". */
  readonly verbless: boolean;
  /** The first word reads like an order that no list of verbs has: "archive DEMO-3", "restart the server". */
  readonly order: boolean;
  /** It ends with a question mark and does not ask somebody to do something ("can you …?"). */
  readonly question: boolean;
  /** The day, or the priority, is so much after the one that stands in the record. */
  readonly shift?: { count: number; by: "days" | "levels" };
  /** It asks what somebody works on now. */
  readonly isNow: boolean;
  /** It asks to see the effect only. */
  readonly dryRun: boolean;
}

const POLITE =
  /^(?:[\s,!–-]|\.(?!\p{L})|\b(?:hey|hi|hiya|hello|ok|okay|yo|hm+|u[mh]+|er+m|ugh|argh|well|right|alright|great|cool|nice|perfect|done(?=\s*[,.!])|good (?:morning|afternoon|evening|day)|morning|so|please|pls|plz|kindly|thanks|thank you|thx|ty|cheers|merci|sorry|quick question|and|then|also|now|just|quickly|first(?=\s*,)|countersign|team|folks|all|go ahead and|be so kind (?:and|as to)|help me(?: to)?|let['’]?s|let me(?: know)?|do (?:you|u) (?:know|happen to know)(?: if)?|any idea|remind me|(?:share|tell(?: me| us)?|let (?:me|us) know|find out|see|check)(?= (?:(?:who|which|what) all|who|which|what|how many|when|where|whether|if)\b)|i(?:['’]?m| am| was) (?:just )?wondering(?: if)?|(?:can|could|would|will) (?:you|u|someone|somebody|anyone|we|i)(?: (?:maybe|please|pls|quickly))*(?: (?:tell me|check|see)(?= (?:what|which|who|how|if|whether|when|where|why|is|are)\b))?(?: (?:if|whether))?|(?:i|we)(?:['’]d| would) (?:like|love)(?: you)?(?: to)?(?: know)?|(?:i|we) (?:want|need)(?: you)?(?: to)?(?: (?:know|see))?|i am looking|i['’]m looking)(?=[\s,.!:–-]))+/iu;
/** Kind words at the end belong to no value. */
const CLOSING =
  /(?<![\s,.!?–-])[\s,.!?–-]+(?:(?:please|pls|plz|can you (?:find|check|show|get)(?: it| them| me)?|(?:i )?can(?:not|['’]?t) find (?:it|them)|thanks(?: a lot| so much| in advance)?|thank you(?: very much| so much)?|thx|ty|cheers|asap|(?<!\b(?:same|anything|something|what|tickets|issues|bugs|tasks|work|priority|prio|urgent|open|assigned)\s)for me|already|at all|anywhere|somewhere|will you|would you|ok|right now|right away|straight ?away|immediately|at once|at the moment|at present|for now|if i may(?: ask)?|completely|entirely|for good|for ever|permanently)[\s,.!?]*)+$/i;
const DRY =
  /^(?:(?:dry[- ]run|preview|simulate)(?: of)?:?\s+|what (?:would|will|happens?)(?: happen)? if (?:i|we|someone)\s+)/i;
/** "Don't delete it" is no wish to delete it. */
export const NEGATED: RegExp =
  /^(?:leave\b(?!\s+(?:an?|the|her|him|them)\s+(?:\w+\s+)?(?:comment|note|reply|remark))(?:.*)\b(?:alone|as (?:it|they) (?:is|are)|untouched|open)\b|do not|don['’]?t|dont|never|no need to|you shouldn['’]?t|must not)\b/i;

interface Opening {
  pattern: RegExp;
  intents: Partial<Record<Intent, number>>;
  howTo?: boolean;
  search?: boolean;
  counts?: boolean;
  /** It starts with the thing, not with a verb. */
  noun?: boolean;
}

const LOOK = { read: 0.9, list: 0.9, search: 0.9 };

/** Phrases that open a wish, the most telling first; a verb on its own is looked up afterwards. */
const OPENINGS: Opening[] = [
  { pattern: /^get rid of\b/i, intents: { delete: 1 } },
  { pattern: /^(?:the )?(?:link|url|address) (?:to|of|for)\b(?!.*\band\b)/i, intents: { read: 1 } },
  {
    pattern:
      /^(?:(?:mark|set|flag)\s+)?[a-z]\w*-\d+\s+(?:as\s+)?(?:is\s+)?(?:an?\s+)?(?:duplicate of|duplicates|blocks|(?:blocked|caused|duplicated) by|relates to|related to|clones|causes|depends on)\s+[a-z]\w*-\d+\W*$/i,
    intents: { link: 1 },
    noun: true,
  },
  {
    pattern: /^(?:remove|clear|drop) (?:the )?(?:assignee|owner)\b/iu,
    intents: { assign: 1 },
  },
  {
    pattern:
      /^(?:send|put|bring|take|set|drag)\s+\S+\s+(?:back\s+)?(?:in|into|to)\s+(?:the\s+)?(?:to do|todo|in progress|progress|review|in review|backlog|done|won['’]?t do)\b/i,
    intents: { move: 1 },
  },
  {
    pattern: /^(?:add|set|give|put)\b[^:]{0,20}?\b(?:due date|deadline)\b/i,
    intents: { update: 1 },
  },
  {
    pattern:
      /^(?:make|turn|convert|change)\b(?! (?:us |me )?(?:an?|another) )(?:.{1,30}?)\b(?:into |to )?an? (?:bug|task|story|epic|incident)\b/i,
    intents: { update: 1 },
  },
  { pattern: /^(?:make|turn) [a-z]\w*-\d+ (?:into )?an? /i, intents: { update: 1 } },
  { pattern: /^(?:tag|label|untag|flag) /i, intents: { update: 1 } },
  {
    pattern:
      /^(?:add|put|remove|drop|take|delete|clear|swap|replace|exchange|switch|change)\b[^:]{0,25}?\b(?:labels?|tags?)\b/i,
    intents: { update: 1 },
  },
  { pattern: /^(?:clear|remove|drop|unset)\s+(?:the\s+)?epic\s+(?:of|from|on)\b/i, intents: { update: 1 } },
  {
    pattern: /^(?:add|append|put|write)\b[^:]{0,30}?\b(?:to|in|into)\b[^:]{0,30}?\bdescription\b/i,
    intents: { update: 1 },
  },
  { pattern: /^(?:start|begin) (?:work(?:ing)?|progress) on\b/i, intents: { move: 1 } },
  {
    pattern:
      /^(?:make|bump|raise|lower|push|postpone|extend|shift|move|clear|remove|drop|take)\b(?! (?:an?|another|new|the following)\b)[^:]{0,40}?\b(?:prio(?:rity)?|deadline|due date|highest|high|medium|lowest|low|labels?|tag)\b/i,
    intents: { update: 1 },
  },
  {
    pattern: /^(?:leave|add|post|write|put|make|drop)\b[^:\uE001]{0,20}?\b(?:comment|note|reply|remark)s?\b/i,
    intents: { comment: 1 },
  },
  { pattern: /^tell [a-z]\w*-\d+\b/i, intents: { comment: 1 } },
  {
    pattern:
      /^(?:let|tell|ask|inform|notify|remind)\b[^:]{0,40}?\b(?:in|with|via|by) an? (?:comment|note)\b/i,
    intents: { comment: 1 },
  },
  {
    pattern:
      /^(?:how many|how (?:big|large|long) is|(?:what(?:['’]?s| is) )?(?:the )?(?:total )?(?:number|count) of|(?:(?:show|give) (?:me )?)?(?:an? |the )?(?:count|break ?down|distribution|split|statistics|stats)(?: of)?)\b/i,
    intents: { count: 1, search: 0.5, list: 0.5, read: 0.3 },
    counts: true,
  },
  {
    pattern:
      /^(?:(?:an?|any|the|status|latest) )*(?:updates?|news|info(?:rmation)?|details?|status) (?:on|about|for|of)\b/i,
    intents: { read: 1, search: 0.7, list: 0.6 },
  },
  {
    pattern:
      /^(?:search(?: for| through| in)?|look(?:ing)? (?:up|for)|hunt for|serach(?: for)?|find out about)\b/i,
    intents: { search: 1, list: 0.6, read: 0.4 },
    search: true,
  },
  {
    pattern:
      /^(?:(?:find|show me|get me|is there|are there|do we have|have we)(?: got)? (?:anything|something|smth|sth|everything|stuff|any info(?:rmation)?)|we (?:had|have) (?:an? |some )?|(?:i (?:think|believe|remember|guess) )?there (?:was|is|were|are|must be|should be)(?: (?:something|an?|some))?)\b/i,
    intents: { search: 1, read: 0.4 },
    search: true,
  },
  {
    pattern: /^(?:anything|something|everything) (?:about|on|regarding)\b/i,
    intents: { search: 1 },
    search: true,
  },
  {
    pattern:
      /^(?:pull up|look (?:at|into)|take a look at|have a look at|check(?: on| out)?|tell me(?: more)?(?: about)?|give me|show me|bring up|(?:check )?what['’]?s (?:up|going on|happening|new) with|what is (?:up|going on|happening|new) with)\b/i,
    intents: { read: 1, list: 0.9, search: 0.7 },
  },
  {
    pattern:
      /^(?:what (?:should|must|do|shall) (?:i|we) do|(?:who|whom|where) (?:should|do|can|must|may) (?:i|we) (?:call|ask|talk to|speak to|go|contact|write to|tell|turn to|phone|report))\b/i,
    intents: { search: 1, read: 0.4 },
    howTo: true,
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
      /^(?:what|which|who|whose|where|when|why|how|is|are|was|were|does|do|did|has|have|should|what['’]?s|who['’]?s|where['’]?s)\b/i,
    intents: LOOK,
  },
  {
    pattern: /^(?:open|file|log|raise|start|report|submit) (?:an?|another|new|the following)\b/i,
    intents: { create: 1 },
  },
  { pattern: /^an? new \p{L}+\b(?<!s)/u, intents: { create: 1 } },
  { pattern: /^(?:(?:an? )?new )?(?:bug|task|story|ticket|issue):\s/i, intents: { create: 1 }, noun: true },
  { pattern: /^new\b(?! (?:ones|issues|tickets|bugs|pages|comments))/i, intents: { create: 1 } },
  // "bug in MOB: crash when rotating"
  { pattern: /^(?:[Aa]n? )?\p{L}+ (?:in|for|on) [A-Z][A-Z0-9]+:\s/u, intents: { create: 1 }, noun: true },
  {
    pattern:
      /^(?:open(?! (?:the|an?|this|that|it|up|page|file|issue|ticket|doc)\b)|closed|my|all|the|every|only|recent|latest|newest|oldest|top|last|first|overdue|unassigned)\b(?! (?:https?:|\S*\d|[~.]{0,2}\/))/i,
    intents: { list: 0.9, search: 0.9, read: 0.7 },
  },
  { pattern: /^open\b/i, intents: { read: 1 } },
];

/** Weights for verbs that look: a person who says "show" may mean any of the three. */
const LOOKING: Partial<Record<Intent, Partial<Record<Intent, number>>>> = {
  search: { search: 1, list: 0.7, read: 0.5 },
  list: { list: 1, search: 0.8, read: 0.5 },
  read: { read: 1, list: 0.9, search: 0.7 },
};

/** A message or a wish without what is only kind. */
export function unwrap(source: string): { text: string; polite: string } {
  const polite = POLITE.exec(source)?.[0] ?? "";
  const body = source.slice(polite.length).trim();
  const closing = CLOSING.exec(createSheet(body).masked);
  const isTail = closing === null || /(?<=[\p{L}\p{N}\uE001)]):(?:\s|$)/u.test(body.slice(0, closing.index));
  const text = isTail ? body : body.slice(0, closing.index);
  // "Could you add a comment saying that it is done?" asks for it, and dictates no question.
  const isAsked = /\b(?:can|could|would|will) (?:you|u)\b/i.test(polite) && !COLON.test(text);
  return { text: isAsked ? text.replace(/\s*\?+\s*$/, "") : text, polite };
}

/** As orders say that a value is counted from the one that the record has. */
const SHIFTED = / shifted by (-?\d+) (days|levels)$/;

/** What a message or a part of it wishes. The same is asked many times for one message. */
export function readWish(source: string, verbs: Verbs): Wish {
  const read = readers.get(verbs) ?? remember(MOST_WISHES, (text) => toWish(text, verbs));
  readers.set(verbs, read);
  return read(source);
}

const MOST_WISHES = 64;
const readers = new WeakMap<Verbs, (source: string) => Wish>();

function toWish(source: string, verbs: Verbs): Wish {
  const { text: whole, polite } = unwrap(source);
  const dry = DRY.exec(whole);
  const shifted = SHIFTED.exec(whole);
  const text = whole.slice(dry?.[0].length ?? 0, shifted?.index);
  const sheet = createSheet(text);
  const tokens = tokenize(sheet.masked);
  const opening = findOpening(sheet.masked, tokens, verbs);
  const tail = findTail(sheet.masked, text);
  const topic = findTopic(sheet.masked.slice(0, tail?.start), text, opening.bodyAt);
  // "Can we close it?" and "DEMO-1 blocks DEMO-2?" ask whether, and order nothing.
  const asks = tail === undefined && /\?[^\p{L}\p{N}\uE001]*$/u.test(createSheet(source).masked);
  const asksWhether =
    asks &&
    !/\b(?:can|could|would|will|please|pls)\b(?! (?:i|we)\b)/i.test(
      `${polite} ${source.match(/\b(?:please|pls|would you|could you|can you)\b/i)?.[0] ?? ""}`,
    );
  const statement = sheet.quotes.map(({ value }) => statementVerb(value)).find(Boolean);
  if (statement !== undefined)
    Object.assign(opening, {
      intents: statement === "select" ? LOOK : { create: 1, update: 1, delete: 1 },
      head: undefined,
      bodyAt: sheet.masked.indexOf(QUOTED),
    });
  const isOrder = !Object.keys(opening.intents).some((intent) => isRead(intent as Intent));
  const intents = new Map(
    Object.entries(asksWhether && isOrder ? LOOK : opening.intents) as [Intent, number][],
  );
  const isGrouped =
    intents.has("list") &&
    (GROUPED.test(sheet.masked) ||
      /^(?:who|which|what)\b.{1,40}\b(?:most|fewest|least)\b(?! (?:recent\w*|urgent|important|critical))/i.test(
        text,
      ));
  if (isGrouped)
    for (const intent of ["count", "list", "search"] as const)
      intents.set(intent, intent === "count" ? 1 : 0.5);
  return {
    text,
    tokens,
    intents,
    ...(opening.head ? { head: opening.head } : {}),
    bodyAt: opening.bodyAt,
    changing: intents.size > 0 && ![...intents.keys()].some(isRead),
    ...(topic ? { topic } : {}),
    ...(tail ? { tail } : {}),
    ...(shifted === null
      ? {}
      : { shift: { count: Number(shifted[1]), by: shifted[2] === "days" ? "days" : "levels" } }),
    keys: findKeys(text),
    howTo: opening.howTo,
    bareSearch: opening.search,
    counts: opening.counts || isGrouped,
    verbless: opening.noun,
    order:
      opening.noun &&
      !opening.intents.create &&
      !opening.intents.link &&
      // "Issues that Ben has" are things.
      !/^(?:(?:every|any|some)(?:thing|body|one)|\p{Ll}+s)\s+that\s+\p{L}+\s+\p{L}/u.test(text) &&
      // "Max page size" is a thing.
      /^(?!(?:max|min|maximum|minimum|default|average|total|usual|current)\s)\p{L}\p{Ll}*\s+(?:(?:the|an?|this|that|my|our|all|every|page|me|us|him|her|them)\b|[~/]|[A-Za-z]\w*-\d)/u.test(
        text,
      ),
    question: asks && !/\b(?:can|could|would|will)\b/i.test(polite),
    isNow:
      /\b(?:work(?:s|ing) on|busy with|doing)\s+(?:(?:just|right) )?(?:now|at the moment|today|currently|at present)\b|\bcurrently (?:working on|busy|doing)\b/i.test(
        source,
      ),
    dryRun: dry !== null || /\bdry[- ]?run\b/i.test(sheet.masked),
  };
}

/** "open issues by assignee": how many of each. */
const GROUPED =
  /(?<!\b(?:sort|sorted|order|ordered|filter|filtered|assigned|reported|created|opened)\s)\b(?:by|per) (?:assignee|person|status|state|type|reporter|project|label|epic)\b(?! first)|\bper priority\b|\bare (?:in|of|with) (?:which|what) (?:status|state|type|priority|project)\b/i;

/** Whether a text starts like a wish of its own, for splitting sentences. */
export function startsWish(source: string, verbs: Verbs): boolean {
  const { text } = unwrap(source);
  // "search-ux" is a name.
  if (/^(?!re-)\p{L}+-\p{L}/iu.test(text)) return false;
  const isOpened = OPENINGS.some(
    ({ pattern }) =>
      pattern.test(text) &&
      !/^(?:the|all|every|my|open|closed|any|only|last|first|top|latest|newest|oldest|recent|overdue|unassigned)\b/i.test(
        text,
      ),
  );
  if (isOpened) return true;
  const [first] = tokenize(text, 1);
  return first?.start === 0 && verbs.has(first.stem);
}

/** What stands behind "then" or in a line of its own orders something by any verb that changes things. */
function startsOrder(source: string, joint: string): boolean {
  const [first] = tokenize(unwrap(source).text, 1);
  return /\bthen\b|[;\n]/i.test(joint) && first?.start === 0 && isChangeVerb(first.lower);
}

interface FoundOpening {
  intents: Partial<Record<Intent, number>>;
  head?: Token;
  bodyAt: number;
  howTo: boolean;
  search: boolean;
  counts: boolean;
  noun: boolean;
}

const IS_OF_THINGS =
  /^\s+(?:by|to|at|with|for|as|in|on|since|after|before|between|last|this|today|yesterday|within|over|\p{L}*\s?\p{L}+(?<!s)s\b)/iu;
const THINGS_FIRST =
  /^(?:what|which|open(?! (?:the|an?|this|that|it|up|page|file|issue|ticket|doc)\b)|closed|my|all|the|every|only|recent|latest|newest|oldest|top|last|first|overdue|unassigned|new|any)\b/i;
/** Words that begin a wish and say which things are wanted. */
const NO_VERB =
  /^(?:open|closed|my|all|the|every|only|recent|latest|newest|oldest|top|last|first|overdue|unassigned)$/;
const PLAIN = { howTo: false, search: false, counts: false, noun: false };

function findOpening(masked: string, tokens: Token[], verbs: Verbs): FoundOpening {
  const [first] = tokens;
  const opening = OPENINGS.find(({ pattern }) => pattern.test(masked));
  if (opening) {
    const { intents, pattern, ...flags } = opening;
    // "open Engineering Handbook" is an order, "open bugs" are things.
    const isThing = THINGS_FIRST.test(masked) && !/^[Oo]pen \p{Lu}\p{Ll}/u.test(masked);
    const bodyAt =
      (isThing && flags.counts !== true) || flags.noun === true ? 0 : (pattern.exec(masked)?.[0].length ?? 0);
    return {
      ...PLAIN,
      ...flags,
      intents,
      bodyAt,
      ...(first && !(isThing && NO_VERB.test(first.lower)) ? { head: first } : {}),
    };
  }
  // "closed bugs in OPS", "created last week": what was done says of which things, and is no order.
  if (first?.start === 0 && /(?:[^e]ed|ten)$/.test(first.lower) && IS_OF_THINGS.test(masked.slice(first.end)))
    return { ...PLAIN, intents: { list: 0.9, search: 0.9, read: 0.5 }, noun: true, bodyAt: 0 };
  // "close to DEMO-4", "start with DEMO-21" order nothing.
  if (/^(?:close (?:to|by)|start (?:with|from|\S+ over))\b/i.test(masked))
    return { ...PLAIN, intents: LOOK, noun: true, bodyAt: 0, ...(first ? { head: first } : {}) };
  // "DEMO-1 blocks DEMO-2, link them": the wish stands behind the comma.
  const later = tokens.filter(
    (token, at) => at > 0 && /[,.;!]$/.test(masked.slice(0, token.start).trimEnd()),
  );
  // ".log files" are no order.
  const isWord = ({ start }: Token): boolean => !/[./]$/.test(masked.slice(0, start));
  const head =
    [first, ...later].find((token) => token !== undefined && isWord(token) && verbs.has(token.stem)) ?? first;
  // "comments on page 1003" names things: nobody orders in the plural.
  const known = head && isWord(head) && !/\p{L}[^s]s$/u.test(head.lower) ? verbs.get(head.stem) : undefined;
  // "Make an export of DEMO": a folder that is called "exports" asks for nothing, nor does a record about one.
  const exports = tokens.slice(1, 8).some(({ stem, start }) => {
    const before = masked.slice(0, start);
    return stem === "export" && !/[\w./-]$/.test(before) && !COLON.test(before) && !ABOUT_WORK.test(before);
  });
  if (!head || !known) {
    const intents = exports ? { export: 1 } : { read: 0.8, list: 0.8, search: 0.8 };
    return { ...PLAIN, intents, noun: true, bodyAt: 0, ...(head ? { head } : {}) };
  }
  const bodyAt = head.start === 0 ? head.end : 0;
  if (head.lower === "give" && /\bto\b/i.test(masked))
    return { ...PLAIN, head, bodyAt, intents: { assign: 1 } };
  const intents: Partial<Record<Intent, number>> = {};
  for (const intent of known)
    for (const [name, weight] of Object.entries(LOOKING[intent] ?? { [intent]: 1 }) as [Intent, number][])
      intents[name] = Math.max(weight, intents[name] ?? 0);
  if (exports && [...known].every((intent) => isRead(intent) || intent === "create")) intents.export = 1;
  // A verb that can look or change (give, get, open, put) without a telling phrase only looks.
  const reads = Object.entries(intents).filter(([intent]) => isRead(intent as Intent));
  return { ...PLAIN, head, bodyAt, intents: reads.length > 0 ? Object.fromEntries(reads) : intents };
}

const ABOUT_WORK = new RegExp(`\\b(?:${WORK}|stories|${PAGE}|comment|note)s?\\b`, "iu");

/** The text behind the first colon that is neither part of an address nor of a time. */
function findTail(masked: string, text: string): Piece | undefined {
  const colon = COLON.exec(masked);
  if (!colon) return undefined;
  const start = colon.index + colon[0].length;
  const value = text.slice(start).trim();
  const quoted = masked[start] === QUOTED ? createSheet(value).quotes[0] : undefined;
  if (quoted?.end === value.length || /^\s*[,;.]/.test(value.slice(quoted?.end ?? value.length)))
    if (quoted) return { value: quoted.value, start, end: start + quoted.end };
  // "crash on start, high priority, assign to emi": what is said of the new thing is not its title.
  const isNew = /^(?:[^:]*\b(?:ticket|issue|bug|task|story|epic)\b)/i.test(text);
  const said = isNew ? (SENTENCES.exec(value) ?? ATTRIBUTES.exec(value)) : null;
  const kept = said ? value.slice(0, said.index) : value;
  return { value: kept, start, end: said ? start + kept.length : text.length };
}

/** What further sentences say of "it": "…. It belongs to the Mobile App", "…. Label it mail". */
const SENTENCES =
  /(?<=[.!?])(?:\s+(?:please\s+)?(?:it\s+(?:is|belongs|goes|should|has)|(?:label|tag|assign|give|put|link|mark|set)\s+(?:it|this)|priority|assignee|labels?)\b[^.!?]*[.!?]*)+$/i;
const ATTRIBUTES =
  /(?:\s*,\s*(?:and\s+)?(?:(?:with\s+)?(?:highest|high|medium|low|lowest|critical|urgent)\s+prio(?:rity)?|prio(?:rity)?\s+\p{L}+|(?:highest|high|medium|low|lowest|urgent)(?=\s*(?:,|$))|for\s+\p{L}+(?=\s*(?:,|$))|assign(?:ed)?(?:\s+it)?\s+to\s+[\p{L}@]+|labell?ed\s+[\p{L}\d_-]+|due\s+[^,]+))+$/iu;

const STRONG_CUE =
  /\b(?:about|(?:has |have |having )?to do with|dealing with|regarding|concerning|mentioning|containing|matching|related to|relating to|that mentions?|that contains?|with the words?|(?:up|going on|happening|new) with)\s+/i;
const FURTHER = /\s+(?:(?:that|which|who)\s+(?:are|is|were|was|have|has|nobody|no one)\b|,)/i;
const WEAK_CUE = /\b(?:for|on|with)\s+(?:the\s+)?/gi;
const NO_TOPIC =
  /^(?:me\b|my plate\b|us\b|it\b|him\b|her\b|them\b|[A-Za-z]\w*-\d+\b|page \d|the\s+(?:team|moment)\b|status\b|(?:\p{L}+ )?prio(?:rity)?\b|(?:an? |any |no )?(?:labels?|due|deadlines?|epics?)\b|type\b|title\b|high(?:est)?\b|low(?:est)?\b|medium\b|body\b|id\b|version\b|no\b|in\b|at\b|by\b|(?:this|next|last|mon|tues|wednes|thurs|fri|satur|sun|today|tomorrow)|\p{Lu}{2,10}\b(?! \p{Ll})|(?:the )?(?:wiki|docs?|documentation|tickets?|issues?|bugs?|pages?|files?|stuff|anything|something)\b)/iu;

function findTopic(whole: string, text: string, from: number): Piece | undefined {
  // "… about login that are still open": what follows says which of those.
  const masked = whole.slice(0, FURTHER.exec(whole)?.index);
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
  const pattern = /(?<![\p{L}\p{N}_-])[A-Za-z][A-Za-z0-9_]{0,15}-\d{1,9}(?![\p{L}\p{N}_-])/gu;
  return [...text.matchAll(pattern)].map(({ 0: value, index }) => ({
    value: value.toUpperCase(),
    start: index,
    end: index + value.length,
  }));
}

/** Between the items of a message that is written as a list. */
export const NEXT = "\uE004";

const JOINT =
  /(?<!\s)(?:\s*(?:[;\n]|[.?!](?=\s))+\s*(?:(?:and|then|also|please)\s+)*|\s*,?\s+(?:and then|and also|and|then|plus)\s+|\s*,\s+|\s+[-–—]\s+)/gi;
const MAX_WISHES = 8;

/**
 * The wishes of a message: "find issues about login and what does the wiki say about deploying" has two.
 * What follows a new thing or a comment in the same sentence belongs to it ("… and assign it to chloe").
 */
export function splitWishes(message: string, verbs: Verbs, things: ReadonlySet<string>): string[] {
  if (message.includes(NEXT)) return message.split(NEXT).flatMap((item) => splitWishes(item, verbs, things));
  const { masked } = createSheet(message);
  const tail = COLON.exec(masked)?.index ?? masked.length;
  const wishes: string[] = [];
  let from = 0;
  for (const joint of masked.matchAll(JOINT)) {
    if (joint.index >= tail || joint.index < from || wishes.length >= MAX_WISHES) break;
    const left = message.slice(from, joint.index);
    // "squash and merge …" is one wish.
    if (/^\p{L}*$/u.test(unwrap(left).text)) continue;
    const first = readWish(left, verbs);
    const right = message.slice(joint.index + joint[0].length);
    // "… and then switch to it": nobody makes a thing by such a verb.
    const [next] = tokenize(unwrap(right).text, 1);
    const isNext = /\bthen\b/i.test(joint[0]) && next?.start === 0 && isOtherChange(next.lower);
    const isSentence = isNext || /[;\n.?!]/.test(joint[0]);
    const isWritten = first.intents.has("comment") && createSheet(left).quotes.length > 0;
    if (
      first.changing &&
      (first.intents.has("create") || first.intents.has("comment")) &&
      !isSentence &&
      !isWritten
    )
      break;
    // "who weighs 85 kg and is 180 cm tall"
    const goesOn =
      /\band\b/i.test(joint[0]) &&
      // "tickets which are open and which have a high priority"
      ((OF_WHICH.test(left) && OF_WHICH.test(right) && /^(?:which|that|who)\b/i.test(right)) ||
        /^(?:is|are|was|were|has|have|isn['’]t|aren['’]t)\b(?!\s+(?:it|there|they|he|she|the|this|that|we|i|you|any\p{L}*|my|[A-Za-z]\w*-\d+)\b)/iu.test(
          right,
        ));
    if (!goesOn && (startsWish(right, verbs) || startsOrder(right, joint[0]))) {
      wishes.push(left);
      from = joint.index + joint[0].length;
    } else if (first.head && OF_ANOTHER.test(right) && NAMES_ONE.test(left)) {
      // "show me ABC-1 and the git log of /work/repo"
      wishes.push(left);
      return [...wishes, `${first.text.slice(0, first.head.end)} ${right}`];
    } else if (isThing(right, things) && first.head && !/^\s*[,–—-]/.test(joint[0])) {
      // "list the projects and the spaces"
      return [...wishes, left, `${first.text.slice(0, first.head.end)} ${right}`];
    }
  }
  wishes.push(message.slice(from));
  return wishes.filter((wish) => unwrap(wish).text.replace(/^\W+$/, "") !== "");
}

const OF_WHICH = /\b(?:which|that|who)\s+(?:is|are|was|were|has|have|had)\b(?!\s+(?:the|it|there|they)\b)/i;
const NAMES_ONE = /(?:^|\s)(?:~?\/\S|https?:\/\/|[A-Z]\w*-\d)/;
const OF_ANOTHER = new RegExp(
  `^(?:the|our)\\s+(?:[\\p{L}\\p{N}-]+\\s+){1,4}(?:${PAGE}|${ISSUE})\\W*$|^the\\s+(?:[\\p{L}-]+\\s+){1,4}(?:of|for|in|from)\\s+(?:the\\s+)?(?:~?\\/\\S|https?:\\/\\/|[A-Z]\\w*-\\d)`,
  "u",
);

function isThing(text: string, things: ReadonlySet<string>): boolean {
  const words = tokenize(text, 8).filter((token) => !STOP_WORDS.has(token.lower));
  return words.length > 0 && words.length <= 2 && words.every(({ stem }) => things.has(stem));
}
