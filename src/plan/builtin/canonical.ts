import type { KnownName } from "#contract/plan.ts";
import { anyOf } from "../../base/matching.ts";
import { DICTATES } from "./padding.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { isNew, likeliestIssue, textAt } from "./titles.ts";
import { folded } from "./value-kinds.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

/** Where an order begins. */
const STARTS =
  "(?<=^\\W{0,9}|[.;!?]\\s+|\\b(?:and|then|please|pls)\\s+|\\b(?:can|could|would|will)\\s+(?:you|we|i)\\s+|\\b(?:need|want|like)\\s+(?:you\\s+)?to\\s+)";
/** Behind these the word for a thing is a part of its name ("the login ticket DEMO-4"), or what it names is new. */
const NAMED =
  "(?<!\\b(?:an?|the|our|my|new|another)\\s+(?:(?!(?:and|or|to|is|of|on|for|with|from|by|in)\\s)[\\p{L}-]+\\s+){0,4})";

/** What was said before it is not meant. */
const TAKES_BACK =
  "\\s*(?:[,…–-]+|\\.{2,})\\s*(?:(?:sorry|oops|ups|argh|scratch\\s+that|or\\s+rather|i\\s+mean(?:t)?|no(?=\\s*[,.!:–-])|make\\s+(?:that|it))(?![\\p{L}'’])[\\s,.!:–-]*)+";

/** One of such values where another of them takes it back: "to Emi, sorry, Farid". */
function takenBack(values: string): RegExp {
  return new RegExp(
    `(?<![\\p{L}\\p{N}-])(?:${values})${TAKES_BACK}(?:(?:in)?to\\s+)?(?=(?:${values})(?![\\p{L}\\p{N}-]))`,
    "giu",
  );
}

