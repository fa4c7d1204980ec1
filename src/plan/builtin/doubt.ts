import type { JsonObject } from "#contract/json.ts";
import type { KnownName } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { isObject } from "../../base/json.ts";
import { operationsOf } from "./operations.ts";
import { namePattern } from "./people.ts";
import { EPIC_ITSELF } from "./refer.ts";
import { createSheet } from "./sheet.ts";
import { type Intent, intentsOfTool } from "./verbs.ts";
import { KEY, NUMBER_WORDS, tokenize, wordSet } from "./words.ts";

/** A change that a message would lead to. */
export interface MeantChange {
  tool: Tool;
  args: JsonObject;
}

const JUDGED: readonly Intent[] = ["update", "move", "assign", "delete"];

/** A change, and what it does to what is there. */
interface Judged {
  args: JsonObject;
  /** The tool, or the one of several things that it does. */
  tool: Tool;
  intents: ReadonlySet<Intent>;
}

function judge({ tool, args }: MeantChange): Judged {
  const isSelected = ({ set }: { set: JsonObject }): boolean =>
    Object.entries(set).every(([name, value]) => args[name] === value);
  const own = operationsOf(tool).find(isSelected)?.tool ?? tool;
  return { tool: own, args, intents: intentsOfTool(own) };
}

type Kind = "assign" | "move" | "priority" | "due" | "delete" | "text" | "other";

interface Doubt {
  said: RegExp;
  kinds?: readonly Kind[];
  unless?: RegExp;
  /** A message that begins with it is about the one before. */
  isBehind?: boolean;
  /** It is no doubt where something new is made as well. */
  isMade?: boolean;
}

