import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { isChangeVerb } from "./verbs.ts";

const YOU = "(?:you|u|we|i|one|someone|somebody|anyone|anybody)";
const MODAL = "(?:could|would|can|will)";
const ASIDE = "(?:\\s+(?:please|pls|kindly|possibly|perhaps|maybe|just|also))*";
/**
 * What only asks whether it suits, and is no condition: "if nobody objects", "when you have a moment". Between whom it
 * is about and what it says stand small words alone: "if nobody has touched it for some time" is a condition.
 */
const SUITS =
  "(?:you\\s+(?:can|could|get\\s+(?:around\\s+)?to\\s+it|are\\s+free)|(?:it is\\s+|it['’]s\\s+)?(?:possible|convenient)|(?:you|i|we|nobody|no one|it|that|there)(?:['’]\\p{L}+)?(?:\\s+(?:is|are|do|does|don['’]?t|doesn['’]?t|not|no|would|could|can|may|might|so|too|much|all|any))*\\s+(?:(?:have|has|find|get)\\s+(?:(?:an?|the|some)\\s+)?(?:\\p{L}+\\s+)?(?:moment|minute|second|time|chance)|mind|trouble|ask|objects?|objections?|wish|like|suits?))";

/** What stands around a wish in a long polite sentence, by its grammar, with what it is replaced by. */
const FRONT: readonly [RegExp, string][] = [
  // "When you have a moment, …"
  [new RegExp(`^(?:when|whenever|once|if)\\s+${SUITS}\\s*,\\s*`, "iu"), ""],
  // "I would be most grateful if you could …", "I wonder whether you could …"
  [
    new RegExp(
      `^(?:i|we|it|that)\\b(?:(?!n['’]t\\b|\\bnot\\b|\\bnever\\b|\\bbad\\b|\\bwrong\\b)[^,.;:?!]){0,60}?\\b(?:if|whether)\\s+${YOU}\\s+${MODAL}${ASIDE}\\s+(?!(?:see|be)\\s*$)`,
      "i",
    ),
    "",
  ],
  // "I should like to see …", "We want that …"
  [
    new RegExp(
      `^(?:i|we)(?:['’]d|\\s+(?:would|should|do|really|just|very much))*\\s+(?:like|love|want|need|wish|prefer)(?:\\s+you)?\\s+to\\s+(?:(?:know|find out|understand|see)\\s+(?:(?:whether|if)\\s+|(?=(?:which|what|who|how|when|where)\\b)))?`,
      "i",
    ),
    "",
  ],
  // What leads to the order: "it's time to …", "we talked about it and decided to …", "my manager wants us to …"
  [/^(?:(?:it['’]s|it is)\s+)?(?:about\s+|high\s+)?time\s+to\s+/i, ""],
  [/^(?:small\s+|slight\s+)?change\s+of\s+plans?\s*[:;,.!–-]+\s*/i, ""],
  [/^(?:i(?:['’]m| am)\s+)?(?:very\s+|so\s+)?sorry\b[^,.;:?!]{0,40},\s*but\s+/i, ""],
  [
    /^(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:all|both|now|just)\s+)*(?:(?:talk|spoke|discuss|thought|met|looked)\p{L}*\b[^,.;:?!]{0,40}?\s+and\s+(?:we\s+)?)?(?:decided|agreed|concluded|chose)\s+to\s+/iu,
    "",
  ],
  [
    /^(?:my|our|the)\s+(?:\p{L}+\s+)?(?:manager|boss|lead|po|owner|client|customer|ceo|cto|team)\s+(?:wants?|asked|told|would\s+like|needs?)\s+(?:us|me|you)\s+to\s+/iu,
    "",
  ],
  // "Prepare a list of all tickets"
  [
    /^(?:(?:prepare|compile|provide|make|draw up|put together|show|give|get|(?:can|could|may) (?:i|we) (?:please )?(?:get|have|see))\s+)?(?:(?:me|us)\s+)?(?:an?|the)\s+(?:(?:complete|full|short|quick)\s+)?(?:list|overview)\s+of\s+/i,
    "list ",
  ],
];
/** Asked for as a state of things: "make sure that DEMO-1 is assigned to ben". */
const STATED =
  /^(?:(?:i|we)(?:['’]d|\s+would|\s+should)?\s+(?:like|want|need|wish)|(?:make|ensure|see to it|take care|arrange)(?:\s+(?:please|sure))*)\s+that\s+/i;
/** A sentence that is only kind, before the wish: "That is very helpful.", "Dear colleague, sorry to bother you again." */
const COURTESY =
  /^(?:dear \p{L}+,\s+)?(?:thank(?:s| you)|many thanks|thx|great|perfect|wonderful|lovely|sorry|apologies|i(?:['’]m| am) (?:new|back|sorry)|(?:that|this)(?:['’]s| is| was)(?: (?:very|so|really|most|quite))* (?:helpful|great|good|nice|kind|perfect|useful|clear))\b[^.!?:;"“\d]{0,40}[.!]+\s+(?=\p{L}+\s+\p{L})/iu;
/** … and behind it: "Would that be possible? Many thanks!" */
const KIND_END =
  /(?<=[.!?])\s+(?:(?:would|could|is|will) (?:that|this|it) be (?:possible|ok(?:ay)?|fine|all right)|(?:(?:many )?thank(?:s| you)|sorry (?:for|about))\b[^.!?:"“\d]{0,30})[.!?]*\s*$/iu;
/** What a wish is for: "For the sprint: …", "After some thought I …". */
const OCCASION =
  /^(?:for|after|before)\s+(?:the|my|our|an?|some|much|all)\s+[\p{Ll} ]{2,40}?(?::\s+|,?\s+(?=(?:i|we)\b))/iu;

/** "Ben asked me: how many …", "my boss wants to know who …" */
const ASKED_BY =
  /^(?:(?<known>\p{L}+)|(?:my|our)\s+(?:\p{L}+\s+)?\p{L}+)\s+(?:(?:just|has|is|was)\s+)*(?:ask(?:s|ed|ing)|wants?\s+to\s+know|wonder(?:s|ing)|would\s+like\s+to\s+know)(?:\s+(?:me|us))?\s*[:,–-]?\s+(?=(?:how (?:many|much|far|long)|which|what|who|where|when|is|are|does|do)\b)/iu;
/** What stands behind an order and adds nothing to it. */
const BEHIND_ORDER: readonly RegExp[] = [
  // "… since we ship tomorrow"; "as it is" alone leaves it so.
  /,?\s+(?:since|as)\s+(?:(?:i|we|it|they|he|she)(?:['’]\p{L}+)?\s+(?!is\W*$|are\W*$|was\W*$|stands\W*$)\p{L}|the\s+\p{L}+\s+(?:is|are|was|were|has|have|had|will|wants?|needs?|waits?|asks?|says?|said|\p{L}{3,}ed)\b)[^:]*$/iu,
  /,?\s+as\s+(?:(?:just\s+|we\s+)?(?:agreed|discussed|decided|requested|suggested|mentioned|always|usual)|(?!not\b|soon\b|an?\b|the\b)(?:\p{L}+\s+){1,2}(?:agreed|discussed|decided|planned|promised|requested|suggested|proposed|said|asked|wanted|wished|mentioned))\b[^:;.!?]*$/iu,
  // "… before the release"
  /\s+before\s+(?:the|our|my)\s+(?:\p{L}+\s+)?(?:release|demo|launch|meeting|standup|review|retro|planning|freeze|call|deploy\p{L}*|go-?live)\W*$/iu,
  /,\s*otherwise\s+(?:i|we|it|they|he|she|the|this|nobody|no one)\s[^:]*$/i,
  /[,.]?\s+(?:and\s+)?(?:nothing\s+(?:else|more)|that['’]s\s+(?:it|all)|that\s+is\s+all)\W*$/i,
  /,\s*(?:ok(?:ay)?|all\s*right|yeah|yes)\?\s*$/i,
];

const BACK: readonly RegExp[] = [
  // "…, so I find it again"
  /,?\s+so(?:\s+that)?\s+(?:i|we|it|they|people)\s+(?:can\s+|will\s+)?(?:find|finds|see|sees|spot)\s+(?:it|that|this)(?:\s+(?:again|later|easily|better))*\W*$/iu,
  // "…, Malmö called three times now"
  /\s*[,.;–-]\s+(?:the\s+)?(?:[\p{L}'’-]+\s+){1,3}called\s+(?:(?:again|twice|once|back|us|me|already|(?:\d+|two|three|four|several|many)\s+times|today|yesterday|this\s+morning|now|about\s+it)\s*)+\W*$/iu,
  // "… (see the thread)"
  /\s*\((?:see|as|per|cf\.?|from|for|because|since|i|we|it|they|he|she|the)\s[^()]*\)\W*$/iu,
  // "… to High as the agency waits for it"
  /(?<=\b(?:highest|high|medium|low|lowest|done|progress|review))\s+(?:as|since)\s+(?:i|we|they|it|he|she|the|this|that|there|our|my)\b[^:]*$/i,
  // "…, as I have a board call at ten", "… because the client called"
  /(?:,?\s+(?:because|so that)\s|,\s*(?:since|as|for)\s+(?=(?:i|we|it|they|he|she|the|this|that|there|our|my)\b))[^:]*$/i,
  new RegExp(`,?\\s+(?:if|whenever|when)\\s+(?:${SUITS}|i may(?: ask)?)\\W*$`, "iu"),
];

/**
 * A message without what is only courtesy, occasion or reason. What is quoted, stands behind a colon or names a
 * record is left as it is.
 */
export function inPlainWords(message: string, names: readonly string[]): string {
  let text = message;
  for (let before = ""; before !== text;) {
    before = text;
    const lead =
      /^(?:[\s,.!–-]|(?:please|kindly|hello|hi|hey|dear \p{L}+|good (?:morning|afternoon|evening|day)|thank you|thanks|that is very helpful)\b(?=[\s,.!–-]))+/iu.exec(
        text,
      )?.[0] ?? "";
    text = text.replace(COURTESY, "");
    if (!COLON.test(createSheet(text).masked)) text = text.replace(KIND_END, "");
    text = withoutFront(text, "", names);
    if (text === before && lead !== "" && lead.length < text.length) text = withoutFront(text, lead, names);
    text = withoutBack(text);
  }
  return text;
}

function withoutFront(text: string, lead: string, names: readonly string[]): string {
  const body = text.slice(lead.length);
  const { masked } = createSheet(body);
  const occasion = OCCASION.exec(masked);
  const isNamed = names.some((name) => occasion?.[0].toLowerCase().includes(name.toLowerCase()));
  if (occasion && !isNamed && !/\b(?:wiki|page|project|space|issue|ticket|bug)s?\b/i.test(occasion[0]))
    return body.slice(occasion[0].length);
  const asked = ASKED_BY.exec(masked);
  const who = asked?.groups?.["known"]?.toLowerCase();
  const isKnown =
    who === undefined || names.some((name) => name.toLowerCase().split(" ").includes(who)) || who === "i";
  if (asked && isKnown) return body.slice(asked[0].length);
  const stated = STATED.exec(masked);
  if (stated)
    return body
      .slice(stated[0].length)
      .replace(/\s(?:is|are)\s+(?:both\s+|all\s+|now\s+)?(?=\p{L}+(?:ed|en|t)\b)/iu, " should be ");
  for (const [pattern, instead] of FRONT) {
    const found = pattern.exec(masked);
    if (found && isPlain(found[0]) && /\p{L}/u.test(body.slice(found[0].length)))
      return instead + body.slice(found[0].length);
  }
  return text;
}

function withoutBack(text: string): string {
  const { masked } = createSheet(text);
  // What is dictated keeps its reasons.
  if (COLON.test(masked)) return text;
  for (const pattern of [...BACK, ...BEHIND_ORDER]) {
    const found = pattern.exec(masked);
    if (!found || found.index <= 8 || !isPlain(found[0])) continue;
    if (BACK.includes(pattern) || isOrder(masked.slice(0, found.index))) return text.slice(0, found.index);
  }
  return text;
}

/** It begins with what it orders, and that is under no condition, sets no day and is no text that would go on. */
function isOrder(masked: string): boolean {
  const [verb = ""] = /^\p{L}+(?=\s)/u.exec(masked) ?? [];
  const isText = TEXTUAL.test(masked) && !masked.includes(QUOTED);
  return isChangeVerb(verb.toLowerCase()) && !isText && !/\b(?:if|unless|due|deadline)\b/i.test(masked);
}

/** Behind these stands somebody's text, which may well go on with "before the release". */
const TEXTUAL =
  /^(?:create|add|append|file|open|log|report|submit|comment|write|note|rename|retitle|call|tell|say|leave|post|(?:make|raise)\s+(?:me\s+)?an?)\b|\b(?:title|name|summary|description|comment|note|text|saying|says?|called|named|titled)\b/i;

/** Nothing in it is a value. */
function isPlain(said: string): boolean {
  return !said.includes(QUOTED) && !/[\p{L}]\w*-\d|[/@#]/u.test(said);
}
