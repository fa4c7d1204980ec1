import { remember } from "../../base/remember.ts";
import { DAY } from "./dates.ts";
import { inOwnWords } from "./rephrase.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { asQuestion } from "./told.ts";
import { isChangeVerb } from "./verbs.ts";

const KEY = "[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}";
const PATH = "(?:~|\\.{1,2})?\\/[^\\s,;\\uE001]*[^\\s,;:.?!\\uE001]";
const REPO = "[A-Za-z][\\w-]*\\/[A-Za-z][\\w.-]*\\w";
const SHA = "(?=[0-9a-f]*\\d)[0-9a-f]{7,40}";
const KIND =
  "(?:repo(?:sitory)?|project|folder|directory|dir|file|branch|space|board|sprint|epic|page|wiki page|confluence page|issue|ticket|pull request|pr|commit|table)";
const NUMBERED = `${KIND}\\s+#?\\d+`;
/** What names one record or place by its form. */
const NAMED = `(?:${KIND}\\s+)?(?:${PATH}|${REPO}|${KEY}|${SHA})|${NUMBERED}|#\\d+|${KIND}\\s+[A-Z][A-Z0-9_]+(?![\\w-])`;
const WITHIN = `(?:\\s+(?:in|of|from|on)\\s+(?:the\\s+)?(?:${NAMED}))?`;
const ONE = `(?:the\\s+)?(?:${NAMED})${WITHIN}`;
const ALL = `${ONE}(?:\\s*(?:,|and|&|,\\s*and)\\s*(?:${ONE}))*`;