/** What turns an order into something else; with `kinds`, only where it would change that. */
const DOUBTS: readonly Doubt[] = [
  // A condition or a time that has to come first.
  {
    said: /^\W*(?:after\s+(?:the|your|our|my|that|this|you|we|he|she|they|it|next|[A-Z]\w*-\d+)\b|whenever\b|the moment\b|should\b)[^,]*,|^\W*(?:in (?:an?|\d+|two|three|four|five|a few|some) (?:minutes?|hours?|days?|weeks?|months?)|at \d{1,2}(?::\d\d)?\s*(?:am|pm|o['’]?clock)?|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|next (?:week|month|sprint)|tonight|later)\b,?\s+(?!is\b|was\b)\p{L}/iu,
    kinds: ["assign", "move", "priority", "delete"],
  },
  {
    said: new RegExp(
      `\\b(?:must|has to|have to|needs to|should)\\s+be\\s+\\p{L}+\\s+before\\s+(?:the\\s+)?${KEY}`,
      "iu",
    ),
    kinds: ["move"],
  },
  // Advice against it, and second thoughts.
  {
    said: /\bhold off\b|\bbeware of\b|\b(?:nobody|no[ -]one)\s+(?:should|shall|may|must|can)\s+(?!have|own|be\b)\p{L}|\btoo (?:early|soon|late) to\b|\bi['’]?m not (?:so )?sure\b|\bby mistake\b(?!\W+(?:so\s+|please\s+)*reopen\s+(?:it|this|that)\b)|\bor (?:keep|leave|not|no)\b|\bor no,/iu,
  },
  {
    said: /\bactually,?\s+(?:no\b|to\b|\p{L}+\W*$)|\bsecond thoughts?\b|\boops\b|\bwrong (?:one|number|ticket|issue|window|tab|key)\b|[.!,–-]\s*typo\b|\bi mean(?:t)?\b|\bchanged my mind\b|(?<!(?:n['’]t|not|never|to) )\bforget (?:it|that)\b|\b(?:ah|oh|or) no\b|\bbetter to\b|\bleave it(?: as| like|\W*$)|(?:,|-|–|\.)\s*(?:ah |oh )?no,? keep\b|\*[A-Z]\w*-?\d|\bscrap that\b/iu,
    // "No. OPS-5 I mean" is what was ordered before, of that one.
    unless: /^\W*(?:\p{L}+\W+){0,4}[A-Z]\w*-\d+\s+i mean(?:t)?\W*$/iu,
    isBehind: true,
  },
  {
    said: /\b(?:but|just|only|please)\s+not\s+(?:before|until|till|yet|today|now)\b|\bnot\s+before\s+(?:\p{L}+day|tomorrow|next|\d)/iu,
  },
  { said: /\?\s+(?:to|or)\b|\b(?:idk|dunno)\b/iu },
  // Which of several is not said.
  {
    said: /(?<!\b(?:all|both|the) )\b(?:one|any|some|most|half|(?:a )?few|(?:a )?couple|two|three|four|\d+) of (?:them|these|those|[A-Z]\w*-\d)(?!\s+(?:was|were|is|are|has|had|said|even|wrote|called)\b)|\b(?:close|assign|move|set|give|make|delete|start|reopen)\s+(?:one|any|some|most|half|a few|a couple|two|three) of the\b/iu,
  },
  // What somebody else does, did or wants, and what is to be made.
  {
    said: /\b(?:wants|(?<!\b(?:i|we) )want|wanted|tried|meant|planned|plans) to (?:close|move|set|start|finish|assign|delete|reopen|mark|change)\b|\bcommented on\b|\bchanged (?:the )?status\b|\bi know\b|^\W*>|^\W*(?:example|for example|e\.?g\.?)\b/iu,
  },
  {
    said: /\b(?:create|make|open|file|add|raise)\s+(?:me\s+)?an?\s+(?:new\s+)?(?:task|ticket|issue|bug|story|reminder|to-?do)\s+(?:for|to|so|that)\b/iu,
    isMade: true,
  },
  // "Should I take it?" asks for advice.
  {
    said: /^\W*(?:(?:and|so|or|but|hm+|ok(?:ay)?)[\s,]+)*should\s+(?:i|we)\b[^?.!]*\??\W*$/iu,
  },
  // "When I'm back, I'll take it", "maybe tomorrow, I'll take it", "… And when she's confirmed, it can be closed"
  {
    said: /(?<=^|[.!?;]\s+)\W*(?:(?:and|but|so|then|also|ok)\s+)*(?:when|maybe|perhaps|possibly)\s+(?!(?:is|are|was|were|does|do|did|will|can|could|has|have|you|possible|done|ready)\b)(?:[^,.!?]|\.(?=\S)){3,60},\s/iu,
    kinds: ["assign", "move", "priority", "due", "delete"],
  },
  { said: /^\W*hands off\b/i },
  // "Stories under the accounts epic assigned to nobody" are looked for.
  {
    said: /^\W*(?:(?:all|any|the|our|my|open|unfinished|blocked|high|low)\s+)*(?:issues|tickets|bugs|tasks|stories|everything|anything)\b[^.?!;:]*\bassigned\s+to\b/iu,
    kinds: ["assign"],
    unless: /\b(?:should|must|shall|needs?|has\s+to|have\s+to|please|pls|can|could|get|now)\b/i,
  },
  // "Lol, we should so reopen that"
  {
    said: /\b(?:lol|rofl|lmao|haha+)\b[\s,.!]*(?:we|you|i|they|someone|somebody)\s+(?:really\s+|totally\s+|so\s+)?(?:should|could|must)\b|\bwe\s+should\s+(?:so|totally)\s/iu,
  },
  // "Chloé will have it by Friday, I reckon": by then it is done.
  {
    said: /\b(?:will|['’]ll|should)\s+(?:probably\s+|surely\s+)?(?:have|get)\s+(?:it|this|that)\s+(?:done\s+|ready\s+|finished\s+)?(?:by|before)\b|\bi\s+reckon\b/iu,
    kinds: ["assign"],
  },
  // "Close MOB-16? No no, please leave it", "Ben's idea: …"
  { said: /\?\W+(?:no\W+)+(?:please\W+)?(?:leave|keep|do not|don['’]?t)\b/iu },
  { said: /^\W*\p{L}+['’]s\s+(?:idea|suggestion|proposal|plan|wish|dream)\s*:/iu },
  // Who decides has it not, and who watches has not begun.
  { said: /(?:\bis|['’]s)\s+up\s+to\s+\p{L}+/iu, kinds: ["assign"] },
  { said: /(?:\bwill|['’]ll|\bgoing to)\s+(?:stare|watch|wait|see|keep an eye)\b/iu, kinds: ["move"] },
  // What became of it is told.
  {
    said: new RegExp(
      `(?:${KEY}|\\bit)\\s+(?:was|were|had been|got|ended(?: up)?)\\s+(?:already\\s+|once\\s+)?(?:closed|moved|set|put|reopened|marked|resolved|as|in)\\b`,
      "iu",
    ),
    kinds: ["move"],
    unless:
      /\b(?:please|pls|again|but|now|instead|wrongly|mistake|should|must|can you|could you|reopen)\b|[.!?;]\s+\S/i,
  },
  // "One more printer ticket assigned to me and I quit"
  { said: /^\W*(?:one more|(?:yet )?another)\s[^.!?]*\band\s+(?:i|we)\b/iu },
  // Praise gives nobody anything.
  {
    said: /^\W*(?:(?:very|really|so|such|what an?)\s+)*(?:nice|great|good|awesome|amazing|excellent|solid|lovely|brilliant|fantastic|super|impressive)\s+(?:work|job|stuff|catch|find|effort|progress|teamwork|idea|luck)\b|\b(?:should|must|can|let['’]?s|please) thank\b|^\W*(?:well done|kudos|props|hats off|shout-?out|cheers|bravo|respect|congrat\p{L}*)\b/iu,
    unless:
      /[.!;,–-]\s*(?:(?:please|pls|now|then|so|and|can you|could you|let['’]?s)\s+)*(?:assign|give|hand|close|move|set|mark|put|reopen|start|raise|lower|bump|make|add|remove|rename|label|delete|link|comment)\b/iu,
  },
  // Who has had enough of it has not done it.
  { said: /\b(?:so|half|not|nearly|almost|all but) (?:done|finished) with\b/iu, kinds: ["move"] },
  // What is due then may be told or wished.
  {
    said: /\b(?:is|are) due\b/iu,
    kinds: ["due"],
    unless:
      /\b(?:set|change|move|push|make|put|now|instead|then|not|actually|please|pls|until|enter|record|use)\b/i,
  },
  // What comes again, and what somebody thinks aloud.
  {
    said: /\b(?:is|are) back\b(?! (?:to|in|on)\b)|\bstrikes? again\b|^\W*(?:we|you|i|one|they) (?:could|might)\s+[^,;:.!?]*[\s.!?]*$|(?:→|->)[^?]*\?\s*$/iu,
    unless: /\breopen\b|[.!?;]\s+\S.*\b(?:please|pls)\b/i,
  },
  // What lacks a review is in none yet, and who cheers tells what is so.
  {
    said: /\bneeds?\s+(?:an?\s+|some\s+|more\s+|another\s+|your\s+)?(?:\p{L}+\s+)?(?:tests?|testing|reviews?|qa|pair of eyes|eyes)\b|\bwait(?:s|ing)?\s+(?:for|on)\s+(?:an?\s+|the\s+|its\s+)?(?:reviews?|tests?|testing|qa)\b/iu,
    kinds: ["move"],
    unless: /\b(?:move|set|put|mark|change|complete|finished|done|ready|fixed|merged|pushed|implemented)\b/i,
  },
  {
    said: /^\W*(?:yay|yess*|woo+t?|woo+hoo+|hooray|hurra\p{L}*|nice|wow|whoa|sweet|omg|phew|finally)\b[\s,!.]*(?=[A-Z]\w*-\d)|[🎉🥳🙌🎊]|(?<!\b(?:i|we)\b.*|^\W*(?:just\s+)?(?:started|began|finished|closed|done)\b.*)[,!.]\s+(?:finally|at last)\W*$/iu,
    kinds: ["move"],
    unless: /\b(?:move|set|put|mark|change|close|please|pls)\b/i,
  },
  // What was reviewed is in no review.
  {
    said: /\b(?:passed|failed|survived) (?:the |its |my |our )?(?:review|tests?|qa)\b/iu,
    kinds: ["move"],
    unless: /\b(?:close|finish|resolve)\s+(?:it|that|this|the|[A-Z]\w*-\d)|\b(?:move|set|put)\b/i,
  },
  // What it is to somebody, it is not given to them.
  {
    said: /\b(?:looks?|seems?|sounds?|feels?|matters?|means?|appeals?|reads?|speaks?|makes?|is|are|was|were)\s+(?:(?!assigned\b|given\b|handed\b|up\b|over\b|now\b|going\b)\p{L}+\s+){0,3}to\s+(?:me|us|him|her|them|every\p{L}+|\p{Lu}\p{L}+)\b/u,
    kinds: ["assign"],
    unless: /\b(?:re-?)?assign|\bgives?\b|\bhand\b|\bgo(?:es)?\b|\bbelongs?\b/iu,
  },
  // A remark about a comment, or a title, is none.
  {
    said: new RegExp(
      `\\bcomments?\\s+(?:on|in)\\s+${KEY}\\s+(?:by\\s+\\p{L}+\\s+)?(?:is|was|were|are|sounds?|made|helps?|helped)\\b|\\b(?:title|name|summary)\\s+(?:of\\s+${KEY}\\s+)?(?:is|was)\\s+["“]`,
      "iu",
    ),
  },
  // What has to come first, behind the order.
  {
    said: /\bonce\s+(?!again\b|more\b|and for all\b)(?:\p{L}+['’]?\p{L}*\s+){1,4}(?:is|are|has|have|comes?|gets?|says?|agrees?|confirms?|approves?|\p{L}+ed|back|done|ready)\b/iu,
    kinds: ["assign", "move", "priority", "delete"],
  },
  // "Close DEMO-8. No wait, there are 12 texts left"
  {
    said: /\b(?:no,?\s+wait|wait,?\s+no|hold\s+on|hang\s+on)[\s,.:–-]+(?:(?:i|we|he|she|they|it|there|that|this|somebody|nobody)(?:['’](?:s|m|re|ve))?|\p{L}+)\s+(?:(?<=['’](?:s|m|re|ve)\s+)\p{L}|(?:is|are|am|was|were|has|have|had|still|wants?|needs?|thinks?|said|can['’]?t|cannot|isn['’]?t|aren['’]?t)\b)[^.!?]*[\s.!?]*$/iu,
  },
  // "I'll take OPS-6 and have it fixed by Friday if Ana agrees"
  {
    said: /\bif\s+(?:\p{L}+\s+){1,3}?(?:agrees?|approves?|says|said|is\s+(?:ok(?:ay)?|fine|happy)|are\s+(?:ok(?:ay)?|fine|happy)|does(?:n['’]?t| not)\s+mind|do(?:n['’]?t| not)\s+mind)\b/iu,
    unless: /\bif\s+(?:it|that|this)\s+is\s+(?:ok|fine)|\bif\s+you\s/iu,
  },
  // Places that are none of ours.
  {
    said: /\b(?:in|on) (?:the|our|my|a) (?:spreadsheet|sheet|whiteboard|calendar|slides?|deck|excel)\b|\bsection of\b|\bclos(?:e|ing)\s+(?:the|this|that|my|your)\s+(?:browser|window|tab|thread|laptop|chat|door)\b|\boff the (?:list|agenda|plan|table)\b|\brevert back\b|\bbegin with\b/iu,
  },
  // Telling somebody gives them nothing.
  {
    said: /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:update|flag|point|help|raise|escalate|forward|send|loop|brief|inform)\b(?!\s+(?:[A-Z]\w*-\d+|it|the prio\p{L}*)\b.*\b(?:highest|high|medium|low|lowest)\b)|\bgive \p{L}+ a hand\b|\bin the loop\b|\b(?:on|in) cc\b|\bthanks to\b|^\W*(?:hey|hi|hello)\s+(?!can\b|could\b|please\b|pls\b|team\b|all\b|there\b|every\p{L}+|guys\b|folks\b|bot\b|countersign\b)\p{L}+\s*,|^\W*(?:ugh|argh|nice|oh)\s+[A-Z]\w*-\d|\braise it with\b/iu,
    kinds: ["assign"],
    unless: /\b(?:re-?)?assign(?!.*\bthanks to\b)|\bowner\b|\bgive (?:it|this|[A-Z]\w*-\d+) to\b/iu,
  },
  {
    said: /^\W*(?:verify|check|confirm)\b|^\W*(?:ugh|argh)\s+[A-Z]\w*-\d(?!.*\b(?:please|pls|plz)\b)|\b(?:close|near) to done\b|(?<!\bas )\bsoon\b/iu,
    kinds: ["assign", "move"],
  },
  { said: /\bconnect me\b|\bput me (?:in touch|through)\b/i, kinds: ["assign"] },
  // A fact beside it is no value.
  {
    said: /\bdue to\b(?!\s+(?:\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|tomorrow|today|next|the end|end of))/iu,
    kinds: ["due", "priority"],
  },
  {
    said: /\b(?:is|are|was|set) (?:way |much |far )?too (?:high|low)\b|\b(?:remove|drop|clear|take)\s+(?:the\s+)?(?:highest|high|medium|lowest|low)\b(?! prio)/iu,
    kinds: ["priority"],
  },
  {
    said: /\b(?:highest|high|medium|lowest|low)[^\S\n]+(?!prio|and\b|or\b|plus\b|please\b|pls\b|plz\b|tho\b|now\b|because\b|since\b|as\b|so\b|for\b|to\b|due\b|thanks?\b|thx\b|with\b|again\b|then\b|at\b|by\b|if\b|too\b|asap\b|today\b|tonight\b|tomorrow\b|first\b|but\b|enough\b|urgen|severity|importance|instead\b|until\b|before\b|possible\b|(?:issues|tickets|bugs|tasks|stories)\b)\p{L}{3,}/iu,
    kinds: ["priority"],
    unless: /\bprio(?:rity)?\b(?!\s+(?:section|list|queue|for the))/iu,
  },
  {
    said: /\blow(?:er)? priority (?:section|for (?:the|our))\b|\bpriority as it is\b/iu,
    kinds: ["priority"],
  },
  // "They don't block each other any more, remove that": the link, and not the record.
  {
    said: /\b(?:block\p{L}*|link\p{L}*|labels?|tags?|relate[sd]?|duplicat\p{L}*|depend\p{L}*|comment\p{L}*|due|deadline|epic|assign\p{L}*)\b[^.!?]*[,.;–-]\s*(?:(?:so|please|pls|and|then|now|just)\s+)*(?:remove|delete|drop|clear)\s+(?:it|that|this|them)\W*$/iu,
    kinds: ["delete"],
  },
  // What was added before is taken away again, and not what has it.
  { said: /\b(?:remove|drop|clear|delete)\s+(?:it|that|this)\s+again\b/i, kinds: ["delete"] },
  // "Drop it" says no more than that nobody does it.
  {
    said: /\b(?:drop|scrap|kill|lose)\b(?! table)/iu,
    kinds: ["delete"],
    unless: /\bdelet|\beras|\bpermanent|\bfor good\b/iu,
  },
];

/** What says that a page's text shall be another one: it is not replaced by a line. */
const REPLACES = /\b(?:replac|overwrit|rewrit|content|body|text|whole|says?|read)\p{L}*/iu;

/** Behind these stands why, and not what. */
const BESIDE = new RegExp(
  `\\b(?:now that|considering(?: that)?|given(?: that)?|seeing(?: that)?|with|since|because|whereas|while|like|than|once|whenever|the moment|after|before|as)\\s+(?:the\\s+)?(${KEY})(?=\\s+(?:is|was|being|has|done|closed|covers|waits|blocks|needs|looks|\\p{L}+s)\\b)`,
  "giu",
);
/** What may stand between two records of one order. */
const JOINING = wordSet(
  `and or also too plus both then as well with please pls the to it its is in on of for a an at into issue issues ticket tickets bug bugs task tasks
  story stories epic epics one ones be so that they should shall can could you put set move make mark give assign hand close resolve finish complete
  reopen start change update bump raise lower prio priority status state label labels tag due date by until assigned unassign delete remove need needs
  go goes get gets take must have has now same likewise together already still both them these those duplicate link add comment me us my our this that`,
);

const SORRY = /^(?:\W*(?:no|nope|sorry|oh|ah|oops|wait|hm+|actually|hey|my bad|pardon)\b)+/i;
const ORDERS =
  /\b(?:assign|close|set|move|start|reopen|mark|give|hand|resolve|finish|delete|remove|bump|raise|lower|make|put|label|unassign)\b/i;

/**
 * The part of a message that says that a change may not be meant; "page" where a whole page would be replaced by a line.
 * Undefined where nothing does. `message` is shortened.
 */
export function doubtOf(
  message: string,
  changes: readonly MeantChange[],
  known: readonly KnownName[],
): { part: string } | "page" | undefined {
  const all = changes.map(judge);
  // Of comments and of what is new the words are somebody's own.
  const judged = all.filter(({ intents }) => JUDGED.some((intent) => intents.has(intent)));
  if (judged.length === 0) return undefined;
  const quoted = createSheet(message).masked;
  const masked = quoted.slice(
    0,
    /\b(?:comment|reply|note)\b(?:[^:.!?]*:|\s+(?:on|to|in|under)\s+[^:.!?,;]{1,50}?\s(?:that|saying)\b)/i.exec(
      quoted,
    )?.index,
  );
  const kinds = new Set(judged.flatMap(kindsOf));
  const makes = all.some(({ intents }) => intents.has("create"));
  if (kinds.has("text") && !REPLACES.test(masked)) return "page";
  for (const { said, kinds: only, unless, isBehind = false, isMade = false } of DOUBTS) {
    const found = said.exec(masked);
    if (isMade && makes) continue;
    if (isBehind && !/\p{L}{2,}\W+\p{L}{2,}/u.test(masked.slice(0, found?.index).replace(SORRY, "")))
      continue;
    if (found === null || (only !== undefined && !only.some((kind) => kinds.has(kind)))) continue;
    const part = inPlain(found[0]);
    // Pictures say nothing that could be quoted.
    if (unless?.test(masked) !== true) return { part: /[\p{L}\p{N}]/u.test(part) ? part : inPlain(masked) };
  }
  const wished = wishedOf(judged);
  const part =
    lettingOthers(masked, known) ??
    inWords(masked, kinds) ??
    miscounted(masked, wished) ??
    missingOne(masked, wished) ??
    namedBeside(masked, wished) ??
    intoEpic(masked, wished, known) ??
    ofNoEpic(masked, wished, known) ??
    keptApart(masked, wished);
  return part === undefined ? undefined : { part: inPlain(part) };
}

/** Without the stand-ins of what is quoted. */
function inPlain(part: string): string {
  return part.replaceAll(/[\uE000-\uE1FF]+/g, "…").trim();
}

function kindsOf({ tool, intents, args }: Judged): Kind[] {
  const fields = Object.values(args).flatMap((value) => (isObject(value) ? Object.keys(value) : []));
  const names = [...Object.keys(args), ...fields].join(" ");
  const kinds: Kind[] = [];
  if (intents.has("delete")) kinds.push("delete");
  if (intents.has("assign") || /\bassignee/.test(names)) kinds.push("assign");
  if (intents.has("move") || /\bstatus\b/.test(names)) kinds.push("move");
  if (/\bpriority\b/.test(names)) kinds.push("priority");
  if (/\bdue/.test(names)) kinds.push("due");
  if (intents.has("update") && /page|article|wiki/i.test(tool.name) && /\b(?:body|content)\b/.test(names))
    kinds.push("text");
  return kinds.length === 0 ? ["other"] : kinds;
}

/** "Give Ben the keys", "restore the backup": no word says that a record is meant. */
function inWords(masked: string, kinds: ReadonlySet<Kind>): string | undefined {
  const isRecord =
    new RegExp(KEY, "u").test(masked) ||
    /\b(?:it|this|that|them|these|those|ones?|(?:first|second|third|last)(?=\s+(?:in|on|of|to|and|as|for|from|with|please)\b|\W*$|[,.;:!?])|issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?|cards?|status|prio\w*|assign\w*)\b/iu.test(
      masked,
    );
  if (isRecord || !(kinds.has("assign") || kinds.has("move"))) return undefined;
  return /^\W*(?:please\s+)?(?:order|restore|buy|call|book|fix|write|clean|print|fetch|bring|turn|switch|give\s+\p{L}+\s+(?:an?|the))\b/iu.exec(
    masked,
  )?.[0];
}

/** "Let Ben close it": somebody else is to do it. */
function lettingOthers(masked: string, known: readonly KnownName[]): string | undefined {
  const found =
    /\b(?:get|let|have|make|ask|tell|want)\s+(\p{L}[\p{L}'’-]*)\s+(?:to\s+)?(?:close|set|move|start|finish|assign|mark|delete|change|raise|lower|reopen|resolve|look|review)\b/iu.exec(
      masked,
    );
  if (found === null) return undefined;
  const name = found[1] ?? "";
  return /^(?:him|her|them|somebody|someone)$/i.test(name) || namePattern(known).test(name)
    ? found[0]
    : undefined;
}

/** What each record is changed in, by its key. */
type Wished = ReadonlyMap<string, ReadonlySet<string>>;

function wishedOf(changes: readonly Judged[]): Wished {
  const wished = new Map<string, Set<string>>();
  for (const { tool, args } of changes) {
    const key = keyIn(args);
    if (key === undefined) continue;
    const rest = Object.entries(args).filter(([, value]) => value !== key);
    const change = `${tool.id} ${JSON.stringify(rest)}`;
    wished.set(key, (wished.get(key) ?? new Set()).add(change));
  }
  return wished;
}

/** "Close these three: DEMO-1, DEMO-2": one is missing. */
function miscounted(masked: string, wished: Wished): string | undefined {
  const said =
    /\b(?:these|those|the|all)\s+(two|three|four|five|six|\d{1,2})\b(?!\s*(?:hours?|days?|weeks?|months?))/iu.exec(
      masked,
    );
  const count = NUMBER_WORDS[said?.[1]?.toLowerCase() ?? ""] ?? Number(said?.[1]);
  return wished.size > 1 && count !== wished.size ? said?.[0] : undefined;
}

/** "The printer and the dashboard can both be medium", of which one was found. */
function missingOne(masked: string, wished: Wished): string | undefined {
  return wished.size === 1 ? BOTH.exec(masked)?.[0] : undefined;
}

const BOTH =
  /\band\s[^.;:!?]{2,60}?\b(?:can|could|may|should|must|shall|have to|need to)\s+both\b(?!\s+(?:the\s+)?(?:labels|tags|dates|projects))/iu;

/** "Close DEMO-1 since DEMO-2 is done": the second says why, and not what. */
function namedBeside(masked: string, wished: Wished): string | undefined {
  return [...masked.matchAll(BESIDE)].find(([, key = ""]) => wished.has(key.toUpperCase()))?.[0];
}

/** "Give me the dark mode bug, put it under the search epic": the epic that something shall go into is not what is changed. */
function intoEpic(masked: string, wished: Wished, known: readonly KnownName[]): string | undefined {
  const into = INTO_EPIC.exec(masked)?.[0];
  if (into === undefined) return undefined;
  const rest = masked.replace(into, "");
  const isNamed = (key: string): boolean => new RegExp(`(?<![\\w-])${key}(?![\\w-])`, "i").test(rest);
  const epics = known.filter(({ kind, id }) => kind === "epic" && wished.has(id));
  return !/\bepics?\b/i.test(rest) && epics.some(({ id }) => !isNamed(id)) ? into : undefined;
}

/** "Close that epic", of what is known to be none. */
function ofNoEpic(masked: string, wished: Wished, known: readonly KnownName[]): string | undefined {
  const said = EPIC_ITSELF.exec(masked)?.[0];
  const isNone =
    known.some(({ kind, id }) => kind === "issue" && wished.has(id)) &&
    !known.some(({ kind, id }) => kind === "epic" && wished.has(id));
  return said !== undefined && isNone ? said : undefined;
}

/** What is put on an epic itself, such as a label or a comment, goes into none. */
const INTO_EPIC = new RegExp(
  `\\b(?:put|move|hang|bring|place|group|file|stick)\\s+(?![^,.;:!?]*\\b(?:labels?|tags?|comments?|notes?|dates?|prio\\w*|status)\\b)[^,.;:!?]{2,60}?\\s(?:(?:under|into|in|to|below)\\s+(?:the\\s+)?(?:[\\p{L}\\d'’-]+\\s+){0,4}?epic\\b(?:\\s+${KEY})?|(?:under|into|below)\\s+${KEY})`,
  "iu",
);

/** The words between two records for which one order was read, where those say more than that it is for both. */
function keptApart(masked: string, wished: Wished): string | undefined {
  const places = [...masked.matchAll(new RegExp(KEY, "gu"))].map(({ 0: key, index }) => ({
    key: key.toUpperCase(),
    start: index,
    end: index + key.length,
  }));
  for (const [at, { key, start, end }] of places.entries()) {
    const before = places[at - 1];
    if (before === undefined || before.key === key) continue;
    const [mine, theirs] = [wished.get(key), wished.get(before.key)];
    if (mine === undefined || theirs === undefined || ![...mine].some((one) => theirs.has(one))) continue;
    const between = masked.slice(before.end, start);
    const values = new Set(tokenize([...mine].join(" ")).map(({ stem }) => stem));
    const isMore = tokenize(between).some(({ lower, stem }) => !JOINING.has(lower) && !values.has(stem));
    // "RE: DEMO-12 done -- assign DEMO-15": the order begins behind the first.
    const isLater = ORDERS.test(between) && !ORDERS.test(masked.slice(0, before.start));
    // "DEMO-11 is done, DEMO-12 is next": what is said of the first is not said of the second.
    const own = OWN_CLAUSE.test(between) ? (/^[^.;!?]*/.exec(masked.slice(end))?.[0] ?? "") : "too";
    const isOther = !tokenize(own).some(({ lower, stem }) => values.has(stem) || SAME.has(lower));
    if (!isMore && !isLater && !isOther && !/[()]/.test(between)) continue;
    const closing = /\(/.test(between) ? /^[^()]*\)/.exec(masked.slice(end)) : null;
    return masked.slice(before.start, closing ? end + closing[0].length : start).trim();
  }
  return undefined;
}

const OWN_CLAUSE = /^\s*(?:is|are|was|were|has been|can be)\b[^,.;]*[,.;]\s*(?:and\s+)?$/i;
const SAME = wordSet("too also as likewise same both well equally");

/** The record that a call is of. */
export function keyIn(args: JsonObject): string | undefined {
  return Object.values(args).find(
    (value): value is string => typeof value === "string" && new RegExp(`^${KEY}$`, "u").test(value),
  );
}