/** What is said so wherever it stands, and how something new is asked for; all else of such a message may be its title. */
const NEW: readonly [RegExp, string][] = [
  // "Add to OPS-19's description that …"
  [
    /(?<=^\W*(?:(?:and|please|pls)\s+)*)(add|append)\s+(?:it\s+)?to\s+([A-Za-z]\w*-\d+|the\s+[^,.;:!?"“]{3,50}?\s(?:ticket|issue|bug|task|story))['’]s\s+description\b/giu,
    "$1 to the description of $2",
  ],
  // "Only the high ones and up"
  ...(
    [
      ["high", "and\\s+(?:up|above|higher)|or\\s+(?:higher|above|more|up)", "high or highest"],
      ["medium", "and\\s+(?:up|above|higher)|or\\s+(?:higher|above|more|up)", "medium, high or highest"],
      ["low", "and\\s+(?:down|below|lower)|or\\s+(?:lower|below|less|down)", "low or lowest"],
    ] as const
  ).map(([level, way, all]): [RegExp, string] => [
    new RegExp(
      `\\b(?:the\\s+)?${level}(?:\\s+(?:ones|prio(?:rity)?|issues|tickets|bugs))?\\s+(?:${way})(?=\\s*(?:$|[?.!,;]))`,
      "giu",
    ),
    all,
  ]),
  // "Which ones came in this past week"
  [
    /\b(?:which|what)\s+(ones|issues|tickets|bugs|tasks)\s+(?:have\s+|has\s+)?(?:came|come|arrived)\s+(?:in\s+)?(?:this\s+past|in\s+the\s+(?:past|last)|(?:the\s+)?past)\s+(week|month|day)\b/giu,
    "which issues were created in the last $2",
  ],
  // "Everything with login in it"
  [
    /^(\W*(?:(?:show|give|list|find|get)(?:\s+me)?\s+)?)(?:everything|anything|all)\s+(?:with|that\s+has|which\s+has)\s+(?:the\s+word\s+)?([\p{L}\d-]{3,30})\s+in\s+it(?=\s*(?:$|[?.!]))/giu,
    "$1issues about $2",
  ],
  [
    /^(\W*(?:(?:show|give|list|find|get)(?:\s+me)?\s+)?)(?:everything|anything|all)\s+(?:with|that\s+has|which\s+has)\s+(?:the\s+(?:label|tag)\s+)?([\p{L}\d-]{3,30})\s+on\s+it(?:\s+(?:that(?:['’]?s|\s+is)\s+)?(?:(?:not|n['’]t)\s+(?:yet\s+)?(?:finished|done|closed)|unfinished|(?:still\s+)?open))(?=\s*(?:$|[?.!,]))/giu,
    "$1open issues labelled $2",
  ],
  // "Hers in MOB I mean", behind a list of hers
  [/^(\W*)(?:hers|his|theirs)\s+in\s+([\p{L}\d-]{2,20})(?:\s+i\s+mean(?:t)?)?[\s?.!]*$/giu, "$1only in $2"],
  // "Open issues labelled security, need it for the audit call at 2": what for
  [
    /(?<=^\W*(?:(?:please|pls)\s+)?(?:everything|anything|all|show|list|find|which|what|who|my|open|issues|tickets|bugs)\b[^,.;:?"“]*),\s+(?:i\s+|we\s+)?need\s+(?:it|this|that|them|the\s+list)\s+(?:for|before|by|in)\s+[^,.;:?"“]+$/giu,
    "",
  ],
  // "Or just close it as won't do": another order for it
  [
    /^(\W*)or\s+(?:(?:just|rather|maybe|better|perhaps|simply)\s+)+(?=(?:close|move|set|give|assign|make|put|drop|start|label|change|mark)\s[^?]*$)/giu,
    "$1",
  ],
  // "…'s due date to Friday, still waiting for the review": why, and no state
  [
    /(?<=\S),\s+(?:it['’]?s\s+|i['’]?m\s+|we['’]?re\s+)?still\s+waiting\s+(?:for|on)\s+(?:the\s+|a\s+|an\s+)?[^,.;:?!"“]{3,40}[\s.!]*$/giu,
    "",
  ],
  // "Prio on all my in review stuff to highest"
  [
    /^(\W*(?:(?:please|pls|and)\s+)*)prio(?:rity)?\s+(?:on|of|for)\s+(?:all\s+)?(?:of\s+)?my\s+([^,.;:?"“]{0,30}?)\s*(?:stuff|things|issues|tickets|ones)\s+(?:goes\s+)?to\s+(highest|high|medium|low|lowest)(?:,\s+(?!.*\b(?:but|except|not|without|only|if|unless)\b)[^:?"“]*)?[\s.!]*$/giu,
    "$1set all my $2 issues to $3",
  ],
  // 'Take the "regression" label off DEMO-1, wasn't one. And put postgres on it instead'
  [
    /^(\W*(?:(?:please|pls|and|can\s+you|could\s+you)\s+)*)(?:take|remove|drop)\s+(?:the\s+)?["“'‘]?([\p{L}\d-]+)["”'’]?\s+(?:label|tag)\s+(?:off|from)\s+([^,.;:?"“]{3,50}?)(?:,\s+(?:it\s+)?was\s?n['’]?t\s+one)?(?:[,.;]?\s+and|[,.;])\s+(?:put|add|set)\s+(?:the\s+(?:label|tag)\s+)?["“'‘]?([\p{L}\d-]+)["”'’]?(?:\s+(?:on|to)\s+(?:it|that))?(?:\s+(?:on|there))?\s+instead[\s.!]*$/giu,
    "$1replace the label $2 with $4 on $3",
  ],
  // "Who's on the mail gateway and since when"
  [
    /^(\W*(?:who(?:['’]?s|\s+is)\s+(?:on|doing|working\s+on)|who\s+has)\s+[^,.;:?"“]{3,60}?)\s+(?:and\s+)?(?:since\s+when|for\s+how\s+long)[\s?]*$/giu,
    "$1?",
  ],
  // "Leave a comment there saying …"
  [
    /^(\W*(?:(?:just|please|pls|and|ok|then)\s+)*)(?:leave|write|put|add)\s+(?:a\s+)?(?:comment|note)\s+(?:on\s+)?there\s+(?:saying|that|saying\s+that)\s+(?=\S)/giu,
    "$1comment on it that ",
  ],
  // "Push it to the day after tomorrow"; no list says it so.
  ...[
    ["(?<=\\b(?:to|until|till|by)\\s+)", "2 days from now"],
    ["(?<!\\b(?:what|which|show|list|find|any|anything|who|is|are|how)\\b.*)(?:on\\s+)?", "in 2 days"],
  ].map(([ahead = "", instead = ""]): [RegExp, string] => [
    new RegExp(`${ahead}(?:the\\s+)?\\bday\\s+after\\s+tomorrow\\b`, "giu"),
    instead,
  ]),
  [
    /^(\W*(?:(?:please|pls|and|ok|then)\W+)*)(?:write|note|put|add|say)\s+(?:there|underneath|below\s+it|under\s+it)\s*:\s*/giu,
    "$1comment on it: ",
  ],
  // "Don't we have a ticket about that?"
  [
    /^(\W*(?:(?:and|but|so|wait|hm+)\W+)*)(do|does|did|is|are|was|were|has|have)n['’]?t\s+(?=(?:we|he|she|they|there|the|our)\s)/giu,
    "$1$2 ",
  ],
  [
    new RegExp(`${STARTS}start\\s+(?=an?\\s+(?:new\\s+)?(?:ticket|bug|story|epic|issue)\\b)`, "giu"),
    "create ",
  ],
  [new RegExp(`${STARTS}(?:set\\s+up|draft)\\s+(?=an?\\s)`, "giu"), "create "],
  // "We should have the label customer on DEMO-4"
  [
    /^(\W*)(?:we|it|there|that|this)\s+(?:should|must|needs?\s+to)\s+(?:have|be|get|put)\s+(?:the\s+|an?\s+)?(?:label|tag)\s+([\p{L}\d_-]+)\s+on\s+(?=[A-Za-z]\w*-\d|it\b|this\b|that\b)/giu,
    "$1add the label $2 to ",
  ],
  // "… should get the label monitoring, so I find it again"
  [
    /^(\W*)([A-Za-z]\w*-\d+|it|this|that(?:\s+one)?|["“][^"”]+["”])\s+(?:should|must|needs?\s+to|can)\s+(?:get|have|carry)\s+(?:the\s+|an?\s+)?(?:label|tag)\s+([\p{L}\d_-]+)(?:\s*,?\s+so\s+(?:that\s+)?(?:i|we|it|people|everybody|nobody|they)\s[^.:;?]{2,60})?[\s.!]*$/giu,
    "$1add the label $3 to $2",
  ],
  // "… description is only a joke. Replace it with: …"
  [
    /^(\W*)(?:the\s+)?([^,.;:?"“]{3,60}?)(?:['’]s)?\s+description\s+(?:is|was|says|reads|has)\b[^:?"“]*?[.;,–-]\s+(?:(?:so|please|pls|can\s+you|could\s+you)\s+)*(?:replace|swap|change|overwrite)\s+(?:it|that|this)\s+(?:with|by|to|for)\s*:\s+/giu,
    "$1replace the description of $2 with: ",
  ],
  // "Sorry, wrong name, I meant Farid"
  [
    /^\W*(?:(?:sorry|no|oops|ah|oh|ups|wait|hm+)[\s,.!]+)*wrong\s+(?:name|person|one)(?:\s*[,.;!–-]\s*(?:i\s+mean(?:t)?\s+)?|\s+i\s+mean(?:t)?\s+)(?=\p{L})/giu,
    "sorry, I meant ",
  ],
  // "Move MOB-4, sorry, MOB-5 to in review", "due Thursday, sorry, Friday"
  ...[
    "[A-Z]\\w*-\\d+",
    "highest|high|medium|low|lowest",
    "(?:next\\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today|(?:the\\s+)?\\d{1,2}(?:st|nd|rd|th)?(?:\\s+(?:of\\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{L}*)?",
  ].map((values): [RegExp, string] => [takenBack(values), ""]),
  // … and behind it all
  [
    new RegExp(
      `^(?!.*[A-Z]\\w*-\\d.*[A-Z]\\w*-\\d.*[A-Z]\\w*-\\d)([^"“:?]*?(?<![\\p{L}\\d-]))[A-Z]\\w*-\\d+(?![\\p{L}\\d-])([^"“:?]*?)${TAKES_BACK}([A-Z]\\w*-\\d+)[\\s.!]*$`,
      "giu",
    ),
    "$1$3$2",
  ],
  [
    new RegExp(
      `\\b((?:label|tag)\\s+)[\\p{L}\\d_-]+(\\s+(?:to|on|from|off)\\s+(?:[A-Z]\\w*-\\d+|it))${TAKES_BACK}([\\p{L}\\d_-]+)[\\s.!]*$`,
      "giu",
    ),
    "$1$3$2",
  ],
];
/** One way to say a thing that is said in several ways, with what it is said as. */
const SAME: readonly [RegExp, string][] = [
  // "Swap the customer label on MOB-9 for support"
  [
    /\b(?:swap|switch|exchange|replace|change)\s+the\s+([\p{L}\d_-]+)\s+(?:label|tag)\s+(?:on|of|from|in)\s+([A-Za-z]\w*-\d+|it|this|that|the\s+[^,.;:!?"“]{3,60}?)\s+(?:for|with|to|by|into)\s+(?:the\s+)?([\p{L}\d_-]+)(?:\s+(?:label|tag))?(?=\s*(?:$|[,.;!]|\band\b|please|pls))/giu,
    "add the label $3 to $2 and remove the label $1 from it",
  ],
  // "How many of the app issues are finished and how many still open?"
  [
    /^\W*how\s+many\s+of\s+(?:the\s+)?([^,;:!?"“]{3,50}?)\s+(issues|tickets|bugs|tasks|stories)\s+are\s+(?:finished|done|closed|fixed)\s*,?\s+and\s+how\s+many\s+(?:are\s+)?(?:still\s+)?(?:open|left|not)\s*\??\s*$/giu,
    "count $2 in the $1 epic by status",
  ],
  // "I'm taking over DEMO-4 from Farid"
  [
    /(?<=^\W*(?:(?:ok(?:ay)?|so|and|hey|hi|yes)\W+)*)i(?:['’]?m|\s+am|['’]?ll|\s+will|\s+can)?\s+tak(?:e|ing)\s+(?:over\s+([A-Za-z]\w*-\d+|it|this\s+one|that\s+one|the\s+[^,.;:!?"“]{3,60}?)|([A-Za-z]\w*-\d+|it|this\s+one|that\s+one)\s+over)\s+from\s+\p{L}+(?=\s*(?:$|[,.;!]|\band\b))/giu,
    "assign $1$2 to me",
  ],
  // "…, pls mark done and …"
  [
    /(?<=[,.;]\s+(?:and\s+|so\s+|then\s+)?(?:please\s+|pls\s+|can\s+you\s+)?)mark\s+(?=(?:as\s+)?(?:done|closed|finished|resolved)\b)/giu,
    "mark it ",
  ],
  // "Hotels in capitals may cost 200 € now, please fix the number in the expenses page", and of the page on the screen
  ...[
    [
      '(?:in|on)\\s+((?:the\\s+)?[^,.;:?"“]{3,50}?\\s+page)[^:?"“]{0,30}',
      "in $4 $2 are $3 now, can you fix that",
    ],
    ["", "$1$2 are $3 now, can you fix that"],
  ].map(([page = "", order = ""]): [RegExp, string] => [
    new RegExp(
      `^(\\W*)([^?:"“]{3,60}?)\\s+(?:(?:may|can|will|do|does|must)\\s+)?(?:costs?|starts?|begins?|ends?|takes?|lasts?|is|are)\\s+(?:at\\s+|up\\s+to\\s+)?(\\d[\\d.,:]*(?:\\s*(?:€|\\$|£|%|\\p{L}{1,8}(?=\\s+(?:now|from|these))))?)\\s+(?:now|from\\s+now\\s+on|these\\s+days)(?![\\p{L}])(?:(?!\\bpage\\b)[^?:"“]){0,60}?[,.;]\\s+(?:(?:so|pls|please|can\\s+you|could\\s+you)\\s+)*(?:fix|update|correct|change|adjust)\\s+(?:the\\s+(?:number|figure|amount|price|time|value)|that|it)\\s*${page}[\\s.!?]*$`,
      "giu",
    ),
    order,
  ]),
  // "Please call the gift wrapping story “…” from now on"
  [
    new RegExp(
      `${STARTS}call\\s+((?:the\\s+[^,.;:?"“]{3,50}?)|[A-Za-z]\\w*-\\d+|it)\\s+(["“][^"”]+["”])(?:\\s+(?:from\\s+now\\s+on|now|instead|please))*(?:\\s*[,.;–-]\\s+[^"“:?]{3,60})?[\\s.!]*$`,
      "giu",
    ),
    "rename $1 to $2",
  ],
  // "Anything that should have been finished by now and isn't?"
  [
    /^(\W*)(?:is\s+there\s+)?(?:anything|what|everything|issues|tickets|things)\s+(?:that\s+)?should\s+(?:already\s+)?have\s+been\s+(?:finished|done|closed|ready|completed)(?:\s+(?:by\s+now|already|before\s+today))?(?:\s*,)?\s+(?:and|but)\s+(?:(?:still\s+)?(?:is|are)\s+not|(?:is|are)n['’]?t|(?:still\s+)?open)(?:\s+(?:yet|done|finished))?[\s?.!]*$/giu,
    "$1overdue issues",
  ],
  // "DEMO-1 isn't a regression, drop that label"
  [
    /^(?:[^?:"“]{2,40}?,\s+(?:but|and)\s+)?([A-Z]\w*-\d+|it|that)\s+(?:isn['’]?t|is\s+not|is\s+no|was\s+no|wasn['’]?t)\s+(?:an?\s+)?([\p{L}\d_-]+)(?:\s+(?:at\s+all|really|any\s?more))?\s*[,.;–-]\s+(?:(?:so|please|pls)\s+)*(?:drop|remove|take\s+off|delete)\s+(?:that|the|this)\s+(?:label|tag)[\s.!]*$/giu,
    "remove the label $2 from $1",
  ],
  // "We won't make it with the DNS server, new deadline is 18 December"
  [
    /^\W*(?:we|i)\s+(?:won['’]?t|will\s+not|can['’]?t|cannot)\s+(?:make|finish|do|get)\s+(?:it\s+|this\s+|that\s+)?(?:(?:in|on)\s+time\s+)?(?:with\s+|for\s+)?([^,.;:?"“]{3,60}?)(?:\s+(?:in|on)\s+time)?\s*[,.;–-]\s+(?:so\s+)?(?:the\s+)?new\s+(?:deadline|due\s+date|date)\s*(?:is|:|will\s+be)?\s+(?=\S)/giu,
    "set the due date of $1 to ",
  ],
  // "11 December for both"
  [
    /^\W*(?:(?:ok|okay|and|then|so|please|let['’]s\s+say)[\s,]+)*((?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\.?(?:\s+of)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*|(?:next\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|\d{4}-\d\d-\d\d))\s+(?:for|on)\s+(it|this|that(?:\s+one)?|both(?:\s+of\s+them)?|them(?:\s+(?:all|both))?|all\s+(?:of\s+them|three)|[A-Z]\w*-\d+(?:(?:,\s*|\s+and\s+)[A-Z]\w*-\d+)*)(?:\s+(?:please|pls|then|too))?[\s.!]*$/giu,
    "set the due date of $2 to $1",
  ],
  [/^(\W*how\s+far)\s+along\s+(?=(?:is|are)\b)/giu, "$1 "],
  // "New due date should be the 12th"
  [
    /^(\W*)(?:the\s+|its\s+)?new\s+(due\s+date|deadline|priority|title|status|assignee)\s+(?:should|must|will|is\s+to|has\s+to|can)\s+(?:now\s+)?be\s+/giu,
    "$1set the $2 of it to ",
  ],
  // "… to two weeks after the current one"
  [
    /\b(?:set|change|move|make|put)\s+the\s+(?:due\s+date|deadline)\s+of\s+(\S+)\s+to\s+((?:an?|one|two|three|four|\d{1,2})\s+(?:day|week)s?)\s+(?:after|later\s+than|behind)\s+(?:(?:the|its)\s+)?(?:current|present|old|existing)\s+(?:one|date|due\s+date|deadline)/giu,
    "push $1 by $2",
  ],
  [
    /\b(to|it)\s+the\s+(?=end\s+of\s+(?:the\s+)?(?:week|month|year|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/giu,
    "$1 ",
  ],
  // "OPS-6 can be closed, it went to the yard. Not really done, so won't do"
  [
    /^(\W*)(?:close\s+(?=[A-Za-z]\w*-\d|it\b|this\b|that\b))?([A-Za-z]\w*-\d+|it|this|that(?:\s+one)?)(?:\s+can\s+(?:now\s+)?be\s+closed)?(?<=\bclosed?\b.*)([^"“:?]*?)[.,;]\s+(?:it(?:['’]s|\s+is)\s+)?not\s+(?:really\s+)?(?:done|fixed|solved)\s*[,;–-]\s+(?:so\s+|but\s+|rather\s+)*(?:as\s+|to\s+)?(won['’]?t\s+(?:do|fix))[\s.!]*$/giu,
    "$1move $2 to $4$3",
  ],
  // "It shouldn't be Lowest, Low would be fair"
  [
    /^(\W*)([^,.;:?"“]{2,60}?)\s+(?:should\s+not|shouldn['’]?t)\s+be\s+(?:highest|high|medium|low|lowest)\s*[,;.–-]\s+(?:but\s+|rather\s+)?(highest|high|medium|low|lowest)(?:\s+(?:would|should|is|will)\b[^,.;:?]{0,30})?[\s.!]*$/giu,
    "$1set the priority of $2 to $3",
  ],
  // "OPS-19 can't start before OPS-8 is out, please link them that way round"
  [
    /^(\W*)([A-Za-z]\w*-\d+)\s+(?:can['’]?t|cannot|can\s+not)\s+(?:start|begin|be\s+(?:started|begun|done|closed|finished))\s+(?:before|until|till)\s+([A-Za-z]\w*-\d+)\s+is\s+\p{L}+(?:\s+(?:either|too|as\s+well))?\s*[,.;–-]\s+(?:(?:so|and|please|pls|can\s+you|could\s+you)\s+)*(?:link|connect)\s+(?:them|these|the\s+two|both)(?:\s+(?:that\s+way(?:\s+round)?|like\s+that|so|accordingly|please|pls))*[\s.!?]*$/giu,
    "$1link $2 is blocked by $3",
  ],
  // "The title of OPS-20 is not right, it's only two zones, so “…”"
  [
    /^(\W*)(?:the\s+)?(?:title|name|summary)\s+of\s+([A-Za-z]\w*-\d+)\s+is\s+(?:not\s+(?:quite\s+)?(?:right|correct)|wrong|misleading|off|outdated)\b[^"“:?]{0,80}?\s*[,:;–-]?\s+(?:so|rather|better|it\s+should\s+(?:be|say)|make\s+it|call\s+it)?\s*:?\s*(?=["“])/giu,
    "$1rename $2 to ",
  ],
  [
    /\b(?:get|take|bring|move|pull)\s+(it|this|that\s+one|[A-Za-z]\w*-\d+)\s+out\s+of\s+the\s+backlog\s*[,;–-]?\s+(?:and\s+)?(?:(?:in)?to\s+)?(?=(?:to[ -]?do|in[ -]progress)\b)/giu,
    "move $1 to ",
  ],
  // "How long is that open already?"
  [
    /\bhow\s+long\s+(?:has|is)\s+(it|this|that(?:\s+one)?|[A-Za-z]\w*-\d+)\s+(?:been\s+)?open(?:\s+(?:already|now|by\s+now|for))*(?=\s*(?:$|[?.!]))/giu,
    "when was $1 created",
  ],
  [
    /\b(leave|write|drop|add|put)\s+(?:a|the)\s+(?:line|word)\s+(?:there|on\s+it)\s+(?=that\b)/giu,
    "$1 a comment there ",
  ],
  [/\b(label(?:l?ed)|tagged)\s+(?:with\s+)?both\s+(?=\S+\s+and\s)/giu, "$1 "],
  [
    /^(\W*)(?:which|what)\s+(?:labels|tags)\s+(?:do\s+we\s+(?:use|have)|are\s+(?:there|used|in\s+use)|exist)(?:\s+(?:at\s+all|here|in\s+jira))?\s*\?*\s*$/giu,
    "$1how many issues by label",
  ],
  [
    /\bboth\s+(?:the\s+)?labels?\s+([\p{L}\d_-]+)\s+and\s+(?:the\s+)?labels?\s+([\p{L}\d_-]+)/giu,
    "the labels $1 and $2",
  ],
  [
    /^(\W*(?:(?:highest|high|medium|low|lowest|and|or)\s+)*)(?:what|things|issues|tickets|those)\s+(?:that\s+)?(?:did\s+|have\s+)?we\s+(?:have\s+)?(?:decide|decided)\s+not\s+to\s+(?:do|fix|build)(?:\s+at\s+all)?\s*\?*\s*$/giu,
    "$1issues with status Won't Do",
  ],
  [
    /^(\W*(?:(?:can|could)\s+you\s+)?(?:(?:please|pls)\s+)?(?:(?:list|show(?:\s+me)?|give\s+me)\s+)?(?:what|which|everything|all|issues|tickets|bugs|tasks|stories|those)\b[^.?!]{0,30}?\s)(?:that\s+)?waiting\s+(?:for|on)\s+(?:an?\s+)?review\b/giu,
    "$1in review",
  ],
  [/^(\W*(?:(?:and|ok|now|then)\W+)*)(?:leave|keep)\s+(?:me\s+)?(?=only\s)/giu, "$1"],
  [
    /^(\W*)(?:could|can|may)\s+(?:i|we|you)\s+(?:have|get|see|show(?:\s+me)?|give\s+me)\s+(?=the\s+same\s+for\s)/giu,
    "$1",
  ],
  [/^(\W*)(?:from|of|out\s+of)\s+(?:these|those|them)\s*,?\s+(?:just|only)\s+/giu, "$1only "],
  [
    /^(\W*(?:(?:ok|and)\W+)*)(highest|high|medium|low|lowest)['’]s\s+(?:ok(?:ay)?|fine|enough|good)(?=[\s.!]*$)/giu,
    "$1$2 is fine",
  ],
  [
    /\s+(?:(?:that|which)\s+)?(?:have|has|with|having)\s+neither\s+(?:an?\s+)?([^,.;:?]{2,30}?)\s+nor\s+(?:an?\s+)?([^,.;:?]{2,30}?)(?=\s*(?:$|[,.;?!]))/giu,
    " without $1 and without $2",
  ],
  // "Which bugs did Chloé report that are neither finished nor in review"
  [
    /(?:\s+(?:that|which))?\s+(?:is|are)\s+neither\s+([^,.;:?]{2,30}?)\s+nor\s+([^,.;:?]{2,30}?)(?=\s*(?:$|[,.;?!]))/giu,
    " not $1 and not $2",
  ],
  // "Split the open OPS issues by priority for me"
  [
    /^(\W*(?:(?:please|pls|can\s+you|could\s+you)\s+)*)(?:split|group|break\s+down|divide)\s+([^.?:"“]{3,60}?)\s+by\s+(priority|assignee|person|status|type|project|reporter|epic)(?:\s+for\s+(?:me|us))?(?=[\s.?!]*$)/giu,
    "$1how many of $2 by $3",
  ],
  [/^(\W*)(?:stuff|things|work)\s+(?=(?:nobody|no\s?one|that|which|with|without)\b)/giu, "$1issues "],
  // "Which unfinished tickets can't go on because another unfinished one blocks them?"
  [
    /\b(?:that\s+|which\s+)?(?:can['’]?t|cannot|can\s+not)\s+(?:go\s+(?:on|ahead|forward)|start|continue|move\s+on|proceed|be\s+(?:started|done|finished|worked\s+on))\s+(?:yet\s+)?because\s+(?:of\s+)?(?:an\s?other|some|other)\s+[^.?,:"“]*?(?:\b(?:blocks?|block(?:s|ing))\s+(?:them|it)|\bones?|\bissues?|\btickets?)(?=\s*(?:$|[.?!]))/giu,
    "are blocked",
  ],
  // "What still has to happen before version 2.0 of the app can go out?"
  [
    /^\W*what(?:\s+else)?\s+(?:still\s+)?(?:has|needs)\s+to\s+(?:happen|be\s+(?:done|finished|ready)|get\s+done)\s+(?:still\s+)?before\s+(?!(?:any\s?(?:one|body)|some\s?(?:one|body)|we|i|they|it)\b)(?:(?:the|our)\s+)?([^,.;:?"“]{3,60}?)\s+(?:can\s+(?:be\s+(?:released|shipped|done|closed)|go\s+(?:out|live)|ship|launch)|is\s+(?:done|out|ready|live|released|finished)|goes\s+(?:out|live)|ships|launches)(?=[\s.?!]*$)/giu,
    "open issues in the epic $1",
  ],
  // "Everything other than epics and bugs": one condition
  [
    /\b((?:other\s+than|except(?:\s+for)?|without|excluding|besides|apart\s+from|not|no)\s+(?:the\s+)?(?:bugs|stories|tasks|epics|highest|high|medium|low|lowest))\s+and\s+(?:the\s+|not\s+|no\s+)?(?=(?:bugs|stories|tasks|epics|highest|high|medium|low|lowest)(?:\s+ones)?\s*(?:$|[,.;?!]|(?:in|for|of|on|with|by|from|due|sorted)\b))/giu,
    "$1 or ",
  ],
  // One list of both
  [
    /(?<=^\W*(?:(?:list|show|give\s+me|what\s+are)\s+)?(?:all\s+)?(?:\p{L}+['’]s|my|our|the|all|open|unfinished|unassigned)\s+(?:(?:open|unfinished|unassigned|remaining|blocked)\s+)?)(tasks|bugs|stories|epics)\s+and\s+(tasks|bugs|stories|epics)\b/giu,
    "$1 or $2",
  ],
  // "Stories under the accounts epic assigned to nobody"
  [
    /(?<=\b(?:issues|tickets|bugs|tasks|stories|everything)\b[^.?!;:"“]{0,80}?)\s+(?:(?:that|which)\s+(?:are|is)\s+)?assigned\s+to\s+(?:nobody|no\s?one|none)\b/giu,
    " without an assignee",
  ],
  // It takes nothing back.
  [
    /(?<=\b(?:issues|tickets|things|items|ones|work|stuff|everything)\b[^.?!"“:]*?)\s*,\s+(?:but\s+)?no\s+(epics|bugs|stories|tasks)(?=\s*(?:$|[,.;?!]))/giu,
    " that are not $1",
  ],
  [/^(\W*)what(?:['’]?s|\s+is)\s+the\s+same\s+for\s+/giu, "$1the same for "],
  [/^(\W*)anything\s+(?=with\s+\S+\s+in\s+(?:the|its|their)\s+(?:title|summary|name)s?\b)/giu, "$1issues "],
  [
    /^(\W*)labell?(?:ed)?\s+([\p{L}\d_-]+)\s*,\s+(not\s+done|open|still\s+open|unfinished|done|closed|unassigned|overdue)\s*$/giu,
    "$1$3 issues labelled $2",
  ],
  // It leaves no comment.
  [/^(\W*(?:(?:no|ok|okay|and|but|then|please|pls)\W+)*)leave\s+out\s+(?=\S)/giu, "$1without "],
  // "… Don't give it to anyone else yet", behind what takes it from somebody
  [
    /(?<=\b(?:un-?assign|off)\b[^.!?]*)(?:[,.;!]|\s+(?:and|but))\s+(?:(?:and|but|please)\s+)*(?:do\s+not|don['’]?t)\s+(?:assign|give|hand|pass)\s+(?:it|this|that)\s+(?:on\s+)?to\s+(?:any|some)(?:one|body)(?:\s+else)?(?:\s+(?:yet|now|for\s+now|instead|just\s+yet))*(?=[\s.!]*$)/giu,
    "",
  ],
  [/(?<=^\W{0,9})would\s+it\s+be\s+possible\s+(?:please\s+)?that\s+you\s+(?:please\s+)?/giu, "can you "],
  // "DEMO-4: I'll take it, due Thursday"
  [
    /(?<=^\W{0,9}(?:[A-Za-z]\w*-\d+\s*[:,–-]\s+)?|[.!;]\s+(?:so\s+|and\s+)?)i(?:['’]?ll|\s+will)?\s+take\s+(it|this|that\s+one|this\s+one|[A-Za-z]\w*-\d+)(?=\s*[,;]\s+(?:and\s+)?(?:due|highest|high|medium|low|prio|label|set|make|move|start|close)\b)/giu,
    "assign $1 to me",
  ],
  // "Make the upgrade show up as blocked by OPS-4, people keep asking"
  [
    new RegExp(
      `${STARTS}(?:make|let|have)\\s+([^,.;:?!"“]{2,60}?)\\s+(?:show\\s+up|appear|show|read|be\\s+shown)\\s+as\\s+(?=(?:blocked|blocking|a\\s+duplicate|related)\\b)`,
      "giu",
    ),
    "mark $1 as ",
  ],
  // "Bugs only, and without OPS"
  [/^(\W*(?:and\s+)?)(\p{L}+)\s+only(?=\s*,?\s+(?:and\s+)?(?:without|but|in|of|not)\b)/giu, "$1only $2"],
  // "Set it to Done, with the comment "…""
  [/,?\s+(?:and\s+)?with\s+(?:the|a|this)\s+(?:comment|note)\s*:?\s+(?=["“])/giu, ", and comment on it: "],
  [
    /^(\W*)(?:to|on|in)\s+((?:the|our)\s+[^,.;:"“]{3,50}?\s+page)\s*,?\s+(?:please\s+)?(?:add|append|put|write)\s+(?:at\s+the\s+(?:end|bottom)\s+)?(an?\s+(?:new\s+)?(?:section|heading|chapter)\s+[^:"“]{2,60}?)(?=\s*(?::|$))/giu,
    "$1add $3 to $2",
  ],
  [
    /^\W*(?:it\s+)?(?:can['’]?t|cannot)\s+(?:start|begin|go\s+(?:forward|on|ahead)|be\s+(?:started|done|closed))\s+(?:before|until)\s+((?:the\s+)?[^,.;:?!"“]{3,60}?|[A-Z]\w*-\d+)\s+(?:is|are|has\s+been)\s+(?:fixed|done|ready|sorted|finished|closed|through|over|solved)\s*[,.;–-]+\s+(?:so\s+|and\s+|please\s+|pls\s+|(?:can|could)\s+you\s+)*(?:mark|link|record|note|show|connect)\s+(?:that|it|them|this)\b[^.?!:;"“]*[\s.!?]*$/giu,
    "link it is blocked by $1",
  ],
  // "Give the delete-your-own-account story to Chloé"
  [
    /(?<=\b(?:the|this|that)\s)(\p{Ll}+)-(\p{Ll}+)-(\p{Ll}+)(?:-(\p{Ll}+))?(?=\s+(?:story|ticket|bug|issue|task|one|page|guide)\b)/giu,
    "$1 $2 $3 $4",
  ],
  // "Push it to the 16th", "I'll take it and have it fixed by Friday", "I'll take it off Farid"
  [
    new RegExp(
      `${STARTS}(?:push|move|shift|postpone|delay)\\s+([A-Za-z]\\w*-\\d+|it|(?:the\\s+)?[^,.;:?!"“]{3,50}?)\\s+(?:back\\s+|out\\s+)?to\\s+(the\\s+\\d{1,2}(?:st|nd|rd|th))(?![\\p{L}\\p{N}])`,
      "giu",
    ),
    "set the due date of $1 to $2",
  ],
  // "A hole with three tabs. Back to In Progress, and leave a comment saying that"
  [
    /^([^?:"“]{8,160}?)[.!]\s+back\s+(?:in)?to\s+(in[ -]progress|to[ -]?do|in[ -]review|review|(?:the\s+)?backlog)\s*,?\s+and\s+(?:leave|add|write|put|make)\s+a\s+(?:comment|note)\s+(?:saying|about|with|on)\s+(?:that|so|it|why)[\s.!]*$/giu,
    "move it to $2 and comment on it: $1",
  ],
  // "Could you leave a note about that on the disk ticket?"
  [
    /\b(?:leave|add|write|put|post)\s+an?\s+(?:short\s+|quick\s+)?(?:note|comment|remark)\s+about\s+(?:that|this|it)\s+(?:on|in|under|to)\s+(the\s+[^,.;:?!"“]{2,50}?\s(?:ticket|issue|bug|story|task|one)|[A-Za-z]\w*-\d+)(?=\s*(?:$|[?.!,]))/giu,
    "put that as a comment on $1",
  ],
  // "Open bug tickets", "issues of type bug"
  [/\b(bug|task|epic)\s+(?:tickets|issues)\b/giu, "$1s"],
  [/\b(?:tickets|issues)\s+of\s+(?:the\s+)?type\s+(bug|task|epic)s?\b/giu, "$1s"],
  [/\b(?:the\s+)?(?:coming|upcoming)\s+(?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)/giu, ""],
  [/\band\s+also\b/giu, "and"],
  [
    /\s[&+]\s+(?=(?:also\s+|then\s+)?(?:assign|give|hand|move|set|put|close|reopen|start|make|mark|label|tag|link|comment|rename|bump|raise|lower|delete|unassign|show|list)\s)/giu,
    " and ",
  ],
  [
    new RegExp(
      `${STARTS}(?:get\\s+me|(?:(?:can|could|may)\\s+i\\s+|let\\s+me\\s+)?(?:have|take)\\s+a\\s+look\\s+at)\\s+(?=\\S)`,
      "giu",
    ),
    "show me ",
  ],
  [
    new RegExp(
      `${STARTS}(?:tick\\s+off(?!.*\\b(?:page|wiki|box|checklist|retro\\p{L}*|onboarding)\\b)|wrap\\s+up)\\s+(?=\\S)`,
      "giu",
    ),
    "close ",
  ],
  [new RegExp(`${STARTS}(?:throw\\s+away|throw\\s+out|bin)\\s+(?=\\S)`, "giu"), "delete "],
  [
    new RegExp(
      `${STARTS}(?:shift|bring|switch|drag|push)\\s+(?=[^,;.:!?]{2,60}\\s(?:in)?to\\s+(?:to[ -]?do|in[ -]progress|in[ -]review|review|done|backlog)\\b)`,
      "giu",
    ),
    "move ",
  ],
  [
    /^\W*what(?:['’]?s|\s+is)\s+on\s+my\s+(?:plate|desk|list)(?:\s+(?:today|now|right\s+now|at\s+the\s+moment))?\W*$/giu,
    "my open issues",
  ],
  [
    /\bhow\s+many\s+(tickets|issues|bugs|tasks|stories)\s+(do|does)\s+(\p{L}+)\s+have\s+(?:still\s+)?open\b/giu,
    "how many open $1 $2 $3 have",
  ],
  [
    /\bhow\s+many\s+(tickets|issues|bugs|tasks|stories)\s+has\s+(\p{L}+)(?:\s+got)?\s+(?:still\s+)?open\b/giu,
    "how many open $1 has $2",
  ],
  [
    new RegExp(
      `${STARTS}(?:answer|reply\\s+to|respond\\s+to)\\s+(?:him|her|them)\\s+(?:(?:there|back|on\\s+it)\\s+)?(?=that\\s)`,
      "giu",
    ),
    "tell them ",
  ],
  [
    new RegExp(
      `${STARTS}(?:answer|reply\\s+to|respond\\s+to)\\s+(\\p{L}+)\\s+(?:(?:there|back|on\\s+it)\\s+)?(?=that\\s)`,
      "giu",
    ),
    "tell $1 ",
  ],
  // "It can go to won't do, I think it's a feature": why, and no doubt of the order
  [
    /(?<=\p{L}),\s+i\s+(?:think|guess|believe|suppose)\s+(?=(?:it|that|this|he|she|they|we)(?:['’]\p{L}+)?\s)/giu,
    ", ",
  ],
  // What somebody will finish is not finished.
  [/(?<=^\W{0,9}|[,;.!]\s+)i(?:['’]ll|\s+will)\s+(?:finish|complete|wrap\s+up)\s+(?=\S)/giu, "i'll take "],
  [/^\W*just\s+started\s+(?:working\s+on|with|on)\s+/giu, "i just started with "],
  [/^\W*(?:the\s+)?([\p{L}\p{N}_-]+)\s+(?:label|tag)\s+off\s+(?=\S)/giu, "remove the label $1 from "],
  [
    new RegExp(`${STARTS}make\\s+([A-Za-z]\\w*-\\d+)\\s+an?\\s+blocker\\s+(?:for|of|to)\\s+(?=\\S)`, "giu"),
    "link $1 blocks ",
  ],
  [
    /^[^,.;:?]{0,40}?\bneeds?\s+(?:another|one\s+more|a\s+further)\s+(week|day|month)\s+for\s+([^,.;:?]{4,60}?)\s*[,.;–-]\s+(?:(?:so|and|please|pls|can\s+you|could\s+you)\s+)*(?:shift|move|push|change|adjust)\s+(?:the|its)\s+(?:due\s+date|deadline)(?:\s+accordingly)?[\s.?!]*$/giu,
    "push the due date of $2 back by one $1",
  ],
  [/^\W*(?:just|only)\s+the\s+(?:number|count|total)(?:\s+(?:please|pls))?[\s.!]*$/giu, "how many"],
  [/\b(have|has|with|got)\s+the\s+([\p{L}\p{N}_-]+)\s+(?:label|tag)\b/giu, "$1 the label $2"],
  [/\b(?:earliest|soonest|nearest)(?:\s+(?:due(?:\s+date)?|deadline))?\s+first\b/giu, "sorted by due date"],
  [/\s*,?\s*\bif\s+(?:it|that)(?:['’]s|\s+is|\s+makes)\s+(?:no|not\s+too\s+much)\s+trouble\b\s*,?/giu, ""],
  [
    /^\W*the\s+(?:title|name|summary)\s+of\s+([A-Za-z]\w*-\d+)\b[^.?!:"“]{0,60}[.!]\s+(?:can|could|should|may)\s+(?:it|that)\s+(?:say|read|be)\s+(?=["“])/giu,
    "rename $1 to ",
  ],
  [/(?<=["”])\s+instead\s*\?*\s*$/giu, ""],
  [/(?<=\b(?:move|push|set|make|give|put)\s[^,.;:?!]{3,60})\s+then(?=\s*,)/giu, ""],
  [/\b(move|push|set|give|put)\s+that\s+(?=to\s)/giu, "$1 it "],
  // "…, Farid's off until the 7th": why, and no condition
  [
    /(,\s+\p{L}+(?:['’]s|\s+is|\s+will\s+be)\s+(?:off|away|out|sick|on\s+(?:holiday|leave|vacation)))\s+(?:until|till|from|for|since)\s+[^,.;:?!]{2,30}[\s.!]*$/giu,
    "$1",
  ],
  [
    /^(\W*(?:i(?:['’]m|\s+am)\s+)?starting\s+(?:on|with)\s+[^,.;:?]{3,60}?)\s+(?:today|now|this\s+(?:morning|afternoon))[\s.!]*$/giu,
    "$1",
  ],
  // "DEMO-3 is done - please update it"
  [
    /(?<=[\p{L}\p{N})])[ \t]+[-–—][ \t]+(?=(?:so|please|pls|he|she|they|we|i|it|(?:can|could|would|will) (?:you|we|i|somebody|someone)|assign|give|hand|move|close|reopen|start|mark|bump|raise|lower|delete|unassign)\s)/giu,
    ", ",
  ],
  [new RegExp(`${STARTS}(?:mark|set)\\s+(?:as|to)\\s+done\\s*:\\s+`, "giu"), "close "],
  // "… but leave him as assignee": what stays is no wish
  [
    /,?\s+(?:(?:and|but|though)\s+)?(?:please\s+)?(?:leave|keep)\s+(?:him|her|them|me|it|\p{L}+)\s+(?:on\s+it\s+)?as\s+(?:the\s+)?(?:assignee|owner|reporter)(?=[\s.!]*$)/giu,
    "",
  ],
  // "…, closed ones too": of all states
  [
    /,?\s+(?:(?:and|also|including)\s+)*(?:the\s+)?(?:closed|done|finished|resolved)\s+(?:ones\s+|issues\s+|tickets\s+)?(?:too|as\s+well|included)\b/giu,
    "",
  ],
  [
    /(?<!\bhow\s+many\s+)\b(tickets|issues|bugs|tasks|stories)\s+(?:that\s+)?(?:came|come|have\s+come)\s+in\b/giu,
    "$1 created",
  ],
  [
    /\b(?:lowest\s+prio(?:rity)?|low\s+prio(?:rity)?|least\s+(?:urgent|important))(?:\s+(?:ones?|issues|tickets))?\s+(?:first|on\s+top)\b/giu,
    "sorted by priority ascending",
  ],
  [
    /^\W*how(?:['’]s|\s+is|\s+are)\s+([A-Za-z]\w*-\d+|(?:the|our)\s+[^,.;:?!"“]{3,50}?|(?!(?:it|that|this|they|he|she|you|every\w*|things|life|your|work|the|our|we)\b)[^,;:?!"“]{3,40}?(?=\s+(?:coming|progressing)))\s+(?:going|coming\s+along|coming\s+on|progressing|getting\s+on|looking)(?:\s+(?:so\s+far|these\s+days|at\s+the\s+moment|now|today))?\s*\?*\s*$/giu,
    "how far is $1?",
  ],
  [
    /^(\W*(?:and\s+)?when\s+(?:was|is))\s+(?:that|this)\s+(?=(?:last\s+)?(?:changed|updated|edited|touched|created|opened|reported|closed|due)\b)/giu,
    "$1 it ",
  ],
  [
    /^(\W*(?:and\s+)?)what(?:['’]?s|\s+is|\s+has)\s+(?:been\s+)?(not\s+done|still\s+open|open|still\s+to\s+do|left|not\s+started)(?:\s+yet)?\s+(?:in|under|of)\s+(?:there|it|that|this)(?:\s+(?:epic|one))?\s*\?*\s*$/giu,
    "$1which ones are still open?",
  ],
  [
    /\b((?:which|how\s+many)\s+of\s+(?:those|these|them))\s+(?:does\s+nobody\s+(?:have|own)|belong\s+to\s+nobody|have\s+nobody)(?:\s+on\s+(?:them|it))?(?=\s*\??\s*$)/giu,
    "$1 are unassigned",
  ],
  [
    /\bset\s+(it|this|that|[A-Z]\w*-\d+)\s+to\s+(highest|high|medium|low|lowest)(?=\s*(?:$|[,.;!]))/giu,
    "set the priority of $1 to $2",
  ],
  [
    new RegExp(
      `${STARTS}(?:make|set)\\s+(it|this|that|[A-Z]\\w*-\\d+)\\s+due\\s+(?:on\\s+|by\\s+|for\\s+)?(?=[\\p{L}\\d])`,
      "giu",
    ),
    "set the due date of $1 to ",
  ],
  [
    /(?<=[^\s,.;!?][,.;!?]\s+(?:and\s+|so\s+)?|\S\s+and\s+)i(?:['’]?ll|\s+will|\s+can)?\s+(?:take|grab)\s+(it|this\s+one|that\s+one)(?=\s*(?:$|[.!]|,\s))/giu,
    "assign $1 to me",
  ],
  [
    /^(\W*(?:and\s+)?)what\s+(?:have|did)\s+(?:we|they|people)\s+(?:finish|finished|complete|completed|close|closed|got\s+done|get\s+done)\s+(?:in\s+)?(?:there|it)(?:\s+so\s+far)?\s*\?*\s*$/giu,
    "$1which ones are done?",
  ],
  [
    /^(\W*and\s+)what\s+has(?:n['’]?t|\s+not)\s+been\s+(started|done|finished)(?:\s+(?:yet|there))*\s*\?*\s*$/giu,
    "$1which ones are not $2?",
  ],
  [
    /(?<=^\W{0,9})(it|this\s+one|that\s+one|[A-Z]\w*-\d+)\s+(?:can|may)\s+(?:now\s+)?be\s+closed(?:\s+now)?(?=\s*(?:[,.;!]\s|and\s))/giu,
    "close $1",
  ],
  // Of the record on the screen
  [
    /^(\W*(?:and\s+)?)what\s+(?:was|is|were|are)\s+(?:the|his|her|their|its)\s+(?:last|latest|newest|most\s+recent)\s+comment\s*\?*\s*$/giu,
    "$1what is the last comment on it?",
  ],
  [
    /^(\W*(?:and\s+)?what\s+did\s+(?!(?:it|this|that|you|i|we)\b)\p{L}+)\s+(?:last\s+)?(?:say|write|answer|reply)(?:\s+last)?\s*\?*\s*$/giu,
    "$1 say about it?",
  ],
  [
    /^(\W*(?:and\s+)?what\s+did\s+(?!(?:it|this|that|you|i|we)\b)\p{L}+)\s+(?:last\s+)?(?:say|write|comment|answer|reply)(?:\s+last)?\s+(?:on|in|under|to|about)\s+(?=(?:the|our|it|[A-Za-z]\w*-\d)\b)/giu,
    "$1 say about ",
  ],
  // "Medium's fine, but give it to Emi", of what waits
  [
    /(?<=^\W{0,9}|[.;!]\s+)(highest|high|medium|low|lowest)(?:['’]s|\s+is)\s+(?:fine|ok(?:ay)?|enough|good)\s*[,;.]\s+(?:but\s+|and\s+)?(?=(?:give|assign|set|make|put|move|label)\s)/giu,
    "make it $1 and ",
  ],
  [
    new RegExp(
      `${STARTS}(?:hang|file|stick|tuck|slot|pop)\\s+(it|this|that|[A-Za-z]\\w*-\\d+)\\s+under\\b`,
      "giu",
    ),
    "put $1 under",
  ],
  // "…, with names, I'm going round the desks now": what for
  [
    /(?<=\S\s+\S[^:"“]*),\s+(?:with\s+names,?\s+)?(?:i['’]m|i\s+am|we['’]re|we\s+are)\s+(?:going|walking|on\s+my\s+way|about\s+to|in\s+a|preparing|doing|writing|planning|making)\b[^,.:;?!"“]*(?=[\s.!]*$)/giu,
    "",
  ],
  [
    /^\W*(?:what(?:['’]s|\s+has|\s+have)?|(?:everything|anything|all)(?:\s+(?:that|which))?(?:\s+has)?)\s+(?:came|come)\s+in\b(?:\s+during(?=\s+the\s))?/giu,
    "which issues were created",
  ],
  [
    /\b(?:just|only)\s+(?:the\s+)?(?:ones|those)\s+(\p{L}+)\s+(?:asked\s+for|requested|wanted|reported|filed|opened)(?=[\s.!?]*$)/giu,
    "only reported by $1",
  ],
  [/\b(ask\s+\p{L}+\s+(?:in\s+a\s+(?:comment|note)|there|on\s+it))\s+if\b/giu, "$1 whether"],
  [/,?\s+while\s+you(?:['’]re|\s+are)\s+(?:at\s+it|there|in\s+there)(?=[\s.!?]*$)/giu, ""],
  [/\s*(?:→|->|=>)\s*(?:both\s+|all\s+)?(?=(?:highest|high|medium|low|lowest)\b)/giu, ": priority "],
  [
    /\b([A-Za-z]\w*-\d+)\s+and\s+([A-Za-z]\w*-\d+)\s*:\s+priority\s+(highest|high|medium|low|lowest)\b/giu,
    "set the priority of $1 and $2 to $3",
  ],
  [
    /\b(reassign|assign|move|hand|give|pass)\s+([A-Za-z]\w*-\d+|it)\s+from\s+me\s+to\s+(?=\p{L})/giu,
    "assign $2 to ",
  ],
  // "…, farid told me he started": why
  [
    /(?<=\b(?:move|set|put|close|assign|give|mark|reopen|start)\s[^,.;:?!"“]{4,80}),\s+\p{L}+\s+(?:told|said\s+to|wrote|pinged|texted)\s+me\s+[^,.;:?!"“]*(?=[\s.!]*$)/giu,
    "",
  ],
  [
    /^\W*highest[ -]prio(?:rity)?\s+(?:things|stuff|items)(?:\s+(?:right\s+now|at\s+the\s+moment|now))?\W*$/giu,
    "open issues with priority highest",
  ],
  [
    /(?<=\b(?:open|highest|high|urgent|overdue)\b[^,.;:!?]*)\s+(?:right\s+now|at\s+the\s+moment)(?=\s*\?*\s*$)/giu,
    "",
  ],
  [
    /\b(?:label|tag)\s+([A-Za-z]\w*-\d+|it|this|that)\s+(?:with|as)\s+((?:on|in|to|for|of|off)-[\p{L}\d-]+)(?:\s*,\s+keep\s+(?:all\s+)?the\s+others?)?/giu,
    'add the label "$2" to $1',
  ],
  [/\b(labels?|tags?)\s+((?:on|in|to|for|of|off)-[\p{L}\d-]+)\b/giu, '$1 "$2"'],
  // "It slips by one week"
  [
    /^(\W*)([A-Za-z]\w*-\d+|it|the\s+[^,.;:?!"“]{3,60}?)\s+(?:slips|gets\s+delayed)\s+(?:by\s+)?(an?|one|two|three|four|\d{1,2})\s+(days?|weeks?|months?)(?:,\s+(?:not|it|that|nobody)\b[^,.;:?!]*)?[\s.!]*$/giu,
    "$1push the due date of $2 back by $3 $4",
  ],
  [
    new RegExp(
      `(?:${STARTS}|(?<=[,;–-]\\s+))(?:bring|pull|move)\\s+([^,.;:?!"“]{2,60}?)\\s+forward\\s+to\\s+(?=\\S)`,
      "giu",
    ),
    "move the due date of $1 to ",
  ],
  [
    /\bback\s+(?:in)?to\s+(to[ -]?do|in[ -]progress|in[ -]review|(?:the\s+)?backlog)\s+with\s+(it|that|this)\b/giu,
    "move $2 to $1",
  ],
  // "Set it to low, and back into the backlog", "…, down to lowest"
  [
    /(?<=\S[,.;]\s+|\S\s+and\s+)(?:and\s+)?back\s+(?:in)?to\s+(?:the\s+)?(to[ -]?do|in[ -]progress|in[ -]review|backlog)(?=\s*(?:$|[,.;!]|and\b|please\b|pls\b))/giu,
    "move it to $1",
  ],
  [
    /(?<=\S[,.;]\s+)(?:and\s+)?(?:the\s+)?(?:prio(?:rity)?\s+)?(?:down|up|back)\s+to\s+(highest|high|medium|low|lowest)(?=\s*(?:$|[,.;!]|and\b|please\b|pls\b))/giu,
    "set the priority of it to $1",
  ],
  // "I'll take it, to do please"
  [
    /(?<=\S[,.;]\s+)(to[ -]?do|in[ -]progress|in[ -]review|backlog)\s+(?:please|pls)(?=\s*(?:$|[,.;!]))/giu,
    "move it to $1",
  ],
  // "Take DEMO-15 off that, it doesn't need it any more"
  [
    /^(\W*)take\s+(?:the\s+)?([^,.;:?"“]{3,50}?)\s+off\s+(it|that|this(?:\s+one)?|[A-Z]\w*-\d+),?\s+(?:as\s+|since\s+|because\s+)?it\s+(?:doesn['’]?t|does\s+not|no\s+longer)\s+(?:needs?|depends?|blocks?)\b.*$/giu,
    "$1unlink $2 from $3",
  ],
  // "Due date is next Friday btw"
  [
    /^\W*(?:(?:and|oh|ok|also|so)[\s,]+)*(?:the\s+|its\s+)?(?:due\s+date|deadline)\s+is\s+((?:(?:next|this|on|in|the|end|of)\s+){0,3}(?:\p{L}*day|\p{L}+\s+\d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?(?:\s+(?:of\s+)?\p{L}+)?|tomorrow|today|week|month))(?:\s*,?\s+(?:btw|by\s+the\s+way|then|now|actually))*[\s.!]*$/giu,
    "set the due date of it to $1",
  ],
  // "Postgres upgrade: I'll do it, to do please"
  [
    /(?<=[,.;:]\s+)i(?:['’]ll|\s+will)\s+do\s+(it|that|this\s+one|that\s+one)(?=\s*(?:$|[,.;!]))/giu,
    "i'll take $1",
  ],
  // "DEMO-4 isn't the top emergency any more, high will do"
  [
    /^(?!.*\b(?:if|unless|when|once|until|after|says?|said|thinks?|maybe|perhaps)\b)(?:[^?:"“]*?\b)?([A-Z]\w*-\d+)\b(?![^?:"“]*[A-Z]\w*-\d)[^?:"“]*?[,.;–-]\s+(?:(?:prio(?:rity)?|so|a|an)\s+)*(highest|high|medium|low|lowest)\s+(?:(?:will|would|should)\s+do|is\s+(?:enough|fine|plenty|ok))[\s.!]*$/giu,
    "set the priority of $1 to $2",
  ],
  [
    /(?<=^\W{0,9}|[.;!]\s+)([A-Za-z]\w*-\d+(?:(?:,\s*|\s+and\s+)[A-Za-z]\w*-\d+)*|it|they|these|those|them|both)\s+(?:can|could|may|should|shall)\s+(?:all\s+|both\s+)?go\s+(?:down\s+|up\s+)?to\s+(highest|high|medium|low|lowest)(?:\s+prio(?:rity)?)?(?:,\s+(?:it|they|this|that)\s[^,.;:?!]*)?(?=[\s.!]*$)/giu,
    "set the priority of $1 to $2",
  ],
  [
    /^(?!.*\b(?:if|unless|when|once|until|after|says?|said|thinks?|maybe|perhaps)\b)(\W*)(?:every\s?thing|all|whatever)\s+(?:that\s+)?(\p{L}+)\s+(?:has|owns)\s+(?:in|on)\s+(to[ -]?do|in[ -]progress|in[ -]review|(?:the\s+)?backlog)\s+(?:should|shall|must|can)\s+(?:be\s+mine|go\s+to\s+me|come\s+to\s+me)(?:\s+[^,.;:?!"“]{0,60})?[\s.!]*$/giu,
    "$1assign all of $2's issues with status $3 to me",
  ],
  // "Put DEMO-26 under the search epic, no wait, it has nothing to do with it. Just give it High"
  [
    /^\W*(?:put|move|set|give|assign|make|close|label|link)\s[^.;:?!"“]*?\b([A-Z]\w*-\d+)\b[^.;:?!"“]*?[,.…–-]+\s*(?:oh\s+|ah\s+)?(?:no\s*,?\s+)?wait\b[^.;:?!"“]*[.;!]\s+(?:(?:just|only|rather|instead|please)\s+)*(give|set|make|put|move|assign|close|label)\s+(?:it|that)(?=\s)/giu,
    "$2 $1",
  ],
  // "Customers still see it; write that in there instead"
  [
    /(?<=[,.;–-]\s+(?:and\s+|so\s+|please\s+)?(?:write|note|put|add|say|mention|record|comment)\s+(?:that|this))\s+(?:in\s+|on\s+|down\s+)?there(?:\s+instead)?(?=[\s.!?]*$)/giu,
    " there",
  ],
  [
    /^(\W*(?:(?:can|could|may)\s+)?\p{L}+\s+(?:have|take|get)\s+[^,.;:?"“]{3,60}?)\s+instead\s+of\s+\p{L}+(?:,\s+(?:he|she|they)(?:['’]s|['’]re|\s+is|\s+are|\s+has|\s+have)\s[^,.;:"“]*?)?(?=[\s.!?]*$)/giu,
    "$1",
  ],
];

/**
 * A message in which what can be said in several ways is said in one: "get me the ticket DEMO-4" shows DEMO-4, and a
 * state or a person is called as their server does. What is quoted or dictated stays as it is.
 */
export function canonical(message: string, known: readonly KnownName[]): string {
  const made = NEW.reduce(
    (text, rule) => replaced(text, rule, DICTATES),
    blockedBy(saidOn(message, known), known),
  );
  const { masked, quotes } = createSheet(made);
  const end = textAt(masked);
  // What is quoted is safe.
  const same = isNew(masked) && quotes.length === 0 ? [] : SAME;
  const plain = same.reduce((text, rule) => replaced(text, rule, DICTATES), made.slice(0, end));
  return namesOf(known).reduce((text, rule) => replaced(text, rule, TOLD_OF), plain) + made.slice(end);
}

/** "What did Dmitri say about Android 9", where one issue is called so: what he said on that. */
function saidOn(message: string, known: readonly KnownName[]): string {
  const { who = "", topic = "" } = SAID_ABOUT.exec(message)?.groups ?? {};
  const isPerson = known.some(
    ({ kind, id, name }) =>
      kind === "person" &&
      [id, name, name.split(" ")[0]].some((one) => one?.toLowerCase() === who.toLowerCase()),
  );
  const issue = isPerson ? likeliestIssue(topic, known, 1) : undefined;
  const words = topic.split(/\s+/).filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  const own = new Set(tokenize(issue?.name ?? "").map(({ stem }) => stem));
  return issue !== undefined && tokenize(words.join(" ")).every(({ stem }) => own.has(stem))
    ? `what did ${who} say on ${issue.id}?`
    : message;
}

/** "What blocks the Swish payments?", where one issue has a word that no other has. */
function blockedBy(message: string, known: readonly KnownName[]): string {
  const { topic = "" } = BLOCKED.exec(message)?.groups ?? {};
  const issue = topic === "" ? undefined : likeliestIssue(topic, known, 1);
  return issue === undefined ? message : `what blocks ${issue.id}?`;
}

const BLOCKED =
  /^\W*(?:(?:which|what)\s+(?:ticket|issue|task|story|bug|thing)\s+(?:is\s+)?(?:holding\s+up|holds\s+up|blocking|blocks|keeping\s+back)|what(?:['’]?s|\s+is)?\s+(?:blocks|blocking|holding\s+up))\s+(?:the\s+)?(?<topic>(?!.*[A-Z]\w*-\d)(?!(?:it|this|that|us|me|them|everything)\b)[^,.;:?"“]{3,40}?)[\s?]*$/iu;
const SAID_ABOUT =
  /^\W*(?:what\s+(?:did|has)\s+(?<who>\p{L}+)\s+(?:say|said|write|written)|what\s+was\s+it(?:\s+that)?\s+(?<who>\p{L}+)\s+(?:said|wrote)|(?:what(?:['’]?s|\s+is|\s+was)\s+)?(?:the\s+)?last\s+thing\s+(?:that\s+)?(?<who>\p{L}+)\s+(?:said|wrote))\s+(?:about|on)\s+(?:the\s+)?(?<topic>[^,.;:?"“]{3,40}?)[\s?]*$/iu;

const kept = new WeakMap<readonly KnownName[], [RegExp, string][]>();

/** "The ticket DEMO-4" as DEMO-4, "@ben" as Ben, `to "In Review"` and "to the in review column" as to In Review. */
function namesOf(known: readonly KnownName[]): [RegExp, string][] {
  const rules = kept.get(known) ?? rulesFor(known);
  kept.set(known, rules);
  return rules;
}

function rulesFor(known: readonly KnownName[]): [RegExp, string][] {
  const people = known.flatMap(({ kind, id, name }) =>
    kind === "person" ? [id, name, name.split(" ")[0] ?? "", folded(name.split(" ")[0] ?? "")] : [],
  );
  const states = known.flatMap(({ kind, name }) => (kind === "status" ? [name] : []));
  const codes = known.flatMap(({ kind, id }) => (kind === "project" ? [id] : []));
  const [person, titled] = [
    anyOf(people),
    "the\\s+(?:(?!(?:one|ticket|issue|bug|task|story|epic|page)\\b)[\\p{L}\\d-]+\\s+){2,5}?",
  ];
  return [
    // "Assign DEMO-4 to Emi, sorry, Farid", "a bug in DEMO, sorry, MOB: …"
    ...[person, anyOf(codes), anyOf(states)].map((values): [RegExp, string] => [takenBack(values), ""]),
    [
      new RegExp(
        `(?<=[^\\s,.;!?][.;!?]\\s+(?:and\\s+|so\\s+)?)(${person})\\s+(?:takes|will\\s+take|can\\s+take|should\\s+take)\\s+(it|this\\s+one|that\\s+one)(?=\\s*(?:$|[.!]|,\\s))`,
        "giu",
      ),
      "assign $2 to $1",
    ],
    // "MOB-9 isn't mine any more, Emi took it"
    [
      new RegExp(
        `\\b(?:isn['’]?t|is\\s+not|is\\s+no\\s+longer|was\\s+never)\\s+mine(?:\\s+any\\s?more)?\\s*[,;–-]+\\s+(?:and\\s+|but\\s+|it['’]s\\s+)?(${person})(?:['’]s)?(?:\\s+(?:has|got|took|takes|does|is\\s+(?:on|doing)|will\\s+(?:do|take))\\s+(?:over\\s+)?(?:it|that)(?:\\s+over)?)?(?:\\s+now)?(?=\\s*(?:$|[.;!]))`,
        "giu",
      ),
      "goes to $1",
    ],
    // "Can Farid take over guest checkout from me?"
    [
      new RegExp(
        `^(\\W*)(?:can|could|would|may|should)\\s+(${person})\\s+(?:please\\s+)?take\\s+(?:over\\s+)?([^,.;:?"“]{3,60}?)(?:\\s+over)?\\s+(?:from|off)\\s+me\\s*\\?*(?:\\s+(?:i['’]m|i\\s+am|since|because|as)\\b[^?:"“]*)?[\\s.!]*$`,
        "giu",
      ),
      "$1assign $3 to $2",
    ],
    // "The Danish mail, was that Chloé's?"
    [
      new RegExp(
        `^(\\W*(?:[\\p{L} ]{2,12}\\.\\s+)?(?:(?:and|so|ok|ha|right)[\\s,]+)*)(the\\s+[^,.;:?"“]{3,40}?)\\s*,\\s+(?:was|is)\\s+(?:that|it)\\s+(?:${person})(?:['’]s)?[\\s?]*$`,
        "giu",
      ),
      "$1who is $2 assigned to?",
    ],
    // 'Write a page "Rotating keys", Farid says it doesn't exist'
    [
      new RegExp(
        `(?<=^\\W*(?:please\\s+)?(?:write|create|make|start|add)\\s+an?\\s+(?:new\\s+)?(?:wiki\\s+)?page\\b[^,.;:]{0,60}["”]),\\s+(?:${person})\\s+(?:says|said|thinks|told\\s+me)\\s+[^:"“]{3,60}$`,
        "giu",
      ),
      "",
    ],
    // "Give Farid the dark mode bug"; "and the log dashboard to Dmitri"; "make Chloé do it"
    [
      new RegExp(
        `${STARTS}(give|hand|pass|assign)\\s+(${person})\\s+(the\\s+(?!job|chance|choice|option|benefit)[^,.;:?!"“]{3,50}?)(?=\\s*(?:$|[,.;!]|\\s(?:and|please|pls|then|too|instead)\\b))`,
        "giu",
      ),
      "$1 $3 to $2",
    ],
    [new RegExp(`^(\\W*and\\s+)(${titled})to\\s+(${person})(?=\\W*$)`, "giu"), "$1assign $2ticket to $3"],
    [
      new RegExp(
        `\\b(?:make|let|have)\\s+(${person})\\s+(?:do|take|have|handle)\\s+(it|this|that|[A-Z]\\w*-\\d+)(?=\\W*$|\\s*[,.;]\\s|\\s+(?:and|please|instead|then)\\b)`,
        "giu",
      ),
      "give $2 to $1",
    ],
    // "The bugs Chloé reported"
    [
      new RegExp(
        `\\b(issues|tickets|bugs|tasks|stories)\\s+(${person})\\s+(reported|opened|filed|raised|has|owns)(?=\\W*$|\\s+(?:to|as|that|which|in|and)\\b)`,
        "giu",
      ),
      "$1 that $2 $3",
    ],
    // "The ticket DEMO-4"; what is "a bug DEMO-4" may be new, and where nothing is known the word may say which tool.
    [
      new RegExp(
        `${NAMED}\\b(?:(?:the|this|our|my)\\s+)?(?:jira\\s+)?(?:issue|ticket|bug|story|task|incident)\\s+(?=(?:${anyOf(codes)})-\\d{1,9}(?![\\w-]))`,
        "giu",
      ),
      "",
    ],
    [new RegExp(`\\(((?:${anyOf(codes)})-\\d{1,9})\\)`, "giu"), "$1"],
    // "To To Do so nobody thinks it is moving": what for
    [
      new RegExp(
        `\\b((?:in)?to\\s+(?:${anyOf(states)}))\\s+so\\s+(?:that\\s+)?(?:nobody|no\\s?one|everyone|everybody|people|it|we|they|i|he|she)\\s[^.,;:?!"“]*`,
        "giu",
      ),
      "$1",
    ],
    // "Issues of the checkout epic that are assigned to Farid": a list, and no order
    [
      new RegExp(
        `\\b(issues|tickets|bugs|tasks|stories|everything|all)\\b([^.?!;:"“]{0,30}?\\s(?:in|of|from|under)\\s[^.?!;:"“]{0,40}?epic(?:\\s+[A-Z]\\w*-\\d+)?)\\s+(?:(?:that|which)\\s+(?:are|is)\\s+)?assigned\\s+to\\s+(${person})(?![\\p{L}\\p{N}])`,
        "giu",
      ),
      "$1$2 for $3",
    ],
    // "Write Farid under DEMO-11 that folding loses it"
    [
      new RegExp(
        `^(\\W*(?:(?:please|pls|can\\s+you|could\\s+you)\\s+)*)write\\s+(${person})\\s+(under|on|in|at|below)\\s+(?=[^,.:;?]{3,60}\\sthat\\s)`,
        "giu",
      ),
      "$1tell $2 $3 ",
    ],
    // "Farid vs Dmitri, who has more open issues"
    [
      new RegExp(
        `^(\\W*)(${person})\\s+(?:vs\\.?|versus|or|against)\\s+(${person})\\s*[,:–-]\\s+(who\\s+has\\s+(?:more|fewer|less|the\\s+most)\\s+[^,?]{3,60}?)\\s*\\?*\\s*$`,
        "giu",
      ),
      "$1$4, $2 or $3",
    ],
    // "Only Farid and Ben", of a list
    [
      new RegExp(
        `^(\\W*(?:(?:and|but|now)\\s+)*)(?:only|just)\\s+(${person})\\s+(?:and|or|&)\\s+(${person})(?:['’]s)?(?:\\s+(?:please|pls))?\\W*$`,
        "giu",
      ),
      "$1only $2's or $3's",
    ],
    // "Take Farid off DEMO-12": what is no person is not unassigned
    [
      new RegExp(
        `\\btake\\s+(?:${person})\\s+off\\s+(?=(?:the\\s+)?[\\p{L}\\d-])(?!(?:the\\s+)?(?:list|table|menu|agenda|plan|rota|page)\\b)`,
        "giu",
      ),
      "unassign ",
    ],
    // "Log dashboard one to Dmitri", "the search one goes to Farid"
    [
      new RegExp(
        `^(\\W*(?:(?:and|then|ok|okay|so|also|please|pls)\\W+)*)(?:the\\s+)?((?:(?!(?:first|second|third|last|other|next|new)\\s)[\\p{L}\\d'’-]+\\s+){1,4}one)\\s+(?:(?:goes|can\\s+go|should\\s+go)\\s+)?to\\s+(${person})(?=\\s*(?:$|[.!]|(?:please|pls|then)\\b))`,
        "giu",
      ),
      "$1assign the $2 to $3",
    ],
    // Who begins a message is spoken to.
    [
      new RegExp(
        `(?<=\\b(?:to|for|from|by|of|on|off|with|than|and|or|is|are|assign|reassign|give|hand|ask|tell|remind|remove|unassign|put|make|let|meant|has|does|did|not|be|that)\\s)@(?=(?:${anyOf(people)})(?![\\p{L}\\p{N}_-]))`,
        "giu",
      ),
      "",
    ],
    [
      new RegExp(
        `\\b((?:in)?to|as|in|is|status|state)\\s+(?:the\\s+)?(?:status\\s+|state\\s+|column\\s+)?["“'‘](${anyOf(states)})["”'’]`,
        "giu",
      ),
      "$1 $2",
    ],
    [
      new RegExp(
        `\\b((?:in)?to)\\s+(?:the\\s+)?(?:(?:status|state|column)\\s+(${anyOf(states)})(?![\\p{L}\\p{N}])|(${anyOf(states)})\\s+(?:status|state|column|lane)\\b)`,
        "giu",
      ),
      "$1 $2$3",
    ],
  ];
}

/** Behind its first key a text may name others. */
const TOLD_OF = new RegExp(
  `[A-Za-z]\\w*-\\d(?:.*(?:${DICTATES.source}))|(?:${DICTATES.source}).*[A-Za-z]\\w*-\\d`,
  "is",
);

/** `isText` tells by what stands before whether the rest is somebody's text. */
function replaced(text: string, [pattern, otherwise]: readonly [RegExp, string], isText: RegExp): string {
  const { masked } = createSheet(text);
  return text.replaceAll(pattern, (whole: string, ...found: (string | number | undefined)[]) => {
    const at = found.find((one) => typeof one === "number") ?? 0;
    const groups = found.slice(0, found.indexOf(at));
    if (masked[at] === QUOTED || isText.test(text.slice(0, at))) return whole;
    return otherwise.replaceAll(/\$(\d)/g, (_, group: string) => String(groups[Number(group) - 1] ?? ""));
  });
}