/** "In /srv/app: …", "For the repo /work/shop, …", "Under the wiki page 90211, …" */
const PLACED = new RegExp(
  `^\\W*(?<place>(?<preposition>in|inside|within|under|below|for|on|at|from|of)\\s+${ONE})\\s*[,:–-]?\\s+(?<rest>\\S.*)$`,
  "isu",
);
/** "/work/shop: …", "PR 212 in acme/shop - …" */
const LED = new RegExp(`^\\s*(?<one>${ONE})\\s*(?::|\\s[–-])\\s+(?<rest>\\S.*)$`, "isu");
/** What it is told of stands as "it" in the rest. */
const PRONOUN =
  /(?<![\p{L}'’])(?:it|this one|(?:this|that) (?!(?:morning|noon|afternoon|evening|night|weekend|week|month|quarter|year|spring|summer|autumn|fall|winter|time|is|was|has|had|will|can|should|must|may|way|much|many)\b)(?:\p{Ll}+))(?![\p{L}'’])(?!['’])/iu;
const ITEM = "\\s*(?:[-*•]|\\d{1,2}[.)])\\s+";

/** A list with a heading: what it asks for, and of what, one a line. */
const LISTED = new RegExp(
  `^(?<head>[^\\n:]{3,80}?)\\s*:?\\s*\\n(?<items>(?:${ITEM}[^\\n]+(?:\\n|$))+)\\s*$`,
  "u",
);

/** One message is read in a few parts, again in each step of its turn. */
const MOST_MESSAGES = 64;

/**
 * A message of another build as the plain order or question that it is: what is fronted ("in /srv/app: …") stands
 * last, what has to be done with something ("… can be closed") is ordered, and a list of records stands in a sentence.
 * What is quoted or dictated keeps its words.
 */
export const restated: (given: string) => string = remember(MOST_MESSAGES, (given) => {
  const message = oneOfThem(given.replace(STANDUP, "")).replace(
    LABEL_THEM,
    "add the label $1$2 to all of them",
  );
  const plain = PLAINER.reduce(
    (text, [pattern, instead]) =>
      inOwnWords(text, pattern, (_said, groups) =>
        instead.replaceAll(/\$(\d)/g, (_, at: string) => groups[Number(at) - 1] ?? ""),
      ),
    inOwnWords(message, ONLY_IN, (said) => said.replace(/\s+only$/i, "")),
  );
  const flat = inPlainNumbers(inSentence(toWhom(plain)));
  return placedLast(flat) ?? ordered(flat);
});

/** "DEMO-27 and MOB-5 are Emi's; raise the first of them": the record that is meant by its place. */
function oneOfThem(message: string): string {
  const picked = OF_THEM.exec(message);
  const place = (picked?.[1] ?? picked?.[2] ?? "").toLowerCase();
  const keys = [...new Set(message.slice(0, picked?.index).match(new RegExp(KEY, "gu")) ?? [])];
  const key = /^(?:last|latter)$/.test(place) ? keys.at(-1) : keys[ORDINALS.indexOf(place) % 3];
  return picked === null || key === undefined || keys.length < 2
    ? message
    : message.slice(0, picked.index) + key + message.slice(picked.index + picked[0].length);
}

const ORDINALS = ["first", "second", "third", "former"];
const OF_THEM =
  /\b(?:only\s+)?the\s+(?:(first|second|third|last)\s+(?:one\s+)?of\s+(?:them|these|those|the\s+(?:two|three))|(former|latter)(?:\s+one)?)\b/iu;

const STANDUP =
  /^\W*(?:(?:for\s+(?:the\s+|my\s+)?)?(?:stand-?up|daily|weekly)|(?:quick\s+)?question)\s*:\s+/i;

/** "Comment on DEMO-1: Ben, he can start his migration", "Ben, whether it is done": as it is said to him. */
function toWhom(message: string): string {
  const [, head = "", verb = "", rest = ""] =
    /^(\W*comment on [^:"“]{2,60}: \p{L}+, )(?:he|she) (can|may|should|could|must|will)\b((?:(?!\b(?:he|she|him)\b)[^"“:])+)$/iu.exec(
      message,
    ) ?? [];
  const asked =
    /^(\W*comment on [^:"“]{2,60}: \p{L}+, )((?:whether|if|when|why|how|where|what)\s[^:"“]+)$/iu.exec(
      message,
    );
  if (asked !== null) return `${asked[1] ?? ""}${asQuestion(asked[2] ?? "")}`;
  return head === "" ? message : `${head}you ${verb}${rest.replaceAll(/\b(?:his|her)\b/gi, "your")}`;
}

/** "Label them all 'q1'", "add the label q1 to them" */
const LABEL_THEM =
  /^\W*(?:(?:please|pls|can you|could you|and|now|then)\s+)*(?:(?:label|tag)\s+(?:all\s+(?:of\s+)?)?(?:them|these|those)(?:\s+all)?\s+(?:(?:with|as)\s+)?["'“‘]?([\w-]+)["'”’]?|(?:add|put)\s+(?:the\s+)?(?:label|tag)\s+["'“‘]?([\w-]+)["'”’]?\s+(?:to|on)\s+(?:them|these|those)(?:\s+all)?)[\s.!]*$/iu;

/** What stands before a day. */
const AT_DAY =
  "(?<=\\b(?:to|by|on|until|till|til|due|next|this|before|after|since|for|was due|late)\\s+)(?<![\\p{L}\\p{N}-])";

/** "Overdue stuff, all projects": that is everything. */
export const ALL_PROJECTS: RegExp =
  /(?<=\S\s.*)(?:,\s*(?:(?:in|across|over|for|of|from)\s+)?|\s+(?:in|across|over|from)\s+)(?:any\s+(?:project|team|board)|all\s+(?:of\s+)?(?:the\s+|our\s+)?(?:two\s+|three\s+|four\s+|\d\s+)?(?:projects|teams|boards))(?:\s+(?:together|combined))?(?=\s*(?:$|[,.;!?]|please\b|pls\b))/giu;

const A_LABEL = '["“]?[\\p{L}\\d][\\p{L}\\d_-]*["”]?';
/** A label without the word for it, in small letters: no record, field, person or day. */
const BARE_LABEL =
  "(?!(?:it|this|that|them|both|all|an?|the|me|comments?|notes?|links?|epic|description|title|summary|due|deadline|dates?|prio|priority|status|state|assignee|owner|reporter|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b|[A-Z]\\w*-\\d)(?-i:\\p{Ll})[\\p{Ll}\\d_-]+";
const ANY_RECORD = "[A-Z]\\w*-\\d+|it|this(?:\\s+one)?|that(?:\\s+one)?|the\\s+(?=\\S)[^,.;:?]{3,50}?";

/** What people put more simply, and what only says how wide to look. */
const PLAINER: readonly (readonly [RegExp, string])[] = [
  // "Due tue", "push it to wed"
  [new RegExp(`${AT_DAY}mon(?![\\p{L}\\p{N}-])`, "giu"), "monday"],
  [new RegExp(`${AT_DAY}tues?(?![\\p{L}\\p{N}-])`, "giu"), "tuesday"],
  [new RegExp(`${AT_DAY}wed(?![\\p{L}\\p{N}-])`, "giu"), "wednesday"],
  [new RegExp(`${AT_DAY}thu(?:rs?)?(?![\\p{L}\\p{N}-])`, "giu"), "thursday"],
  [new RegExp(`${AT_DAY}fri(?![\\p{L}\\p{N}-])`, "giu"), "friday"],
  [new RegExp(`${AT_DAY}sat(?![\\p{L}\\p{N}-])`, "giu"), "saturday"],
  [new RegExp(`${AT_DAY}sun(?![\\p{L}\\p{N}-])`, "giu"), "sunday"],
  // "By christmas", but for what somebody is to be told
  [
    /(?<!\b(?:ask|tell|comment|note|write|say|saying)\b.{0,200})\b(before|by|until|till|after|since|to) (?:christmas|xmas|x-mas)\b(?!\s+(?:eve|day|freeze|party|calendar|sale|campaign|rush|season|holidays?|cards?|break)\b)/giu,
    "$1 25 december",
  ],
  // "Farid instead of Dmitri", of what is on the screen
  [
    /(?<=^\W*|[,.;]\s+(?:and\s+)?|\band\s+)((?-i:\p{Lu}\p{Ll}+))\s+instead\s+of\s+(?-i:\p{Lu}\p{Ll}+)(?=\s*(?:$|[,.;]))/gu,
    "assign it to $1",
  ],
  [ALL_PROJECTS, ""],
  [/^(\W*)wat(?=\s)/giu, "$1what"],
  [/\bs(?:mth|th|omthing|omethin)\b(?=\s+(?:about|on|for|like|regarding))/giu, "something"],
  // "Wasn't there once a ticket for a second coffee machine?"
  [
    /^\W*(?:(?:hm+|so|and|but|wait)\W+)*(?:wasn['’]?t|isn['’]?t|was|were)\s+there(?:\s+(?:once|already|also|some(?:where|time)))*\s+(?=(?:an?|some)\s+(?:ticket|issue|bug|story|task|page)\b)/giu,
    "is there ",
  ],
  // "New issues from the past seven days", "new tickets since Thursday (Thursday included)"
  [
    /^(\W*(?:(?:show|list|give)\s+(?:me\s+)?|any\s+|all\s+|the\s+)*)new\s+(issues|tickets|bugs|tasks|stories)(\s+(?:in|of|for)\s+(?:the\s+)?[\p{L}\d ]{2,25}?)?\s+(since|from|in|within|over|during|of|this|today|yesterday)\b([^.,;:!]*?)(?:\s*[(,]\s*[^(),]{0,20}\bincl(?:uded|usive|uding|\.)?\b[^()]{0,20}\)?)?(?=\s*(?:$|[?.]))/giu,
    "$1$2$3 created $4$5",
  ],
  // "Dark mode flipping at sunset should live under App version 2.0"
  [
    /(?<=\b(?:should|shall|must|can|could|has\s+to|needs\s+to|ought\s+to)\s+)(?:live|sit|hang|stand|go|belong)\s+(?=(?:under|in)\s+(?:the\s+)?(?:epic\b|[^,.;:?"“]{3,40}\bepic\b|App\s|Accounts\s|Leave\s|Checkout\s|[A-Z]\w*-\d))/giu,
    "be ",
  ],
  // "If my phone rings at night, when am I expected at work?"
  [
    /^\W*(if\s+(?!.*[A-Z]\w*-\d)[^?.:;"“]{5,90}?),\s+((?:when|what|how|who|where|which|must|may|do|should)\b(?!\s+(?:i|we)\s+(?:assign|close|move|set))[^?.:;"“]{5,90})\?.*$/giu,
    "$2 $1?",
  ],
  // "Close OPS-4 and put that in a comment so Ana sees it"
  [
    /(?<=\b(?:comment|note|it|that|this|there)\b[^.?!:;"“]{0,30}),?\s+so(?:\s+that)?\s+(?:\p{L}+\s+){1,2}?(?:can\s+)?(?:sees?|knows?|notices?|reads?|finds?)\s+(?:it|that|this|about\s+it)[\s.!]*$/giu,
    "",
  ],
  // "…, so move it over to him"
  [
    /(?<=^\W*|[,.;]\s+(?:so\s+|and\s+|please\s+)*|\band\s+)(?:move|shift|pass|hand)\s+(it|this|that|[A-Za-z]\w*-\d+)\s+(?:over\s+|on\s+)?to\s+(him|her)(?=\s*(?:$|[,.;!?]))/giu,
    "assign $1 to $2",
  ],
  // "Which spoilsport filed that ticket?"
  [
    /^(\W*(?:and\s+|so\s+|haha\W+|lol\W+)*)(?:which|what)\s+(?!(?:epic|issue|ticket|bug|task|story|page|project|label|one|team|person|comment|link)s?\b)\p{Ll}+\s+(filed|reported|opened|created|wrote|raised|logged)\s+(it|that|this|[A-Z]\w*-\d+)(?:\s+(?:ticket|issue|bug|one|task|story))?(?=\s*(?:$|\?))/giu,
    "$1who $2 $3",
  ],
  // "And the one after that?"
  [
    /^\W*(?:and\s+)?(?:what\s+about\s+)?the\s+one\s+after(?:\s+(?:that|it|this))?(?:\s+(?:one|please|pls))?[\s?!.]*$/giu,
    "and the next one",
  ],
  // "Of the issues in the checkout epic, how many are finished, and how many are there?"
  [
    /^\W*(?:and\s+)?of\s+(?:all\s+)?(?:the\s+)?(issues|tickets|bugs|tasks|stories)\s+(in|of|under|for)\s+([^,.;:?"“]{3,60}?),?\s+how\s+many\s+(?:are|is|were|have\s+been)\s+(?:already\s+|now\s+)?[\p{L} ]{3,25}?,?\s+(?:and|or)\s+how\s+many\s+(?:are|is)\s+(?:there|not|still|in\s+total)(?:\s+[\p{L} ]{3,25}?)?(?=\s*(?:\?|$))/giu,
    "count $1 $2 $3 by status",
  ],
  // "Due by Friday, incl. what is already late": what is late was due before.
  [
    /(?<=\bdue\s+(?:by|before|until|till|within|in|this|on)\s[^,.;:?]{3,30}?),?\s+(?:or|and|incl\.?|including|plus)\s+(?:(?:stuff|things|ones|everything|those|what|all|anything)\s+)?(?:(?:that|which|what)?(?:['’]?s|\s+is|\s+are)\s+)?(?:already\s+)?(?:late|overdue)(?:\s+(?:already|ones|stuff|things))?(?=\s*(?:$|[,.;?!]))/giu,
    "",
  ],
  [/\b([\p{L}\d-]+)[- ](?:labell?ed|tagged)\s+(tickets|issues|bugs|tasks|stories)\b/giu, "$2 labelled $1"],
  // "Emi was grumbling that the dashboard mixes time zones, do we have a ticket for that already or not?"
  [
    /^\W*(?:(?:the\s+)?\p{L}+(?:\s+team)?|some(?:body|one))\s+(?:(?:was|is|were|are|keeps?|has\s+been)\s+)?(?:just\s+)?(?:grumbl|complain|moan|say|report|tell|mention|claim)(?:s|ing|ed)?\s+(?:(?:me|us)\s+)?(?:that\s+|about\s+)?([^,.;:?"“]{8,100}?)\s*[,.;–-]+\s+(?:do\s+we\s+(?:already\s+)?have|have\s+we\s+(?:already\s+)?got|is\s+there(?:\s+already)?)\s+(?:an?|any|some)\s+(ticket|issue|bug|page)\s+(?:for|about|on)\s+(?:that|this|it)(?:\s+(?:already|yet|or\s+not|anywhere))*(?=\s*(?:$|\?))/giu,
    "is there a $2 about $1?",
  ],
  [
    /(?<=\b(?:who|when)\s+(?:was\s+)?)(?:last\s+)?touched\s+(the\s+[^,.;:?"“]{3,60}?)(?:\s+last)?(?=\s*(?:$|[?,]))/giu,
    "edited $1 last",
  ],
  [
    /(?<=^\W*(?:who|when)\s[^,.;:?]{5,80}),?\s+and\s+(?:when|who)(?:\s+(?:was|did)\s+(?:that|it|this))?(?=\s*(?:$|\?))/giu,
    "",
  ],
  // "Within what time …", "to whom …"
  [/^\W*within\s+(?:what|which|how\s+much)\s+time(?:\s?frame)?\b/giu, "how soon"],
  [/^\W*(?:until|till|by|from)\s+when(?:\s+on)?\b/giu, "when"],
  // "Who has reported how many bugs"
  [
    /^\W*who\s+(?:has\s+|have\s+)?(?:reported|opened|filed|created|raised|logged)\s+how\s+many\s+((?:open\s+)?(?:issues|tickets|bugs|tasks|stories))\b/giu,
    "how many $1 per reporter",
  ],
  // "Two months old, you can delete that": for whoever approves it to say.
  [
    /^\W*(?!.*\b(?:if|unless|once|when|after|until|before|not|no|never|nobody|maybe|perhaps|possibly|think|guess|suppose|hope|wonder|said|says|told|asks?|whether|or)\b|.*n['’]t\b)(?:[^.!?:;"“]{1,60}[,.]\s+)?(?:so\s+)?(?:(?:you|we)\s+(?:can|may)\s+delete\s+(?:it|that|this)|(?:it|that|this)(?:\s+(?:one|ticket|issue))?\s+(?:can|may)\s+be\s+deleted)(?:\s+(?:now|then|too))?[\s.!]*$/giu,
    "delete it",
  ],
  [
    /\bwhich\s+(?:things|ones|issues|tickets)\s+does\s+nobody\s+(?:own|have)\b/giu,
    "which issues are unassigned",
  ],
  [
    /\bhow\s+(?:much|many)\s+(?:has\s+|have\s+)?(?:came|come)\s+in(?=\s+(?:during|in|over|since|this|today|yesterday|last)\b)/giu,
    "how many issues were created",
  ],
  // "Do we have more bugs or more stories in the app?", "are there more open bugs in the app or in the shop?"
  [
    /^\W*(?:do\s+we\s+have|have\s+we\s+got|are\s+there|is\s+it)\s+more\s+((?:open\s+|closed\s+)?)(?:bugs|stories|tasks|epics)\s+(?:or|than)\s+(?:more\s+)?(?:bugs|stories|tasks|epics)(?=\s+(?:in|of|for|on)\b|\s*\?|\s*$)/giu,
    "how many $1issues per type",
  ],
  [
    /^\W*(?:do\s+we\s+have|have\s+we\s+got|are\s+there)\s+more\s+((?:open\s+|closed\s+)?(?:bugs|stories|tasks|epics|issues|tickets))\s+(?:in|of|for)\s+(?:the\s+)?[\p{L} ]{2,25}?\s+(?:or|than)\s+(?:in|of|for)\s+(?:the\s+)?[\p{L} ]{2,25}[\s?]*$/giu,
    "how many $1 per project",
  ],
  [
    /,?\s+(?:not\s+counting|excluding|except|minus|without)\s+(?:the\s+)?(?:finished|done|closed|resolved)\s+(?:ones|issues|tickets)(?=\s*(?:$|[,.;?!]))/giu,
    ", only open ones",
  ],
  [
    /,?\s+(epics|bugs|stories|tasks)\s+(?:left\s+aside|left\s+out|excluded|not\s+included)(?=\s*(?:$|[,.;?!]))/giu,
    " without $1",
  ],
  [
    /^\W*([A-Z]\w*-\d+|it|this)\s+(?:also\s+|now\s+)?(?:needs?|gets?|should\s+(?:get|have)|has\s+to\s+get)\s+the\s+(labels|tags)\s+([\w-]+(?:\s*,\s*[\w-]+)*,?\s+and\s+[\w-]+)[\s.!]*$/giu,
    "add the $2 $3 to $1",
  ],
  [
    /^\W*(?:(?:please|pls|can\s+you|could\s+you)\s+)*(?:replace|swap|exchange)\s+(?:the\s+)?(?:label|tag)\s+["“]?([\w-]+)["”]?\s+(?:on|of|in|at)\s+([A-Z]\w*-\d+|it)\s+(?:with|by|for|against)\s+(?:the\s+(?:label|tag)\s+)?["“]?([\w-]+)["”]?(?=\s*(?:$|[.,;!?]))/giu,
    "add the label $3 to $2 and remove the label $1 from $2",
  ],
  // "Take DEMO-26 off Dmitri and hand it to Emi"
  [
    /\btake\s+([A-Z]\w*-\d+|it|this|that)\s+(?:off|from|away\s+from)\s+\p{L}+(?:['’]s\s+\p{L}+)?\s*,?\s+and\s+(?:hand|give|assign|pass)\s+it\s+(?:over\s+)?to\s+(\p{L}+)/giu,
    "assign $1 to $2",
  ],
  [/(?<=\b(?:can|could|would|will)\s)u(?=\s+\p{Ll})/giu, "you"],
  // Who would like to work on it takes it, and has not begun.
  [
    /^\W*(?:(?:i['’]d|i\s+would)\s+(?:like|love)\s+to|i\s+want\s+to|(?:can|may|could)\s+i(?:\s+please)?)\s+(?:work\s+on|take\s+on)\s+((?:[A-Z]\w*-\d+)|it|this(?:\s+one)?|that\s+one)(?=\s*(?:$|[.!?,;]))/giu,
    "assign $1 to me",
  ],
  // Where it may stand is no wish of its own.
  [
    /(?<=\?)\s+(?:i think\s+)?(?:there\s+(?:should|must)\s+be|there['’]?s|there\s+is|we\s+have)\s+(?:something|an?\s+(?:page|text|template))(?:\s+(?:about|for|on)\s+(?:it|that|this))?(?:\s+(?:in|on)\s+(?:the|our)\s+wiki)?[\s.!]*$/giu,
    "",
  ],
  // "Add the label regression to DEMO-14 and remove money": one change of the list.
  [
    new RegExp(
      `^(\\W*(?:(?:please|pls|can\\s+you|could\\s+you)\\s+)*)(?:add|put)\\s+(?:the\\s+)?(?:labels?|tags?)\\s+(${A_LABEL})\\s+(?:to|on)\\s+(${ANY_RECORD})\\s*,?\\s*(?:(?:and|but|then|also)\\s+)*(?:remove|drop|take\\s+off|take\\s+away|delete(?=\\s+(?:the\\s+)?(?:label|tag)))\\s+(?:the\\s+)?(?:(?:labels?|tags?)\\s+(${A_LABEL})|(${BARE_LABEL}))(?:\\s+(?:label|tag))?(?:\\s+(?:from|off|on|of)\\s+(?:it|this|that|\\3))?[\\s.!?]*$`,
      "giu",
    ),
    "$1add the label $2 to $3; remove the label $4$5 from $3",
  ],
  [
    new RegExp(
      `^(\\W*(?:(?:please|pls|can\\s+you|could\\s+you)\\s+)*)(?:remove|drop|delete)\\s+(?:the\\s+)?(?:labels?|tags?)\\s+(${A_LABEL})\\s+(?:from|of|on|off)\\s+(${ANY_RECORD})\\s*,?\\s*(?:(?:and|but|then|also)\\s+)*add\\s+(?:the\\s+)?(?:(?:labels?|tags?)\\s+(${A_LABEL})|(${BARE_LABEL}))(?:\\s+(?:label|tag))?(?:\\s+(?:to|on)\\s+(?:it|this|that|\\3))?[\\s.!?]*$`,
      "giu",
    ),
    "$1remove the label $2 from $3; add the label $4$5 to $3",
  ],
  // "We decided to drop the gift wrapping, and the search one is ready for to do": each is said of one.
  [
    /(?<=^\W*|[.;]\s+)we\s*(?:have\s+|['’]ve\s+)?(?:decided|agreed)\s+(?:to\s+(?:drop|skip|kill|scrap|cancel|bury)|not\s+to\s+do|against(?:\s+doing)?)\s+(the\s+(?=\S)[^,.;:?"“]{3,50}?|[A-Z]\w*-\d+)(?:\s*[,.;]\s*and\s+|\s+and\s+)(?=the\s|[A-Z]\w*-\d)/giu,
    "move $1 to won't do; ",
  ],
  [
    /(?<=^\W*(?:(?:please|pls|can\s+you|could\s+you)\s+)*)(?:drop|skip|kill|cancel|bury|abandon)\s+([A-Z]\w*-\d+|the\s+(?!(?:labels?|tags?|due|dead|date|assignee|owner|epic|prio)\w*\b)[^,.;:?"“]{3,50}?)(?:\s*[,.;]\s*(?:and\s+)?|\s+and\s+)(?=(?:move|close|assign|give|set|put|start|make)\s|[A-Z]\w*-\d+\s+(?:is|can|goes)\b)/giu,
    "move $1 to won't do; ",
  ],
  // "Farid is away from tomorrow, so OPS-5 has to go to Dmitri": why, and the order
  [
    /^(?!\W*(?:(?:please|pls|can\s+you|could\s+you)\s+)*(?:close|move|assign|give|set|make|put|add|start|create|link|comment|show|list|tell|let|if|when|since)\b)(?:(?![A-Z]\w*-\d)[^:;?!"“.]){5,140}?,\s+so\s+(?=(?:[A-Z]\w*-\d+|[^,.;:?!]{4,60}?)\s+(?:(?:has|have|needs?)\s+to|should|must|can)\s+(?:now\s+)?(?:go|be|move)\b|[A-Z]\w*-\d+\s+(?:goes|is)\b)/giu,
    "",
  ],
  // "MOB-19 comes with the epic MOB-1 after all, and make it high"
  [
    /^\W*([A-Z]\w*-\d+)\s+(?:comes|ships|goes(?:\s+out)?)\s+with\s+(?:the\s+epic\s+)?([A-Z]\w*-\d+)(?:\s+after\s+all)?\s*[,.;]?\s+and\s+(?=(?:make|set|give|move|bump|put|label|assign)\s+it\b)/giu,
    "move $1 under the epic $2; ",
  ],
  [
    /(?:\bthe\s+)?\b([A-Z]\w*-\d+)(?:\s+(?:ticket|issue|bug|story|task))?\s+(?:gets|needs|wants|deserves|should\s+get)\s+(?:the|a|this)\s+(?:comment|note)\s*:/giu,
    "comment on $1:",
  ],
  // "Add to the description of OPS-8, at the end: …"
  [
    /(?<=\b(?:add|append)\s+(?:to\s+the\s+description(?:\s+of\s+(?:[A-Z]\w*-\d+|it))?)),?\s+at\s+the\s+(?:end|bottom)(?=\s*:)/giu,
    "",
  ],
  [/\b(give|hand|pass|assign)\s+(it|this|that|[A-Z]\w*-\d+)\s+back\s+to\s+(?=\p{L})/giu, "$1 $2 to "],
  // "Give him two more days", of what is on the screen
  [
    /^(\W*(?:(?:please|pls|ok(?:ay)?|then|so|and|can\s+you|could\s+you)[\s,]+)*)give\s+(?:him|her|them|us|me|it)\s+(an?|one|two|three|four|five|\d{1,2})\s+more\s+(days?|weeks?)(?=[\s.!?]*$)/giu,
    "$1push the due date of it back by $2 $3",
  ],
  [
    /\b(?:sitting|stuck|waiting|hanging|lying)\s+in\s+(?=(?:review|progress|to\s?do|the\s+backlog|backlog)\b)/giu,
    "in ",
  ],
  // "The beta test has to be finished three days earlier than planned"
  [
    /^(\W*)([^,.;:?"“]{3,60}?)\s+(?:has|have|needs?|must|should)\s+(?:to\s+)?be\s+(?:finished|done|ready|over|completed?)\s+(an?|one|two|three|four|five|\d{1,2})\s+(days?|weeks?)\s+(?:earlier|sooner)(?:\s+than\s+(?:planned|expected|scheduled|(?:we\s+)?thought))?(?=\s*(?:$|[,.;!]))/giu,
    "$1bring the due date of $2 forward by $3 $4",
  ],
  [
    /^\W*([A-Z]\w*-\d+)\s+(?:can|may|should|could)\s+(?:lose|drop)\s+(?:the|its)\s+(due\s+date|deadline|assignee)\b/giu,
    "remove the $2 of $1",
  ],
  // "Leave Ana the reason there: …", "leave a question there for Ana: …"
  [
    /^\W*(?:(?:and|please|pls|can\s+you|could\s+you)\s+)*leave\s+(\p{L}+)\s+(?:a|the)\s+(?:reason|note|comment|word|line|question|message)\s+(?:there|on\s+it)\s*:\s+/giu,
    "comment on it: $1, ",
  ],
  // "MOB-9 is shipped. Close it and …": why, and the order
  [
    /^\W*([A-Z]\w*-\d+)\s+(?:is|was|has\s+been|got)\s+(?:now\s+|finally\s+|all\s+)?(?:shipped|done|finished|live|merged|deployed|released|fixed|resolved|out)\s*[.,;!–-]+\s+(?:(?:so|please|pls|can\s+you|could\s+you)\s+)*(?=(?:close|resolve|finish|mark|set|move)\s+it\b)(\p{L}+)\s+it\b/giu,
    "$2 $1",
  ],
  // "It works now. Add that as comment and set to done"
  [
    /^([^?:"“”]{8,300}?)\s*[.!;]\s+(?:(?:please|pls|can\s+you|could\s+you)\s+)*(?:add|put|leave|note|write|post)\s+(?:that|this|it)\s+(?:as|in)\s+(?:an?\s+)?(?:comment|note)\s*,?\s+(?:and|then)\s+(close|reopen|move|set|mark|put|assign|give)(?:\s+it)?((?:\s+(?:to|in|as|back)\s[^,.;:]{2,40}?)?)[\s.!]*$/giu,
    "$1. $2 it$3 and put that in a comment",
  ],
  // "What is everybody working on today?"
  [
    /^\W*(?:(?:so|and|ok(?:ay)?|hi|hey|hello|good\s+morning|morning)[\s,!]+)*what(?:['’]s|\s+is|\s+are|\s+does)\s+(?:everybody|everyone|every\s+one|the\s+team|each\s+of\s+us|each\s+person|people|who)\s+(?:(?:currently|all)\s+)?(?:working|work)\s+on(?:\s+(?:today|now|right\s+now|at\s+the\s+moment|this\s+week|currently))?\s*\?*(?:\s+(?:i|we)\s+need\s+(?:it|this|that)\s+for\s+[^.?!:]{3,40})?[\s.!]*$/giu,
    "list all issues in progress",
  ],
  // "How many vacation days do I have?" is a question of rules.
  [
    /^\W*(?:(?:hi|hey|hello|and|so)[\s,]+)*how\s+(?:many|much)\s+(?:(?:days?\s+(?:of\s+)?)?(?:vacation|holidays?|leave|paid\s+leave|pto)(?:\s+days?)?|days?\s+off)\s+(?:do|can|may|will)\s+(?:i|we|you|people)\s+(?:have|get|take)(?:\s+(?:per\s+|a\s+|each\s+|in\s+a\s+)?year)?\W*$/giu,
    "how many days of holiday does everybody have?",
  ],
  // "The search one is ready for to do"
  [
    /(?<=^\W*|[,.;]\s+(?:and\s+)?)(the\s+(?=\S)[^,.;:?"“]{3,50}?|[A-Z]\w*-\d+)\s+is\s+(?:now\s+)?ready\s+for\s+(to\s?do|todo|in\s+progress)(?=\s*(?:$|[,.;!]))/giu,
    "move $1 to $2",
  ],
  // "Assign the top one to Farid with due date Wednesday"
  [
    new RegExp(
      `^(\\W*(?:(?:please|pls|can\\s+you|could\\s+you|and|then)\\s+)*(?:assign|give|hand)\\s(?:(?!\\b(?:and|that|comment|tell|say|note)\\b)[^,.;:]){3,60}?)\\s+with\\s+(?:an?\\s+|the\\s+)?(?:due\\s+date|deadline)\\s+(?:on\\s+|of\\s+)?((?:${DAY})[\\s.!]*)$`,
      "giu",
    ),
    "$1 and set its due date to $2",
  ],
  // "Lower its priority a bit"
  [
    /(?<=^\W*(?:(?:please|pls|can\s+you|could\s+you|and)\s+)*(?:raise|lower|increase|decrease|reduce|bump(?:\s+up)?|drop)\s+(?:its|the)\s+prio(?:rity)?(?:\s+of\s+(?:[A-Z]\w*-\d+|it))?)\s+(?:by\s+)?a\s+(?:bit|little(?:\s+bit)?|notch)(?=[\s.!?]*$)/giu,
    "",
  ],
  // "How are you? Anything on fire today?"
  [
    /^\W*(?:(?:hey|hi|hello)\b[\s,!]*)?how(?:['’]s it going|\s+are\s+you(?:\s+doing)?(?:\s+today)?)\s*\?+\s+(?=\S)/giu,
    "",
  ],
  [
    /^\W*(?:is\s+)?any(?:thing|body)\s+(?:is\s+)?(?:on\s+fire|burning)(?:\s+(?:today|now|right\s+now|this\s+morning))?\W*$/giu,
    "open issues with highest priority",
  ],
  // "The printer is not printing, what can I do?"
  [
    /^\W*(?:(?:hi|hey|hello|help)[\s,!]+)?((?!(?:what|how|who|where|when|which|if|please|pls|move|close|delete|assign|add|set|create|show|list|find|give|put|remove|reopen|start|comment|tell|make|mark|rename|link)\b)[^?:"“]{8,120}?)\s*[,.;–-]\s*(?:so\s+)?what\s+(?:can|should|do|could)\s+(?:i|we)\s+do(?:\s+(?:about\s+(?:it|that)|then|now))*\s*\?*\s*$/giu,
    "what should we do when $1?",
  ],
  // "What's overdue everywhere?"
  [
    /^\W*(?:(?:and|so|ok)\s+)?what(?:['’]?s|\s+is|\s+are)\s+(overdue|late|unassigned|open|blocked|in\s+review|in\s+progress)\s+everywhere\W*$/giu,
    "list all $1 issues",
  ],
  // "Who has the ones that aren't done?", behind an epic or a list.
  [
    /^\W*(?:and\s+)?who\s+(?:has|owns|works\s+on|is\s+on|does)\s+(?:the|those)\s+(?:(open|unfinished|remaining)\s+(?:ones|issues|tickets)|(?:ones|issues|tickets)\s+(?:that|which)\s+(?:are(?:n['’]?t|\s+not)\s+(?:done|finished|closed)(?:\s+yet)?|are\s+(?:still\s+)?(?:open|left)))\W*$/giu,
    "which of them are open",
  ],
  // "What's still open there?", behind an epic or a list.
  [
    /^\W*(?:and\s+)?what(?:['’]?s|\s+is)\s+(?:still\s+)?(open|left|unassigned|overdue|in\s+progress|done|not\s+started)(?:\s+yet)?\s+(?:(?:in\s+)?there|in\s+it)(?:\s+yet)?\W*$/giu,
    "which of those are $1",
  ],
  [
    /^\W*(?:(?:please|pls|can\s+you|could\s+you|and|also)\s+)*(?:add|put|append)\s+(?:my|the|this|an?)\s+(?!comment\b|note\b)[\p{L}-]+(?:\s[\p{L}-]+){0,2}?\s+(?:to|in|into)\s+(?:the|its)\s+description(\s+of\s+(?:[A-Z]\w*-\d+|it))?\s*[:,]?\s+(https?:\/\/\S+?)[\s.!?]*$/giu,
    "add to the description$1: $2",
  ],
  // "Close the printer one, won't do"
  [
    /^(\W*(?:(?:please|pls|can\s+you|could\s+you)\s+)*)(?:close|resolve)\s+([^,.;:?"“]{2,60}?)(?:\s*,\s*|\s+)(?:\(\s*|as\s+(?:an?\s+)?|with\s+|we\s+)?(?:won['’]?t\s+(?:do|fix)|wontfix)(?:\s+it)?\s*\)?[\s.!]*$/giu,
    "$1move $2 to won't do",
  ],
  // "Delete the barcode story, we will never do that"
  [
    /(?<=^\W*(?:(?:please|pls|can\s+you|could\s+you)\s+)*(?:delete|close|remove)\s[^,.;:?"“]{3,60})\s*[,.;–-]\s+(?:we|i)(?:(?:['’]ll|\s+will|\s+would|\s+are)\s+(?:never|not)|\s+won['’]?t|\s+don['’]?t)\s+(?:gonna\s+|going\s+to\s+)?(?:do|need|want|use|fix|build)\s+(?:that|it|this|them)(?:\s+(?:anyway|any\s*more|ever))?[\s.!]*$/giu,
    "",
  ],
  // "The upgrade ticket should also say that we need a test. Please add that to the description"
  [
    /^\W*((?:the\s+)?[^,.;:?"“]{3,50}?\s(?:ticket|issue|bug|story|task|epic)|[A-Z]\w*-\d+)\s+should\s+(?:also\s+)?(?:say|mention|state|note)\s+that\s+([^?:"“]{4,300}?)\s*[.;,!–-]\s+(?:and\s+)?(?:(?:can\s+you|could\s+you|please|pls)\s+)*(?:add|put|write)\s+(?:that|this|it)\s+(?:to|in|into)\s+(?:the|its)\s+description(?:\s+(?:please|pls))?[\s.!?]*$/giu,
    "add to the description of $1: $2",
  ],
  // "Leave out what's already being worked on"
  [
    /^\W*(?:and\s+|but\s+)?(?:leave\s+out|without|skip|exclude|hide|drop)\s+(?:what(?:['’]s|\s+is)|those|the\s+ones)(?:\s+(?:that\s+are|which\s+are))?\s+(?:already\s+)?(?:being\s+worked\s+on|in\s+the\s+works|started)(?:,\s+(?:i|we)\s[^.?!:;]*)?\W*$/giu,
    "without the ones in progress",
  ],
  // "Third one and the last one can be closed", of a list.
  [
    /^\W*(?:(?:and|ok(?:ay)?|so|then)[\s,]+)*(?:the\s+)?((?:first|second|third|fourth|fifth|last)(?:\s+one)?)\s+and\s+(?:the\s+)?((?:second|third|fourth|fifth|sixth|last)(?:\s+one)?)\s+(?:can|may|could)\s+be\s+closed(?:\s*[,.;–-]\s*(?:i|we|they|both)\s[^.!?:]*)?[\s.!]*$/giu,
    "close the $1 and the $2",
  ],
  // "The bugs among those", of a list.
  [
    /^\W*(?:(?:and|now|but)\s+)?(?:only\s+|just\s+)?(?:the\s+)?((?:open\s+|unassigned\s+|urgent\s+|overdue\s+)?(?:bugs|tasks|stories|epics|ones))\s+(?:among|amongst|out\s+of|of|in)\s+(?:those|them|these)\W*$/giu,
    "only the $1",
  ],
  [
    /(?<!\b(?:create|add|new|file|open an?|make|put|move)\b.{0,30})\b(issues|tickets|bugs|tasks|stories) (?:under|within|inside|below) (?=[A-Z]\w*-\d+)/giu,
    "$1 in the epic ",
  ],
  [
    /(?<!\b(?:close|assign|move|delete|give)\b.{0,40})\b(issues|tickets|bugs|tasks|stories) (?:that|which) (?:nobody|no[ -]one) (?:has(?! (?:\p{L}+(?:ed|en)|got|put|done|ever)\b)|owns|is on|works on)\b/giu,
    "unassigned $1",
  ],
  [
    /\badd ([\w-]+(?:(?:, | and |, and )[\w-]+)*) (?:as (?:an? )?(?:labels?|tags?) (?:to|on)|to the (?:labels|tags) (?:of|on)) (?=[A-Z]\w*-\d|it\b|this\b|that\b)/giu,
    "add the labels $1 to ",
  ],
  [
    /\b(?:and|then) (?:tell (?:him|her|them)(?= in a)|let (?:him|her|them) know)(?: in a (?:comment|note))? that\b/giu,
    "and comment on it:",
  ],
  [
    /\b(?:and|then) (?:tell (\p{L}+)(?= in a)|let (\p{L}+) know)(?: in a (?:comment|note))? that\b/giu,
    "and comment on it: $1$2,",
  ],
  [/(?<=\S.{8,200}),? and who (?:has|owns|is on) (?:it|them|which|each|each of them|those)(?=\W*$)/giu, ""],
  [
    /\bput me on ([A-Z]\w*-\d+|it|this|that)(?=\s*(?:$|[,.;!]|(?:and|then|please|pls|too|as)\b))/giu,
    "assign $1 to me",
  ],
  [/\bstart ([A-Z]\w*-\d+)(?=\s*(?:[,.;!]|(?:and|then)\b)\s*\p{L})/giu, "move $1 to in progress"],
  [
    /\b(?:raise|bump|lift|lower|drop) ([A-Z]\w*-\d+|it) (?:up |down )?to (highest|high|medium|low|lowest)\b(?: prio(?:rity)?\b)?/giu,
    "set the priority of $1 to $2",
  ],
  [
    /\bmake ([A-Z]\w*-\d+) (highest|high|medium|low|lowest)\b(?: prio(?:rity)?\b)?(?=\s*(?:[,.;!]|(?:and|then)\b)\s*\p{L})/giu,
    "set the priority of $1 to $2",
  ],
  [
    /^\W*(?:(?:hi|hey|hello|so|also|and|ok)[\s,]+)*((?:the\s+)?[^,.;:!?]{3,60}?)\s+(?:has|have|needs?|must|should|ought)(?:\s+to)?\s+be\s+(?:finished|closed|done|ready|completed?|resolved|fixed|delivered|through)\s+(?:by|before|until|no later than)\s+((?:(?:the\s+)?(?:end|middle|mon|tue|wed|thu|fri|sat|sun|today|tomorrow|next|this|in|\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|eo[wmy]\b))[^,;:!?]{0,25}?)[\s.!]*$/giu,
    "set the due date of $1 to $2",
  ],
  // What somebody should look at is looked at: it is in no review by that, and nobody's.
  [
    /^\W*(?:(?:can|could|would|should)\s+)?(?:some|any)(?:body|one)\s+(?:(?:please|should|must|has to|needs to|really|could|can|would|ought to|may|might)\s+)*(?:(?:take|have|get)\s+an?\s+(?:\p{L}+\s+)?look\s+(?:at|into)|look(?:ing)?\s+(?:at|into|after)|check(?:\s+out)?|review|see to)\s+((?:the\s+)?[^,.;:!?]{3,60}?)(?:\s+(?:please|pls))?[\s?.!]*$/giu,
    "show $1",
  ],
  [
    /^\W*((?:the\s+)?(?!(?:who|what|which|when|nobody|somebody|someone|everybody|they|you|she|he)\b)[^,.;:!?]{3,60}?)\s+(?:(?:still|really|badly|also)\s+)*(?:(?:needs?|wants?|lacks?)\s+(?:some(?:body|one)(?:\s+on\s+it)?|an?\s+(?:owner|assignee|look|closer look|second look|decision)|looking\s+(?:at|into|after)|(?:some\s+)?attention)|has\s+no\s+(?:owner|assignee)|is\s+up\s+for\s+grabs)(?:,\s*(?:any\s+\p{L}+|any(?:body|one)(?:\s+\p{L}+){0,3}|who\b[^,]*))?[\s?.!]*$/giu,
    "show $1",
  ],
  [
    /^\W*(?:(?:let['’]?s|do|please|and|but|also)\s+)*(?:hold\s+off\s+on|(?:not|don['’]?t)\s+forget(?:\s+about)?)\s+((?:the\s+)?[^,.;:!?]{3,60}?)(?:\s+for\s+now)?[\s.!]*$/giu,
    "show $1",
  ],
  // What shall not be done, and what shall instead.
  [
    /^\W*(?:(?:please|pls|and)\s+)*(?:don['’]?t|do\s+not)\s+(?:assign|give|hand|pass|close|move|set|make|put|change|start|delete)\s+([A-Z]\w*-\d+|(?:the\s+)?[^,.;:!?]{3,50}?\s(?:ticket|issue|bug|task|story|one))\b[^,.;:!?]{0,40}?(?:,|\s+but|\s+[–-])\s+(?:but\s+)?(?:(?:rather|instead|just|please)\s+)*(assign|give|hand|move|set|make|put|change|reopen|close|start)\s+(?:it|that|this)\b\s*([^,;:!?]*?)[\s.!]*$/giu,
    "$2 $1 $3",
  ],
  [
    /^\W*not\s+\p{L}+\s+but\s+(\p{L}+)\s+(?:should|shall|must)\s+(?:get|have|do|take)\s+((?:the\s+)?[^,.;:!?]{3,60}?)[\s.!]*$/giu,
    "assign $2 to $1",
  ],
  // How it shall be said is no part of what is said.
  [
    /(?<=\b(?:comment|note|remark)\b.{10,}),\s*(?:(?:be\s+|make\s+it\s+|something\s+)?(?:friendly|nicely?|polite(?:ly)?|kindly|in\s+a\s+(?:friendly|nice)\s+way|keep\s+it\s+(?:short|friendly)))(?:\s+(?:please|pls))?(?=[\s.!]*$)/giu,
    "",
  ],
  // Comments by what they tell whom.
  [
    /\b(?:and|then)\s+(?:leave|drop|write|post|put|add)\s+an?\s+(?:\p{L}+\s+)?(?:comment|note)\s+(?:on\s+it\s+|there\s+)?(?:saying|that\s+says|that)\s+(?:that\s+)?(?!why\b)/giu,
    "and comment on it: ",
  ],
  [
    /\b(?:comment|note)\s+(?:on|to|in)\s+([A-Z]\w*-\d+|it|the\s[^,.;:!?]{3,50}?)\s+(?:telling|saying\s+to|asking|reminding)\s+(\p{L}+)\s+to\s+/giu,
    "comment on $1: $2, please ",
  ],
  [
    /\btake\s+([A-Z]\w*-\d+|it|the\s[^,.;:!?]{3,50}?)\s+out\s+of\s+(?:its|the)\s+epic\b/giu,
    "remove $1 from its epic",
  ],
  [
    /^\W*((?:the\s+)?[^,.;:!?]{3,60}?)\s+(?:should|must)\s+(?:live|go|be|sit|belong)\s+(?:in|under|to)\s+(the\s+[^,.;:!?]{3,50}?\s+epic)(?:\s+please)?[\s.!]*$/giu,
    "put $1 in $2",
  ],
  [
    /\b(?:bump|push|move|shift|postpone|delay)\s+([A-Z]\w*-\d+(?:(?:,\s*|\s+and\s+|\s*&\s*)[A-Z]\w*-\d+)*)\s+(?:back\s+)?(an?|one|two|three|four|\d{1,2})\s+(days?|weeks?|months?)\b/giu,
    "push $1 by $2 $3",
  ],
  [
    /^(\W*(?:if|unless)\s+(?:nobody|no[ -]one|some(?:body|one)|any(?:body|one)|it|this|that|[A-Z]\w*-\d+|the\s)[^,;:!?]{3,60}?)\s+(?=(?:then\s+|please\s+)?(?:give|assign|close|move|set|make|mark|start|reopen|bump|raise|lower|put)\s+(?:it|this|that|[A-Z]\w*-\d+)\b)/giu,
    "$1, ",
  ],
  [
    /\b(epics|issues|tickets|bugs|tasks|stories)\s+with\s+(?:an?\s+)?(?:due\s+date|deadline)\s+(before|by|until|after)\b/giu,
    "$1 due $2",
  ],
  [/\bhand\s+((?:the\s+)?[^,.;:!?]{3,50}?)\s+over\s+to\b/giu, "hand $1 to"],
  [/^(\W*i(?:['’]ll|\s+will)\s+(?:take|do|grab)\s+(?:the\s+)?[^,.;:!?]{3,60}?)\s+myself(?=\W*$)/giu, "$1"],
  [/\b(before|by|until)\s+(?:the\s+)?new\s+year(?:['’]s(?:\s+(?:eve|day))?)?(?=\W*$)/giu, "$1 january 1"],
  [
    /\b(?:stuff|things|everything|anything|whatever|issues|tickets)\s+(?:that\s+)?(?:(?:has|have|was|were)\s?n['’]?o?t\s+been|not)\s+(?:touched|updated|changed|edited)\s+(?:for|in|since)\s+(?:more\s+than\s+|over\s+)?(an?|one|two|three|six|\d{1,3})\s+(days?|weeks?|months?)(\s+and\s+(?:is|are)\s+still\s+open)?/giu,
    "open issues not updated for $1 $2",
  ],
  [
    /^\W*([A-Z]\w*-\d+)(?:['’]s)?\s+(description|title|summary)\s+(?:should|must)\s+(?:just\s+)?(?:say|read|be)\s*:\s+(?=\S)/giu,
    "set the $2 of $1 to: ",
  ],
  [
    /^\W*((?:the\s+)?(?!(?:it|this|that|what|which|who|when|where|why|how|every\w*|nothing|any\w*|some\w*|all|whatever|is|are|if|because|since|as|and|only|list|show|find|count|search|my|our|one|next)\b)[^,.;:!?]{3,60}?)\s+(?:is|are)\s+(?:now\s+)?due\s+(?:on\s+|by\s+)?((?:(?:the\s+)?(?:end|middle|mon|tue|wed|thu|fri|sat|sun|today|tomorrow|next|this|in\s+\d|\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|eo[wmy]\b))[^,;:!?]{0,25}?)[\s.!]*$/giu,
    "set the due date of $1 to $2",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:label|tag)\s+(the\s+[^,.;:!?]{2,50}?\s+(?:ticket|issue|bug|task|story|incident|epic|one))\s+(?!(?:as|with|in|on|for|from|of|about|to|that|which|is|and)\b)(["'“]?[\p{L}\d_-]+["'”]?)[\s.!]*$/giu,
    "add the label $2 to $1",
  ],
  [
    /^(?:[^.!?]*[.!?]\s+)?(?:so\s+)?([A-Z]\w*-\d+\s+(?:is\s+|now\s+)*(?:an?\s+)?(?:duplicates?|blocks|blocked by|relates to|related to|depends on|caused by|causes)\b[^.!?,;]{0,20}[A-Z]\w*-\d+)[,.;]\s*(?:so |and )?(?:please|pls|can you|could you)\s+(?:link|record|note|mark|set|make)\s+(?:it|them|that|this)(?:\s+(?:so|like that|accordingly|that way|visible))?\W*$/giu,
    "$1",
  ],
  // What a field of a record is now, or shall be.
  [
    /^\W*(?:(?:ok|so|please|pls|update|fyi)[\s,:]+)*(?:the\s+)?(?:due date|deadline)\s+(?:(?:of|for|on)\s+|(?=[A-Z]\w*-\d))([^:;!?]{3,50}?)\s*(?::|\s(?:is|has)\s+(?:now|moved to|changed to)|\s+moves to|\s*(?:=|->|→)|\sis(?=\s[^:;!?]+\s(?:now|instead)\W*$))\s+(?:now\s+)?([^:;!?]{3,30}?)(?:\s+(?:now|instead))?[\s.!]*$/giu,
    "set the due date of $1 to $2",
  ],
  [
    /\b(?:take|remove|drop)\s+(?:the\s+)?([\w-]+)\s+(?:label|tag)\s+(?:off|from)\s+(?:of\s+)?(?=[A-Z]\w*-\d|it\b|this\b|that\b|the\s)/giu,
    "remove the label $1 from ",
  ],
  [
    /\b(?:take|remove|drop)\s+([A-Z]\w*-\d+)['’]s\s+([\w-]+)\s+(?:label|tag)(?:\s+off)?(?=\s*(?:$|[,.;!]))/giu,
    "remove the label $2 from $1",
  ],
  [
    /\b(?:mark|flag|set)\s+([A-Z]\w*-\d+|it|this)\s+as\s+related\s+(?:to|with)\s+(?=\S)/giu,
    "link $1 relates to ",
  ],
  [
    /\b((?:leave|add|put|drop|write)\s+an?\s+(?:\p{L}+\s+)?(?:note|comment))\s+(?:at|with|under|by)\s+(?=the\s|[A-Z]\w*-\d)/giu,
    "$1 on ",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:(?:re)?assign|give|hand|pass|move)\s+(?:all|everything|whatever)\s+(?:that\s+)?(\p{L}+)\s+(?:has|owns|is\s+working\s+on)(?:\s+(?:that['’]s|that\s+is|which\s+is)?\s*still\s+(?:to\s+do|open))?((?:\s+(?:in|of)\s+(?:the\s+)?[\p{L}\d ]{2,20}?)?)(?:\s+(?:that['’]s|that\s+is|which\s+is)\s+still\s+(?:to\s+do|open))?\s+(?:over\s+)?to\s+(?=\p{L})/giu,
    "give all of $1's issues$2 to ",
  ],
  [
    /^[^:"“”]{4,120}?[\s.…,–-]+(?:(?:oh|ah|no|actually|hm+|wait)[\s,]+)*(?:never ?mind|(?<!\b(?:not|never|\p{L}+n['’]?t)\s)forget (?:it|that)|scratch that)[\s.!]*$/giu,
    "never mind",
  ],
  [
    /\b(?:set|put|mark)\s+(it|this|that|[A-Z]\w*-\d+)\s+(done|closed|in progress|in review|to do|won['’]?t do)(?=\s*(?:$|[,.;!]|and\b|then\b|please\b|pls\b|now\b))/giu,
    "move $1 to $2",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you|ok|and)\s+)*ask\s+(\p{L}+)\s+(?:on|in|under)\s+((?:the\s+)?[^,.;:]{3,40}?\s(?:ticket|issue|bug|story|task)|[A-Z]\w*-\d+),?\s+(?=(?:whether|if|when|why|how|what|who|where)\b)/giu,
    "comment on $2: $1, ",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you|ok|and)\s+)*(?:tell|ask|remind|nudge)\s+(?!(?:them|him|her|people|everyone|everybody|me|us|the)\b)(\p{L}+(?:(?:,\s*|\s+and\s+)\p{L}+)?)\s+(?:on|in|under)\s+([A-Z]\w*-\d+|the\s+[^,.;:]{3,40}?\s(?:ticket|issue|bug|story|task)),?\s+to\s+(?=\p{L}+)([^?]*)\??\s*$/giu,
    "comment on $2: $1, please $3",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you|ok|and)\s+)*let\s+(?!(?:them|him|her|people|everyone|everybody|me|us|the)\b)(\p{L}+(?:(?:,\s*|\s+and\s+)\p{L}+)?)\s+know\s+(?:on|in|under)\s+([A-Z]\w*-\d+|the\s+[^,.;:]{3,40}?\s(?:ticket|issue|bug|story|task)),?\s+(?:that\s+)?(?=\S+\s+\S)/giu,
    "comment on $2: $1, ",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you|ok|and)\s+)*tell\s+(?!(?:them|him|her|people|everyone|everybody|me|us|the)\b)(\p{L}+(?:(?:,\s*|\s+and\s+)\p{L}+)?)\s+(?:on|in|under)\s+([A-Z]\w*-\d+|the\s+[^,.;:]{3,40}?\s(?:ticket|issue|bug|story|task)),?\s+(?:that\s+)?(?=\S+\s+\S)/giu,
    "comment on $2: $1, ",
  ],
  [
    /^\W*([A-Z]\w*-\d+)\s+due\s+(?:on\s+|by\s+)?([^,;:!?]{3,25}?)\s+(?:instead|now|then)\W*$/giu,
    "set the due date of $1 to $2",
  ],
  [
    /^\W*((?:the\s+)?\p{L}[^,.;:>"“-]{3,50}?)\s*(?:->|→|=>)\s*(won['’]?t do|done|in progress|in review|to do|backlog)(?=\W*$|\s*,)/giu,
    "move $1 to $2",
  ],
  [
    /^\W*what(?:['’]?s|\s+is)\s+on\s+(?!every|any|some)(\p{L}{3,}?)['’]?s\s+(?:plate|desk|table|list)(?:\s+(?:now|right now|today|at the moment))?\W*$/giu,
    "open issues assigned to $1",
  ],
  [
    /^\W*(?!(?:create|open|add|file|new|make|an?|another|move|give|hand|pass|put|set|send|push|bring|take|rename|tag|label|close|reopen|start|delete|remove|change|bump|turn|convert|(?:re|un)?assign|link|connect|show|comment|any|the first|first|last|which|what|is|in)\b)((?:the\s+)?[^,.;:!?]{3,40}?\s(?:ticket|issue|bug|task|story))\s+to\s+(?!(?:do|done|progress|in|review|backlog|be|fix|the|high\w*|low\w*|medium)\b)(\p{L}+)(?=\W*$|,\s)/giu,
    "assign $1 to $2",
  ],
  // "Guest checkout assignee?"
  [
    /^\W*((?:the\s+)?(?!(?:no|any|which|what|who|whose|its|with|without|missing|has|is|and|by|per|how|my|the)\b)[^,.;:!?]{3,50}?)(?<!\b(?:by|per|and|or|the|of|with|without|no|its|each|to|as|new|other|any|an))\s+(assignee|owner|reporter|prio|priority|due date|deadline)\s*\?+\s*$/giu,
    "what is the $2 of $1?",
  ],
  [
    /^\W*is there (?:an?|any) (assignee|owner|due date|deadline) (?:on|for|of) ([^,.;:!?]{3,50}?)\s*\?*\s*$/giu,
    "what is the $1 of $2?",
  ],
  [
    /^\W*(?:(?:may|might|can|could) i ask|i (?:was|am) wondering|tell me|do you know)\s+(?=(?:what|which|who|when|where|why|how)\b)/giu,
    "",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:take off|take|remove|drop)\s+(?:the\s+)?label\s+([\w-]+)\s+(?:off|from|on|of)\s+([^,.;:]{4,50}?),?\s+and\s+(?:put|add)\s+(?:the\s+)?(?:label\s+)?([\w-]+)(?:\s+(?:on|instead))*\W*$/giu,
    'replace the label "$1" with "$3" on $2',
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you)\s+)*connect\s+([^,.;:]{4,50}?)\s+(?:with|and|to)\s+([^,.;:]{4,50}?)(?:\s*,\s*they are related)?\W*$/giu,
    "link $1 relates to $2",
  ],
  [
    /^\W*(?:(?:please|pls|kindly|can you|could you)\s+)*(?:raise|lower|bump|set|make|change)\s+(?:the\s+priority\s+of\s+)?(?:all\s+(?:of\s+)?)?(my\s+[^,.;:]{0,40}?(?:issues|tickets|bugs|tasks|stories)[^,.;:]{0,40}?)\s+(?:to\s+)?(highest|high|medium|low|lowest)(?:\s*,\s*only those)?(?:\s+(?:please|pls))?\W*$/giu,
    "list $1; set them to $2",
  ],
  [
    /^\W*what(?:['’]?s|\s+is)\s+the\s+(?:status|state)\s+of\s+(the\s+[\p{L}\d-]+\s+one)\s*\?*\s*$/giu,
    "show $1",
  ],
  [/\b(are|is|do|does|was|were|has|have|did)nt\b/giu, "$1n't"],
  [
    /^\W*((?:please|pls|can you|could you|also|and)\s+)*(?:add|note|write|put) (?:as a comment|in a comment|as a note) that\b/giu,
    "comment on it that",
  ],
  [
    /\btake (?:me|myself|him|her|them) off (?=(?:the )?[\p{L}\d-])(?!(?:the )?(?:list|table|menu|agenda|plan)\b)/giu,
    "unassign ",
  ],
  [
    /\b(?:write|note|mention|add|say|put|comment)\s+(?:down\s+)?(?:in\s+)?there\s+that\b/giu,
    "comment on it that",
  ],
  [/(?<=\p{L}) \+ (?=\p{L})/giu, " and "],
  [
    /\s*(?:[&+]|\bplus)\s+(?=(?:(?:re|un)?assign|give|hand|move|set|put|make|close|reopen|start|resolve|finish|rename|retitle|label|tag|comment|add|remove|delete|link|create|bump|raise|lower|mark|change|update|push|show|list|find)\s)/giu,
    ", then ",
  ],
  [/^\W*(?:i would like|i['’]d like),? (?:if [^,]{3,40},\s*)?to see\s+/giu, "show "],
  [
    /^\W*(?:and\s+)?(?:which|who) of (?:those|them|these) (?:has|have|is with|are with|belongs? to) (?:nobody|no[ -]one|no owner|no assignee)\W*$/giu,
    "only unassigned",
  ],
  [
    /\b(?:stick|slap|throw|pop|chuck|whack|put)\s+(?:the|an?)\s+(?:(?:label|tag)\s+([\p{L}\d_-]+)|([\p{L}\d_-]+)\s+(?:label|tag))\s+(?:on|onto)\s+((?:the\s+)?[\p{L}\d-]+(?:\s+one)?)(?:\s+(?:too|as well))?(?=\W*$|[,.;])/giu,
    "add the label $1$2 to $3",
  ],
  [
    /^\W*(?:the )?(first|second|third|fourth|fifth|last)(?: one)?\s*[:,–-]\s*(open|show|close|assign|delete|reopen|start|move|read)\b(?: it\b)?/giu,
    "$2 the $1 one",
  ],
  [/^\W*(?:labels?|tags?) ([\p{L}\d_-]{3,})\W*$/giu, "issues with the label $1"],
  [
    /^(.{5,80}),\s*(?:please )?(?:show|list|give) (?:me |us )?(?:them|those)(?:,? please)?[\s.!]*$/giu,
    "show $1",
  ],
  [/,\s*which (?:are they|ones)\W*$/giu, ""],
  [
    /^\W*(?:under|on|to|in|at) ((?:the )[^,:]{2,30}? (?:one|ticket|issue|task|bug|story)|it|this|that|[A-Z]\w*-\d+),?\s+(?:please )?(?:write|note|add|comment|say|post)(?=:\s|\s+that\b)/giu,
    "comment on $1",
  ],
  [
    /^.*?([A-Z]\w*-\d+).*?\b((?:one|two|three|four|five|six|\d{1,2}) (?:days?|weeks?|months?)) from (?:today|now)\b.*\b(?:set|change|adjust|update|move) (?:the|its) (?:due date|deadline)(?: accordingly)?\W*$/gisu,
    "set the due date of $1 to in $2",
  ],
  [
    /^\W*i(?:['’]ve| have)? (?:just )?found an? (?:new )?(?:bug|problem)((?: in (?:the )?[\p{L} ]{2,20})?)(?=:\s)/giu,
    "create a bug$1",
  ],
  [
    /^\W*(?:can|may|could|should|shall|(?:is it|would it be) (?:ok(?:ay)?|fine|alright) if) i (?:take|have|grab|pick up|get) ((?:the )?[A-Z]\w*-\d+|it|this one|that one)(?: over| up)?(?: please)?\W*$/giu,
    "assign $1 to me",
  ],
  [
    /^\W*(?:the )?(?:high(?:est)?|most (?:urgent|important)|urgent|important)(?: (?:prio(?:rity)?|ones?|tickets|issues|bugs))* first(?:,? please)?\W*$/giu,
    "sorted by priority",
  ],
  [
    /\bwhat(?:['’]?s|\s+is)\s+on\s+my\s+(?:plate|desk|table|list)(?:\s+(?:for\s+)?(?:today|now|right now|at the moment|this week))?(?=\W*$)/giu,
    "show my open issues",
  ],
  [
    /^\W*what(?:['’]?s|\s+is|\s+do\s+i\s+have)\s+(?:on|up|there)\s+for\s+me(?:\s+(?:today|now|this week))?\W*$/giu,
    "show my open issues",
  ],
  [
    /^\W*(?:and\s+)?which\s+(?:ones?\s+)?of\s+(?:those|these|them)\s+(?:are|is)\s+due\s+(?:first|next|soonest)\W*$/giu,
    "sorted by due date",
  ],
  [
    /\b(which\s+of\s+(?:those|these|them))\s+(?:does|is|has)\s+nobody\s+(?:work(?:s|ing)?\s+on|taken|got|on)(?:\s+(?:yet|now|already))?(?=\W*$)/giu,
    "$1 have no assignee",
  ],
  // "Put the one about Swish on my list"
  [
    /\b(?:put|take)\s+([^,.;:?!]{3,60}?)\s+(?:on|onto)\s+my\s+(?:list|plate|desk|pile)(?=\s*(?:$|[,.;!?]|and\b|please\b))/giu,
    "assign $1 to me",
  ],
  // "DEMO-1 isn't a regression, take that label off"
  [
    /^\W*([^,.;:?!]{3,60}?)\s+(?:is|are)(?:n['’]?t|\s+not|\s+no\s+longer)\s+(?:(?:really|actually|even)\s+)?(?:an?\s+)?([\w-]+)(?:\s+any\s?more)?\s*[,;.–-]\s*(?:(?:so|please|pls|can you|could you)\s+)*(?:take|remove|drop|get)\s+(?:that|the)\s+(?:label|tag)(?:\s+(?:off|away|from\s+it|again|please|pls))*\W*$/giu,
    "remove the label $2 from $1",
  ],
  [
    /^\W*(?:(?:and|also|please|pls|can you|could you)\s+)*(?:take|get|pull)\s+(?:the\s+)?(?:(?:label|tag)\s+([\w-]+)|([\w-]+)\s+(?:label|tag))\s+off(?:\s+(?:again|please|pls|it|that))*\W*$/giu,
    "remove the label $1$2 from it",
  ],
  // "What's the story with the alert at night?"
  [/\bwhat(?:['’]?s|\s+is)\s+the\s+(?:story|deal|situation)\s+(?:with|behind)\s+(?=\S)/giu, "show "],
  [
    /^\W*(?:(?:ok(?:ay)?|so|then|and|maybe)\s+)*let['’]?s\s+(?:do|make|have|finish)\s+(it|that|[A-Z]\w*-\d+)\s+(?:earlier|sooner|later)\s*[,:–-]?\s*(?:(?:on|by|to|until)\s+)?(?=[^,;:?!]*(?:\d|day\b|week\b|tomorrow\b))([^,;:?!]{3,30}?)\W*$/giu,
    "set the due date of $1 to $2",
  ],
  // "9. Dezember", as neighbours write it
  [/(?<=\b\d{1,2}(?:st|nd|rd|th|\.)?\s(?:of\s)?)dezember\b/giu, "december"],
  // "…, ticket or wiki?": everywhere is looked anyway.
  [
    /,\s*(?:in\s+|as\s+)?(?:an?\s+|the\s+)?(?:tickets?|jira|issues?|bugs?|pages?|wiki|confluence|docs?)\s*(?:or|and|\/)\s*(?:in\s+|as\s+)?(?:an?\s+|the\s+)?(?:tickets?|jira|issues?|bugs?|(?:wiki\s+)?pages?|wiki|confluence|docs?)(?=\s*\?*\s*$)/giu,
    "",
  ],
  [
    /^\W*(?:the )?(oldest|newest|latest|most recent)(?: (?:ones?|issues|tickets|bugs|stories))* first(?:,? please)?\W*$/giu,
    "$1 first",
  ],
  [
    /^\W*(?:(?:nice|ok|good|and|please|pls|then)\W+)*(?:answer|reply|respond)(?: (?:to )?(?:him|her|them|that))?(?: (?:there|to it|on it|in the ticket))?(?=:\s)/giu,
    "comment on it",
  ],
  [
    /^\W*([A-Z]\w*-\d+) (?:must|has to|needs to|should) be \p{L}+ before (?:the )?([A-Z]\w*-\d+)\b[^.;!?,]{0,30}[.;,!]\s*(?:so |and )?(?:please|pls|can you|could you)\s+(?:make|add|set|create|put|link)\s+(?:(?:the|a|this|that)\s+)?(?:block(?:ing|er)?\s+)?(?:link|it|them)(?: so)?\W*$/giu,
    "link $1 blocks $2",
  ],
  [/\bduplicate from (?=[A-Z]\w*-\d)/giu, "duplicate of "],
  [
    /\bwhat else (?:belongs to|goes in(?:to)?|sits in|is (?:under|part of)) (?:that|the same|the|this|its) epic\b/giu,
    "what else is in that epic",
  ],
  [
    /\bwhat (?:in|of|under) (?:it|there|that|this) (?=(?:is|are|has|have|hasn['’]t|isn['’]t)\b)/giu,
    "which of those ",
  ],
  [
    /^\W*how far (?:along )?(?:are we|have we got(?:ten)?|did we get|is everybody) (?:with|in|on) (?:the )?(?=\S)/giu,
    "how far is ",
  ],
  [
    /^\W*what (?:is|are) the (?:next|upcoming) (two|three|four|five|six|ten|\d{1,2}) (?:deadlines|due dates)\b/giu,
    "the first $1 open issues by due date",
  ],
  [
    /,?\s*(?:and |but )?(?:leave|leaving) out (?:what(?:['’]s| is)|the|those|everything|all)(?: that(?:['’]s| is| are)?)? (?:already )?(?:done|closed|finished)(?: ones| issues)?\b/giu,
    ", only open ones",
  ],
  [
    /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:put|add|note|write) (?:something|this|an? (?:item|reminder|to-?do|entry|card)) (?:down )?(?:on|to|in|into|for) (?:the |our )?([\p{L}\d ]{2,20}?) (?:board|backlog|list|project|queue)(?: [^:]{0,60})?(?=:\s)/giu,
    "create a task in $1",
  ],
  [
    /^\W*(?:sorry,?\s*)?(?:just )?(?:one|two|three|a few|a couple of|some|\d) (?:small |quick |more )?(?:things?|changes|points|requests|updates) (?:about|on|for|regarding|concerning|to) ([^.:?!]{3,60})[.:]\s+/giu,
    "$1: ",
  ],
  [
    /^\W*(?:is it|would it be|is that) (?:ok(?:ay)?|fine|possible|alright|all right)(?: with (?:you|everyone|everybody))? (?:if (?:we|i)|to)\s+(?=.*(?:[A-Z]\w*-\d|\b(?:it|this|that|tickets?|issues?|bugs?|stor(?:y|ies)|tasks?|epics?|comments?|labels?|pages?)\b))/giu,
    "please ",
  ],
  [
    /^\W*(?:then|so|ok(?:ay)?)?,?\s*she (?:should|shall|can|may|must) (?:have|take|get|own|do) (it|this|that)(?: one)?(?: (?:too|as well|then|instead))?(?:[.!]*$|,(?!.*\b(?:but|if|unless|when|once|after|until|only|not|or|and)\b).*)?$/giu,
    "assign $1 to her",
  ],
  [
    /^\W*((?:the )?[^.!?]{3,60}?) (?:still )?has (?:an? |the )?(?:due date|deadline)[^.!?]*[.!?;,]\s*(?:please )?(?:remove|clear|drop|delete) (?:it|that)\b(?!.*\b(?:but|if|unless|when|once|after|until|only|not|or|and)\b).*$/giu,
    "remove the due date of $1",
  ],
  [
    /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: (?:all|team|everyone|everybody|folks|there|bot))?\s*[,.!:–-]+\s*(?=\S+\s+\S)/giu,
    "",
  ],
  [
    /,?\s*(?:whichever|whatever|no matter (?:which|what)) (?:project|space|type|status)\b(?: (?:they|it)(?:['’]re|['’]s| are| is) (?:in|of))?/giu,
    "",
  ],
  [/\bwho(?:['’]s| is)? (?:looking|looks) after\b/giu, "who is working on"],
];

/** "For checkout in DEMO only" */
const ONLY_IN =
  /\b(?:in|on)\s+(?:the\s+)?(?:[A-Z][A-Z0-9]+|wiki|jira|confluence)(?:\s+(?:project|space))?\s+only\b/gi;

/** "The newest commits, 5 are enough" as "the newest commits, last 5". */
function inPlainNumbers(message: string): string {
  const { masked } = createSheet(message);
  const found = ENOUGH.exec(masked);
  const count = found?.groups?.["count"];
  if (found === null || count === undefined || COLON.test(masked.slice(0, found.index))) return message;
  const side = /\b(?:last|latest|newest|recent\p{L}*)\b/iu.test(masked) ? "last" : "first";
  return `${message.slice(0, found.index)}, ${side} ${count}`;
}

const ENOUGH =
  /\s*[,;.–-]\s+(?:the\s+(?:first|last)\s+)?(?<count>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\s+(?:of them\s+)?(?:(?:is|are|will be|would be)\s+(?:enough|fine|plenty|sufficient|ok(?:ay)?)|(?:will|should|would) (?:do|suffice))(?:\s+for (?:now|me))?[\s.!]*$/iu;

/** "put back into the backlog:\n- WEB-12\n- WEB-15" as "put WEB-12 and WEB-15 back into the backlog". */
function inSentence(message: string): string {
  const { head = "", items = "" } = LISTED.exec(message)?.groups ?? {};
  const records = items
    .split("\n")
    .map((line) => line.replace(new RegExp(`^${ITEM}`, "u"), "").trim())
    .filter((line) => line !== "");
  const isRecord = new RegExp(`^${ONE}[.,;]?$`, "iu");
  if (records.length === 0 || !records.every((line) => isRecord.test(line))) return message;
  const all = records.map((line) => line.replace(/[.,;]$/, "")).join(" and ");
  const pointed = head.replace(
    /\b(?:these|those|the following|them)(?:\s+(?:ones|issues|tickets|files|pages))?\b/i,
    all,
  );
  if (pointed !== head) return pointed;
  const verb = /^\W*(?:(?:please|pls|can you|could you)\s+)*(\p{L}+)\b/iu.exec(head);
  const [start] = verb ?? [];
  return verb && start !== undefined && isChangeVerb((verb[1] ?? "").toLowerCase())
    ? `${start} ${all}${head.slice(start.length)}`
    : `${head} ${all}`;
}

function placedLast(message: string): string | undefined {
  const sheet = createSheet(message);
  const found = PLACED.exec(sheet.masked) ?? LED.exec(sheet.masked);
  const { place, one, preposition = "" } = found?.groups ?? {};
  const masked = found?.groups?.["rest"];
  if (found === null || masked === undefined) return undefined;
  const at = message.length - masked.length;
  const rest = message.slice(at);
  const said = message.slice(0, at);
  const named = (place ?? one ?? "").length;
  const from = sheet.masked.indexOf(place ?? one ?? "");
  const what = message.slice(from, from + named);
  // "DEMO-1: …" is read elsewhere, where it only orders; and what is dictated is left as it is.
  if (/^(?:is|are|was|were|has|have|can|could|should|must|may|will|needs?|goes|go|belongs?)\b/i.test(rest))
    return undefined;
  const lines = rest.split(/\n+/).map((line) => line.replace(new RegExp(`^${ITEM}`, "u"), "").trim());
  const [line = "", ...others] = lines.filter((each) => each !== "");
  const thing = what.replace(new RegExp(`^${preposition}\\s+`, "i"), "");
  const isPlace = new RegExp(
    `^(?:the\\s+)?(?:${KIND}\\s+)?(?:${PATH}|${REPO})$|^(?:the\\s+)?${KIND}\\s+[A-Z]`,
    "u",
  ).test(thing);
  const isVague = place === undefined || (isPlace && /^(?:for|on|at|from|of)$/i.test(preposition));
  const added = isVague
    ? `${isPlace ? "in" : "of"} ${thing}`
    : what.toLowerCase().slice(0, preposition.length) + what.slice(preposition.length);
  if (others.length > 0) return [line, ...others].map((each) => behind(each, added)).join("; ");
  if (/\n/.test(said)) return behind(line, added);
  const pronoun = place === undefined && !isPlace ? PRONOUN.exec(createSheet(rest).masked) : null;
  if (pronoun)
    return `${rest.slice(0, pronoun.index)}${what}${rest.slice(pronoun.index + pronoun[0].length)}`;
  return place === undefined && !isPlace ? undefined : behind(rest, added);
}

/** The sentence with the place at its end, before what is dictated and the mark. */
function behind(sentence: string, place: string): string {
  const { masked } = createSheet(sentence);
  const colon = COLON.exec(masked)?.index;
  const joint = /(?:,?\s+(?:and\s+)?then\s+|;\s+|,\s+and\s+)(?=\p{Ll})/u.exec(masked);
  if (joint && (colon === undefined || joint.index < colon))
    return `${behind(sentence.slice(0, joint.index), place)}${joint[0]}${behind(sentence.slice(joint.index + joint[0].length), place)}`;
  const end = colon ?? sentence.replace(/[\s.?!]+$/, "").length;
  return `${sentence.slice(0, end)} ${place}${sentence.slice(end)}`;
}

const MODAL =
  "(?:can|could|may|might|must|should|shall|needs?\\s+to|ha(?:s|ve)\\s+to|ought\\s+to|(?:is|are)\\s+to)(?:\\s+(?:now|also|please|already|finally))?";
const DONE = new RegExp(`^\\W*(${ALL})\\s+${MODAL}\\s+be\\s+(\\p{L}+(?:ed|en|t))(?![\\p{L}])(.*)$`, "isu");
/** "…, can you hook it up": that it is done. */
const HOOK =
  "(?:[,;.–-]\\s+(?:so\\s+)?(?:(?:please|pls|can you|could you|would you)\\s+)*(?:hook|link|attach|connect|add|put|move)\\s+(?:it|them)(?:\\s+(?:up|there|together|in|over))?(?:,?\\s+(?:please|pls))?[\\s.!?]*)?";
const GOES = new RegExp(
  `^\\W*(${ALL})\\s+(?:${MODAL}\\s+)?(?:go(?:es)?|comes?|belongs?|moves?)\\s+(?:back\\s+)?((?:in|into|to|under|onto)\\s+(?:the\\s+)?(?:${KIND}|backlog)\\b[^,;:?]*)${HOOK}$`,
  "isu",
);
/** "Issue 12 is done, please close it" */
const TOLD = new RegExp(
  `^\\W*(${ONE})\\s+(?:is|are|was|has|have|looks?)\\b(?!\\s+(?:now\\s+)?(?:ready|up|waiting)\\s+for\\s+(?:a\\s+|the\\s+)?review)[^,;.:?]{1,60}[,;.–-]+\\s*(?:(?:so|and|please|pls|you can|can you|could you)\\s+)*(?!(?:update|change|edit|set|mark|fix|note|record|check|label|tag|put|add)\\b)(\\p{L}+)\\s+(?:it|this)(?=[\\s.!]|$)([^,;:]*)$`,
  "isu",
);
/** "Label page 12 as howto" */
const LABELLED = new RegExp(
  `^\\W*(?:(?:please|pls)\\s+)*(?:label|tag)\\s+(?:the\\s+)?((?:${NUMBERED})${WITHIN})\\s+(?:as|with)\\s+([\\w-]+)[\\s.!]*$`,
  "iu",
);
/** "Note as an insight: …" */
const NOTED =
  /^\W*(?:(?:please|pls)\s+)*(?:note|store|save|record|remember|keep|write|log)(?:\s+(?:down|this|it|that))*\s+as\s+(an?|the)\s+(\p{L}+)\s*:\s+(?=\S)/iu;
const NEW =
  "(?:branch|folder|directory|dir|repo(?:sitory)?|file|issue|ticket|page|version|release|sprint|label|filter|entity|node|fork|project|space|board|milestone|tag)";
/** "We've sold the printer, so the page “…” is obsolete. Delete it, please!" */
const OBSOLETE = new RegExp(
  `^(?!.*\\b(?:if|unless|not|never|maybe|perhaps|said|says|thinks?)\\b)\\W*(?:[^.;:?${QUOTED}]{1,80}[,.]\\s+)?(?:so\\s+|and\\s+)?the\\s+(?:wiki\\s+)?page\\s+(?<page>${QUOTED}+)\\s+is\\s+(?:now\\s+|completely\\s+)?(?:obsolete|outdated|useless|superfluous|out\\s+of\\s+date)\\s*[.;,!–-]\\s+(?:so\\s+)?(?:(?:please|pls)\\s+)?(?:delete|remove|bin|trash)\\s+it(?:,?\\s+(?:please|pls))?[\\s.!]*$`,
  "iu",
);
const NEEDED = new RegExp(
  `^\\W*(?:(?:please|pls|hi|hello|hey)[,\\s]+)*(?:i|we)(?:['’]d\\s+like|\\s+would\\s+like|\\s+(?:still\\s+)?(?:need|want))\\s+(?:to have\\s+)?(?=(?:an?|another|one)\\s+(?:new\\s+)?(?:\\p{L}+\\s+)?${NEW}\\s+(?:called|named|titled|\\uE001))`,
  "iu",
);
const SHELL: Readonly<Record<string, string>> = {
  mkdir: "create the directory",
  mk: "make",
  md: "create the directory",
};

/** "Issue 57 can be closed" as "close issue 57", "DEMO-1 goes into sprint 12" as "move DEMO-1 to sprint 12". */
function ordered(message: string): string {
  const { masked } = createSheet(message);
  const shell = /^\W*(mkdir|mk|md)\s+(?:-p\s+)?/i.exec(masked);
  if (shell) return `${SHELL[(shell[1] ?? "").toLowerCase()] ?? ""} ${message.slice(shell[0].length)}`;
  const gone = /^\W*(?:go|jump|change|get)\s+(?:back\s+)?to\s+(?=(?:the\s+)?(?:\S+\s+)?branch\b)/i.exec(
    masked,
  );
  if (gone) return `switch to ${message.slice(gone[0].length)}`;
  const page = OBSOLETE.exec(masked);
  const called = page?.groups?.["page"] ?? "";
  if (page !== null) {
    const at = masked.indexOf(called, page.index);
    return `delete the page ${message.slice(at, at + called.length)}`;
  }
  const noted = NOTED.exec(masked);
  if (noted) return `add ${noted[1] ?? "a"} ${noted[2] ?? ""}: ${message.slice(noted[0].length)}`;
  const needed = NEEDED.exec(masked);
  if (needed) return `create ${message.slice(needed[0].length)}`;
  const taken =
    /^\W*(?:(?:please|pls)\s+)*take\s+((?:the\s+)?(?:labels?|tags?)\s+\S+)\s+(?:off|from|away from)\s+(?=\S)/iu.exec(
      masked,
    );
  if (taken) return `remove ${taken[1] ?? ""} from ${message.slice(taken[0].length)}`;
  const asked = PAGED.exec(masked);
  if (asked !== null && !masked.includes(QUOTED))
    return `is there a ${asked[2] ?? "page"} on ${asked[1] ?? ""}?`;
  // "Ticket for me: clean up the old flags"
  const ticket =
    /^\W*(?:new\s+)?(?=(?:ticket|task|to-?do|bug|issue|story)\s+(?:for|in)\s+[^:?"“]{2,30}:\s+\S+\s+\S)/iu.exec(
      masked,
    );
  if (ticket) return `create a ${message.slice(ticket[0].length).replace(/^to-?do\b/i, "task")}`;
  const gathered = /\b(comments|attachments|labels|history)\s+(?:under|below|beneath)\s+/i.exec(masked);
  if (gathered)
    return `${message.slice(0, gathered.index)}${gathered[1] ?? ""} of ${message.slice(gathered.index + gathered[0].length)}`;
  if ((/\?\s*$/.test(masked) && !GOES.test(masked)) || masked.includes(QUOTED)) return message;
  const labelled = LABELLED.exec(masked);
  if (labelled) return `add the label ${labelled[2] ?? ""} to ${labelled[1] ?? ""}`;
  const [, things = "", done = "", more = ""] = DONE.exec(masked) ?? [];
  const verb = verbOf(done.toLowerCase());
  const how = /^(?:label|tag)$/.test(verb ?? "") && !/^\s+(?:as|with)\b/i.test(more) ? " as" : "";
  if (verb !== undefined) return `${verb} ${things}${how}${more}`;
  const [, told = "", order = "", rest = ""] = TOLD.exec(masked) ?? [];
  // "DEMO-4 looks like one for Emi, give it to her": who that is stands in what is told.
  if (isChangeVerb(order.toLowerCase()) && !/\b(?:him|her|them)\b/i.test(rest))
    return `${order.toLowerCase()} ${told}${rest}`;
  const [, moved = "", place = ""] = GOES.exec(masked) ?? [];
  return moved === "" ? message : `move ${moved} ${place.replace(/^(?:in|into|onto)\b/i, "to")}`;
}

/** "The warehouse asks how to set up the scanners, is there a page I can send them?" */
const PAGED =
  /^[^,;.?]{0,40}?\b(how\s+(?:to|we|do)\b[^,;.?]{5,80}?)[,;.–-]+\s+(?:and\s+)?(?:is there|do we have|have we got|got|any chance (?:of|there is))\s+(?:an?|any|some)\s+(?:wiki\s+)?(page|doc|document|article|guide|write-?up)\b[^,;.?]*\?\s*$/iu;

/** "close" of "closed", where that is an order that changes something. */
function verbOf(done: string): string | undefined {
  const bases = [
    done.replace(/d$/, ""),
    done.replace(/ed$/, ""),
    done.replace(/(.)\1ed$/, "$1"),
    done.replace(/en$/, "e"),
    done,
  ];
  return bases.find((each) => each !== done && isChangeVerb(each));
}
