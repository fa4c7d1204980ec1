import { createSheet } from "./sheet.ts";
import { unasked } from "./told.ts";
import { isChangeVerb, asksToSee } from "./verbs.ts";

const NICE = "(?:great|nice|good|lovely|awesome|perfect|helpful|super|cool|wonderful|fantastic|amazing)";
const ASIDE = "(?:\\s+(?:please|pls|kindly|just|also|now|really|probably|maybe|perhaps|possibly|finally))*";

/**
 * What is said before one says something; "so done with it" says how. "Please" is none of it: it makes an order of
 * what it stands at.
 */
const HESITATION =
  /^(?:[\s,.!–-]*\b(?:(?:ok(?:ay)?|hm+|u[mh]+)(?:\s+so)?|so(?=,))(?![\p{L}\p{N}'’-])[\s,:!.…–-]*)+/iu;
/** A greeting with its name: "Hi there!", "Good morning, Countersign." */
const GREETING =
  /^(?:(?:hi|hello|hey|hiya|howdy|yo|greetings)(?:\s+(?:there|all|everyone|everybody|team|folks|guys|countersign|bot))*\s*[,!.–-]+\s*|(?:hi|hello|hey|hiya)\s+(?:there|countersign)\s+|(?:good\s+)?(?:morning|afternoon|evening)(?:\s+(?:all|everyone|everybody|team|folks|guys|countersign))?\s*[,!.]+\s*|countersign\s*[,:!]\s*|(?:dear\s+\p{L}+|excuse\s+me(?:\s+for\s+[^,.!?:]{1,30})?)\s*[,!.–-]+\s*|sorry\s+(?:for|about)\s+the\s+(?:noise|spam|trouble|bother)\s*[,!.–-]+\s*(?:but\s+)?)/iu;
/** What announces a wish; its colon is none behind which somebody dictates. */
const ANNOUNCED =
  /^(?:(?:and\s+|just\s+)?(?:(?:a\s+)?(?:quick|small|little|tiny)\s+(?:one|thing|favou?r|request|ask)|(?:one|another)(?:\s+(?:more|last|other|quick|small))?\s+(?:thing|request|favou?r)|last\s+(?:one|thing)))\s*(?::|,|[–—-]+(?=\s))\s*/i;
/** Between one wish and the next. */
const NEXT =
  /^(?:(?:next(?:\s+up)?|also|now|then|alright|all\s+right|well|sorry|actually|yes\s+please|by\s+the\s+way|btw)\s*[,:!]|just|quickly|now)\s+/i;
/** What leads to an order, with how it is said otherwise. */
const LEADS: readonly [RegExp, string][] = [
  [
    new RegExp(
      `^(?:please\\s+|you\\s+can\\s+|you\\s+may\\s+|just\\s+)*(?:go\\s+ahead\\s+and|go\\s+on\\s+and|feel\\s+free\\s+to|(?:(?:could|can|would)\\s+you\\s+)?be\\s+so\\s+(?:kind|good|nice)\\s+(?:and|as\\s+to|to)|(?:can\\s+you\\s+)?do\\s+me\\s+(?:a|the)\\s+favou?r(?:\\s+and|\\s*,)|(?:would\\s+you\\s+)?kindly|go\\s+and)${ASIDE}\\s+`,
      "i",
    ),
    "please ",
  ],
  [
    new RegExp(
      `^(?:would\\s+you\\s+be\\s+able\\s+to|are\\s+you\\s+able\\s+to|any\\s+chance(?:\\s+that)?\\s+you\\s+(?:could|can)|(?:do\\s+you\\s+)?think\\s+you\\s+(?:could|can)|(?:would\\s+it\\s+be|is\\s+it)\\s+possible(?:\\s+for\\s+you)?\\s+to|i\\s+(?:was|am)\\s+wondering\\s+(?:if|whether)\\s+you\\s+(?:could|can)|(?:can|could|would|will)\\s+(?:someone|somebody|anyone|anybody|one\\s+of\\s+you))${ASIDE}\\s+`,
      "i",
    ),
    "can you ",
  ],
  [
    new RegExp(
      `^(?:i\\s+(?:think|guess|believe|suppose|reckon)\\s+(?:that\\s+)?)?(?:(?:you|we)\\s+(?:can|may)|(?:we|you)(?:\\s+(?:really|probably|all|both))*(?:\\s+(?:should|must|ought\\s+to|have\\s+to|need\\s+to|got\\s+to|gotta)|['’]d\\s+better|\\s+(?:had\\s+)?better))${ASIDE}\\s+`,
      "i",
    ),
    "we need to ",
  ],
  [
    new RegExp(
      `^(?:it|that)(?:['’]d|\\s+would)\\s+be\\s+(?:really\\s+|so\\s+|very\\s+)?${NICE}\\s+if\\s+(?:you|we|someone|somebody)\\s+(?:could|can|would)${ASIDE}\\s+`,
      "i",
    ),
    "can you ",
  ],
];

const HURRY =
  "asap|as\\s+soon\\s+as\\s+(?:possible|you\\s+can)|(?:right|straight)\\s*away|immediately|urgently|at\\s+once|(?:real|super|very)\\s+quick(?:ly)?";
/** Of an order; a statement says with it what is so now. */
const NOW =
  /(?<=[^\s,.!?;–—-])(?<!\b(?:to|for|by|until|till|since|from|is|are|as|due))\s+(?:right\s+)?now(?<end>\?)?[\s.!]*$/iu;
const SUITS =
  "if\\s+you(?:['’]d|\\s+would|['’]re|\\s+could)?\\s+(?:be\\s+)?so\\s+kind|if\\s+you\\s+(?:do\\s+not|don['’]?t)\\s+mind|if\\s+(?:that['’]s\\s+|it['’]s\\s+|at\\s+all\\s+)?possible|(?:if|when|whenever)\\s+you\\s+(?:can|could|like|want|have\\s+(?:an?\\s+|the\\s+|some\\s+)?(?:time|moment|minute|second|sec|chance)|get\\s+(?:an?\\s+|the\\s+)?(?:time|moment|minute|second|sec|chance|around\\s+to\\s+it))|(?:there['’]s\\s+)?(?<!\\bin\\s)no\\s+(?:rush|hurry|stress|pressure)|take\\s+your\\s+time";
const THANKS =
  "(?:many\\s+)?thanks(?:\\s+(?:a\\s+lot|so\\s+much|in\\s+advance))?|(?:i\\s+)?thank\\s+you(?:\\s+(?:so|very)\\s+much)?|(?:(?:k|kk|ok)\\s+)?(?:thx|thnx|thanx)|ty|cheers|(?:much|very\\s+much)\\s+appreciated";
const KIND = `(?:that|it)(?:['’]d|\\s+would)\\s+be\\s+(?:really\\s+|so\\s+)?${NICE}|sorry\\s+(?:for|about)\\s+the\\s+(?:noise|trouble|bother|hassle|spam)|sorry\\s+to\\s+(?:bother|bug)(?:\\s+you)?|ok|okay|alright|all\\s+right|yeah|(?:will|would|can|could)\\s+you(?:\\s+please)?`;
const FACE = "[:;]-?\\)|(?:\u{1F64F}|\u{1F642}|\u{1F60A}|\u{1F605}|\u{1F44D})[\u{1F3FB}-\u{1F3FF}]?";
const STOPS = "[\\s,.!;–—-]";

/** What is tied to a sentence by a comma or a stop; behind a text of somebody's, thanks alone. */
const [TIED, THANKED] = [`${HURRY}|${SUITS}|${THANKS}|${KIND}`, THANKS].map(
  (words) =>
    new RegExp(
      `(?<=[^\\s,.!?;…–—-])(?<end>\\?)?[\\s.!…]{0,9}(?:[,.;!…–—-]|(?<=\\?)\\s)${STOPS}{0,9}(?:${words})\\?{0,3}[\\s.!)]{0,9}$`,
      "iu",
    ),
) as [RegExp, RegExp];
/** … and what needs none. */
const LOOSE = new RegExp(
  `(?<=[^\\s,.!?;–—-])(?<end>\\?)?(?:${STOPS}{0,9}(?:${FACE})|${STOPS}{0,9}\\s(?:${HURRY}|${SUITS}|${THANKS}|lol|haha+))(?<asks>\\?)?[\\s.!]{0,9}$`,
  "iu",
);
/** At the end of what is an order without it. Of a statement it makes one. */
const URGING = /(?<=[^\s,.!?])[\s,.!]*\s(?:please|pls|plz)(?<end>\?|)[\s.!]*$/iu;
/** How urgent or unsure it sounds. */
const LOUD = /(?<=[^\s.!…,;–—-])(?:\s*[!…]|\s*\.\s*\.)[\s.!…]*$/u;
/** Said of an order, and no wish of its own. */
const URGENT =
  /(?<=[^\s,.!?;–—-])\s*[,.;!–—-]+\s*(?:it|this|that)(?:['’]s|\s+is)\s+(?:very\s+|really\s+|quite\s+|rather\s+|kind\s+of\s+)?urgent[\s.!]*$/iu;
/** An order in which that may be a value. */
const RANKS = /\bprio|^(?:create|make|file|raise|log|new)\b/i;
const FOR_ME =
  /(?<=[^\s,.!?;–—-])(?<!\b(?:same|anything|something|what|tickets?|issues?|bugs?|tasks?|stor(?:y|ies)|epics?|work|priority|prio|urgent|open|assigned))\s+for\s+me[\s.!]*$/iu;
/** An order that is for nobody: "create a task for me" makes it mine. */
const FOR_NOBODY =
  /^(?:please\s+|(?:can|could)\s+you\s+|we\s+need\s+to\s+)*(?:show|open|find|read|get|count|check|summari[sz]e|look\s+up|close|move|set|mark|delete|remove|rename|link|label|tag|bump|raise|lower|unassign|reopen|resolve|finish|change|update|postpone|push|drop)\b/i;
const ASKS =
  /^\W*(?:please|pls|plz|kindly|(?:can|could|would|will|may)\s+(?:you|u|i|we)|show|list|find|give|get|tell|count|search|look|what|which|who|when|where|how)\b/iu;
/** Behind these stands somebody's text, to the letter. */
export const DICTATES: RegExp =
  /\b(?:comments?|notes?|writes?|says?|saying|tell|reply|mention|post|description|describe|text|that(?=\s+(?:it|we|i|you|they|he|she|the|this|that|these|there|our|my|no)\b))\b/i;
/** Nothing is dictated yet. */
const ENDS_IN_KEY = /(?<![\w-])[A-Za-z]\w{0,15}-\d{1,9}$/;
/** A title is kept with its end. */
const TITLES = /\b(?:rename|retitle|titled?|called|named|summary)\b/i;

/** A message without a greeting and what announces or leads to its order: "Hi there! We should close DEMO-4". */
export function withoutLead(text: string): string {
  let rest = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = rest;
    for (const pattern of [HESITATION, GREETING, ANNOUNCED]) rest = afterAll(rest, pattern);
    rest = beforeOrder(rest, NEXT, "");
    for (const [pattern, otherwise] of LEADS) rest = beforeOrder(rest, pattern, otherwise);
    if (rest === before) return rest;
  }
  return rest;
}

/** "Could you write on DEMO-4 that it is done?" asks for it, and what it dictates is no question. */
const ASKED =
  /^(?:can|could|would|will)\s+(?:you|we|i|someone|somebody)\b[^?]*?\b(?:that|saying|says|reading)\s+(?<said>[^?]*\S)(?<mark>\s*\?+\s*)$/iu;

/** A message without how soon and how kindly it is asked for: "close DEMO-4 asap, no rush 🙏". */
export function withoutEnd(text: string): string {
  let rest = withoutMark(text);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = rest;
    const { masked } = createSheet(rest);
    const isText = DICTATES.test(masked);
    for (const pattern of endsOf(masked, isText)) {
      const found = pattern.exec(masked);
      if (found === null) continue;
      const kept = rest.slice(0, found.index);
      if (!isSaid(kept) || (isText && pattern === TIED && !ENDS_IN_KEY.test(kept))) continue;
      rest = kept + (found.groups?.["end"] ?? found.groups?.["asks"] ?? "");
      break;
    }
    if (rest === before) return rest;
  }
  return rest;
}

function withoutMark(text: string): string {
  if (!/^[^?]*\?+\s*$/.test(text)) return text;
  const { said, mark } = ASKED.exec(createSheet(text).masked)?.groups ?? {};
  const isTold = said !== undefined && mark !== undefined && unasked(said + mark) === said;
  return isTold ? text.slice(0, text.length - mark.length) : text;
}

/** What may stand at the end of such a message and be no part of it. */
function endsOf(masked: string, isText: boolean): RegExp[] {
  const isOrder = isVerb(masked);
  const urging = ASKS.test(masked) || isOrder ? [URGING] : [];
  if (isText) return [THANKED, TIED, ...urging];
  if (TITLES.test(masked)) return [TIED, ...urging];
  const ofOrder = isOrder ? (RANKS.test(masked) ? [NOW] : [NOW, URGENT]) : [];
  return [TIED, LOOSE, LOUD, ...urging, ...ofOrder, ...(FOR_NOBODY.test(masked) ? [FOR_ME] : [])];
}

/** More than an answer in a word or two, of which each may count. */
function isSaid(text: string): boolean {
  const words = text.slice(0, MOST_CHARS).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return words >= FEWEST_WORDS || (words > 1 && isVerb(text));
}

const FEWEST_WORDS = 3;
const MOST_CHARS = 200;
/** Nobody says more of it one after the other. */
const MOST_ROUNDS = 8;

function afterAll(text: string, pattern: RegExp): string {
  const lead = pattern.exec(text)?.[0].length ?? 0;
  const rest = text.slice(lead);
  return lead > 0 && isSaid(rest) ? rest : text;
}

function beforeOrder(text: string, pattern: RegExp, otherwise: string): string {
  const lead = pattern.exec(text)?.[0];
  if (lead === undefined) return text;
  const rest = text.slice(lead.length);
  return isVerb(rest) ? otherwise + rest : text;
}

function isVerb(text: string): boolean {
  const [verb = ""] = /^\p{L}+(?=\s)/u.exec(text) ?? [];
  return isChangeVerb(verb.toLowerCase()) || asksToSee(verb.toLowerCase());
}
