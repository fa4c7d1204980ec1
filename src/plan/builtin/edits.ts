import type { KnownName } from "#contract/plan.ts";

import { anyOf, loosely } from "../../base/matching.ts";
import { remember } from "../../base/remember.ts";
import { passageOf } from "./lists.ts";
import { namePattern } from "./people.ts";
import { NUMBER_WORDS } from "./words.ts";

const KEY = "[A-Za-z]\\w{0,15}-\\d{1,9}";
const KEYS = `${KEY}(?:(?:\\s*[,&]\\s*|\\s+and\\s+|,\\s+and\\s+)${KEY})*`;
/** What is changed, or what stands for it. */
const RECORDS = `${KEYS}|it|this(?: one)?|that one`;
const MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\\p{L}*";
const DAY = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\\s+the\\s+\\d{1,2}(?:st|nd|rd|th)|(?:the\\s+)?end\\s+of\\s+${MONTH}|(?:the\\s+)?(?:next\\s+|this\\s+|end\\s+of\\s+(?:the\\s+|this\\s+|next\\s+)?)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today|week|month|\\d{1,2}(?:st|nd|rd|th)?\\.?(?:\\s+of)?\\s+${MONTH}|\\d{4}-\\d\\d?-\\d\\d?|${MONTH}\\s+\\d{1,2}(?:st|nd|rd|th)?))\\b`;
const COUNT = "an?|one|two|three|four|five|six|seven|ten|\\d{1,3}";
/** Why, behind a change: nothing that takes it back, limits it or adds to it. */
const WHY = `(?:\\s*[,;.!?]\\s+(?!(?:.*[\\s,;.])?(?:but|if|unless|except|not|when|once|after|until|till|only|don['’]?t|never|and|also|then|instead|or|wait|no)\\b)[^:"“]*)?`;
const NOTCH = "(?:by\\s+)?(?:one|an?|1)(?:\\s+(?:level|notch|step|bit))?";
const PRIO = "(?:priority|prio)";

const GROUPS = [
  "by",
  "count",
  "day",
  "epic",
  "it",
  "project",
  "put",
  "rest",
  "text",
  "things",
  "unit",
  "up",
  "verb",
  "what",
  "who",
  "whose",
] as const;
/** What the groups of a pattern took; "" where one stands for nothing, or is none of its. */
type Said = Readonly<Record<(typeof GROUPS)[number], string>>;

/** Counted from the due date that the record has. */
function shifted(what: string, count: string, unit: string, isEarlier = false): string {
  const days =
    (NUMBER_WORDS[count.toLowerCase()] ?? (Number(count) || 1)) * (unit.toLowerCase() === "week" ? 7 : 1);
  // The day before it only holds its place.
  return `set the due date of ${what} to 2000-01-01 shifted by ${isEarlier ? -days : days} days`;
}

/** Of a title or a description: words in quotes, or a few. */
const passage = (name: "text" | "rest"): string =>
  `(?:["“](?<${name}>[^"”]+)["”]|(?<${name === "text" ? "it" : "put"}>(?!to\\b|with\\b|the\\s+(?:text|whole)\\b)[^"“”:;?]{1,60}?))`;
const FIELD = "(?:the\\s+)?(?<up>description|title|summary|name)";

/** A passage of a title or a description in other words; the rest stays as it is. */
function inField(field: string, what: string, former: string, now: string): string {
  const name = /^desc/i.test(field) ? "description" : "title";
  return `update the ${name} of ${what}: ${passageOf(former.trim(), now.trim())}`;
}

/** Changes as people say them, with the order that each is in plain words. */
const EDITS: readonly (readonly [pattern: string, order: (said: Said) => string])[] = [
  // "In the description of DEMO-8 change 212 to 250"
  [
    `in\\s+${FIELD}\\s+of\\s+(?<what>${KEY}|it|that|this)\\s*[,:]?\\s+(?:please\\s+)?(?:replace|change|swap|correct|turn)\\s+${passage("text")}\\s+(?:with|by|to|for|into)\\s+${passage("rest")}`,
    ({ up, what, text, it, rest, put }) => inField(up, what, text || it, rest || put),
  ],
  [
    `(?:replace|change|swap|correct|turn)\\s+${passage("text")}\\s+(?:with|by|to|for|into)\\s+${passage("rest")}\\s+in\\s+${FIELD}\\s+of\\s+(?<what>${KEY}|it|that|this)`,
    ({ up, what, text, it, rest, put }) => inField(up, what, text || it, rest || put),
  ],
  // "In the description of MOB-8 it's 41 sign-ups by now, not 34"
  [
    `in\\s+${FIELD}\\s+of\\s+(?<what>${KEY}|it|that|this)\\s*,?\\s+(?:it(?:['’]s|\\s+is|\\s+should\\s+(?:say|be)|\\s+must\\s+(?:say|be))|there\\s+are|should\\s+stand)\\s+(?<rest>\\d[\\d.,]*)(?:\\s+[\\p{L}-]+){0,4}?\\s*,?\\s+(?:and\\s+)?(?:not|instead\\s+of)\\s+(?<text>\\d[\\d.,]*)`,
    ({ up, what, text, rest }) => inField(up, what, text, rest),
  ],
  // "The title of MOB-12 should say “two hundred”, not “hundred”"
  [
    `(?:the\\s+)?(?<up>description|title|summary|name)\\s+of\\s+(?<what>${KEY}|it|that|this)\\s+(?:should|must|has\\s+to)\\s+(?:say|read|be)\\s+["“](?<rest>[^"”]+)["”]\\s*,?\\s+(?:and\\s+)?(?:not|instead\\s+of)\\s+["“](?<text>[^"”]+)["”]`,
    ({ up, what, text, rest }) => inField(up, what, text, rest),
  ],
  [
    `rename\\s+(?<what>${KEY}|it|that|this)\\s*[:,]\\s+(?:replace|change)\\s+${passage("text")}\\s+(?:with|by|to|into)\\s+${passage("rest")}`,
    ({ what, text, it, rest, put }) => inField("title", what, text || it, rest || put),
  ],
  // "Tick “Registration” in DEMO-3"
  [
    `(?<verb>un)?(?:tick|check)(?:\\s+off)?\\s+(?:the\\s+(?:box|item|point)\\s+)?["“](?<text>[^"”]+)["”](?:\\s+off)?\\s+(?:in|on|of)\\s+(?:(?:the\\s+)?(?:description|checklist|list)\\s+of\\s+)?(?<what>${KEY}|it|that|this)`,
    ({ verb, text, what }) => {
      const [open, ticked] = [`[ ] ${text}`, `[x] ${text}`];
      return verb === "" ? inField("desc", what, open, ticked) : inField("desc", what, ticked, open);
    },
  ],
  [
    `add\\s+(?:a\\s+(?:line|sentence|paragraph|note)\\s+)?(?:at|to)\\s+the\\s+end\\s+of\\s+(?:(?:the\\s+)?description\\s+of\\s+(?<what>${KEY}|it)|(?:the\\s+)?(?<it>${KEY})(?:['’]s)?\\s+description)\\s*:\\s*(?<text>.+)`,
    ({ what, it, text }) => `add to the description of ${what || it}: ${text}`,
  ],
  [
    `(?:add|attach|hook|link|connect)\\s+(?<what>${RECORDS})\\s+(?:up\\s+)?(?:in)?to\\s+(?:the\\s+)?epic\\s+(?<rest>.+)`,
    ({ what, rest }) => `put ${what} under epic ${rest}`,
  ],
  [
    `make\\s+(?<epic>${KEY})\\s+(?:the\\s+)?(?:parent|epic)\\s+of\\s+(?<what>${RECORDS})`,
    ({ what, epic }) => `put ${what} under epic ${epic}`,
  ],
  [
    `(?:set|change)\\s+the\\s+parent\\s+of\\s+(?<what>${RECORDS})\\s+to\\s+(?:(?:the\\s+)?epic\\s+)?(?<epic>${KEY})`,
    ({ what, epic }) => `put ${what} under epic ${epic}`,
  ],
  [
    `(?:remove|take|pull)\\s+(?<what>${RECORDS})\\s+(?:out\\s+of|from|off)\\s+(?:its|the|their|that|this)(?:\\s+\\p{L}+)?\\s+epic`,
    ({ what }) => `clear the epic of ${what}`,
  ],
  // An epic is an issue.
  [
    `(?<verb>delete|rename|retitle|reply to|(?:comment|write|(?:add|leave|put|post)\\s+an?\\s+(?:comment|note))\\s+(?:on|to|in))\\s+(?:the\\s+)?epic\\s+(?<rest>${KEY}.*)`,
    ({ verb, rest }) => `${verb} ${rest}`,
  ],
  // What is counted from the value that the record has.
  [
    `(?<up>raise|increase|bump|up|lower|decrease|reduce|drop)\\s+(?:up\\s+)?(?:the\\s+)?(?:${PRIO}\\s+(?:of|for|on)\\s+(?<what>${RECORDS})(?:\\s+(?:up|down))?(?:\\s+${NOTCH})?|(?<whose>${RECORDS}|its)(?:['’]s)?\\s+${PRIO}(?:\\s+(?:up|down))?(?:\\s+${NOTCH})?|(?<it>${RECORDS})\\s+(?:(?:up|down)\\s+)?${NOTCH})`,
    ({ up, what, whose, it }) =>
      `set the priority of ${(what || whose || it).replace(/^its$/i, "it")} to High shifted by ${/^(?:lower|de|reduce|drop)/i.test(up) ? -1 : 1} levels`,
  ],
  [
    `(?<put>extend|postpone|delay|push|bring|pull|move|shift)\\s+(?:the\\s+(?:deadlines?|due\\s+dates?)\\s+(?:of|for)\\s+)?(?<what>${RECORDS})\\s+(?:out\\s+|back\\s+|forward\\s+)?by\\s+(?:another\\s+)?(?<count>${COUNT})\\s+(?:more\\s+)?(?<unit>day|week)s?`,
    ({ put, what, count, unit }) => shifted(what, count, unit, /^(?:bring|pull)$/i.test(put)),
  ],
  [
    `(?:push|postpone|move|shift|delay|extend|reschedule|set)\\s+(?:the\\s+(?:deadline|due\\s+date)\\s+(?:of|for)\\s+)?(?<what>${RECORDS})\\s+(?:out\\s+|back\\s+)?(?:to|until|till)\\s+(?<day>${DAY})`,
    ({ what, day }) => `set the due date of ${what} to ${day}`,
  ],
  [
    `(?:add|append|put|write)\\s+["“](?<text>.+)["”]\\s+(?:in)?to\\s+(?:the\\s+(?:end\\s+of\\s+the\\s+)?)?description\\s+of\\s+(?<what>${RECORDS})`,
    ({ text, what }) => `add to the description of ${what}: ${text}`,
  ],
  // "Reword DEMO-18, nobody understands it. “Show the total first”"
  [
    `(?:reword|rephrase|rename|retitle)\\s+(?<what>${RECORDS})(?:\\s*[,;:.–-]\\s+[^"“'‘:]{0,80}?)?\\s*[:.,]?\\s*(?:["“](?<text>[^"”]+)["”]|['‘](?<put>[^'’]+)['’])`,
    ({ what, text, put }) => `rename ${what} to "${text || put}"`,
  ],
  [
    `add\\s+(?:another\\s+)?(?<count>${COUNT})\\s+(?:more\\s+)?(?<unit>day|week)s?(?:\\s+to\\s+(?:(?:the|its)\\s+(?:due\\s+date|deadline)(?:\\s+of\\s+(?<what>${RECORDS}))?|(?<it>${RECORDS})))?`,
    ({ count, unit, what, it }) => shifted(what || it || "it", count, unit),
  ],
  [
    `give\\s+(?<what>${RECORDS})\\s+an?\\s+(?:new\\s+)?(?:due\\s+date|deadline)(?:\\s+of|\\s*[,:–-])?\\s*(?:the\\s+)?(?<day>${DAY}.*)`,
    ({ what, day }) => `set the due date of ${what} to ${day}`,
  ],
  // "Give Dmitri until Friday", of what is on the screen
  [
    `give\\s+(?:(?:WHO|me|us|him|her|them)\\s+)(?:until|till)\\s+(?<day>${DAY})(?:\\s+(?:for|with|on)\\s+(?<what>${RECORDS}))?${WHY}`,
    ({ day, what }) => `set the due date of ${what || "it"} to ${day}`,
  ],
  // "Give Farid another week for OPS-5"
  [
    `give\\s+(?:WHO|me|us|him|her|them)\\s+(?:another\\s+|an?\\s+(?:extra|additional|further)\\s+)?(?:(?<count>${COUNT})\\s+)?(?:more\\s+)?(?<unit>day|week)s?(?:\\s+more)?\\s+(?:for|with|on|to\\s+(?:do|finish))\\s+(?<what>${RECORDS})${WHY}`,
    ({ count, unit, what }) => shifted(what, count, unit),
  ],
  // "DEMO-4 → thursday"
  [
    `(?<what>${KEYS})\\s*(?:\\s(?:to|until|till)|→|->|=>)\\s*(?<day>${DAY})`,
    ({ what, day }) => `set the due date of ${what} to ${day}`,
  ],
  [
    `(?:(?:make|set|put)\\s+)?(?<what>${RECORDS})\\s+(?:just\\s+)?(?<count>${COUNT})\\s+(?<unit>day|week)s?\\s+later`,
    ({ what, count, unit }) => shifted(what, count, unit),
  ],
  [
    `block\\s+(?<what>${KEY})\\s+(?:by|with|on)\\s+(?<by>${KEY})`,
    ({ what, by }) => `link ${what} is blocked by ${by}`,
  ],
  [`put\\s+(?<what>${RECORDS})\\s+on\\s+hold`, ({ what }) => `move ${what} to On Hold`],
  [
    `(?:replace|overwrite|rewrite)\\s+(?:the\\s+)?description\\s+of\\s+(?<what>${RECORDS})\\s+(?:with|by|as)\\s*:?\\s*(?<text>.+)`,
    ({ what, text }) => `update the description of ${what}: ${text}`,
  ],
  [`assign\\s+(?<who>me|WHO)(?:\\s+to\\s+it)?`, ({ who }) => `assign it to ${who}`],
  [
    `(?<what>${KEYS})\\s*[:,]?\\s+${PRIO}\\s*(?:=|:|to|->|→|is\\s+now|now)?\\s*(?<rest>highest|high|medium|low|lowest)${WHY}`,
    ({ what, rest }) => `set the priority of ${what} to ${rest}`,
  ],
  [
    `(?<what>${KEYS})\\s+(?:is|are)\\s+(?:actually|really|rather)\\s+an?\\s+(?<rest>bug|task|story)(?:,?\\s+(?:and\\s+)?not\\s+an?\\s+\\p{L}+)?`,
    ({ what, rest }) => `change the type of ${what} to ${rest}`,
  ],
  [
    `no\\s+(?:due\\s+date|deadline)\\s+(?:for|on)\\s+(?<what>${RECORDS})(?:\\s+any\\s?more)?`,
    ({ what }) => `remove the due date of ${what}`,
  ],
  [
    `(?:add|append)\\s+to\\s+the\\s+description\\s+of\\s+(?<what>${RECORDS})\\s+that\\s+(?<text>.+)`,
    ({ what, text }) => `add to the description of ${what}: ${text}`,
  ],
  [
    `(?:can|could|should|shall|may)\\s+(?<who>WHO)\\s+be\\s+the\\s+(?:new\\s+)?(?:assignee|owner)\\s+(?:of|for|on)\\s+(?<what>${RECORDS})\\s*\\??`,
    ({ who, what }) => `assign ${what} to ${who}`,
  ],
  [
    `(?<what>${KEY})\\s*[:,]?\\s*\\+?comment\\s*:?\\s*["“](?<text>.+)["”]`,
    ({ what, text }) => `comment on ${what}: ${text}`,
  ],
  [
    `(?:write|note|post)\\s+(?:on|in|under|at)\\s+(?<what>${KEY})\\s*,?\\s+(?!that\\b|a\\b|an\\b|the\\b)(?<text>[^:]{10,})`,
    ({ what, text }) => `comment on ${what}: ${text}`,
  ],
  [
    `what\\s+(?:do|should|must)\\s+i\\s+(?:have\\s+to\\s+|need\\s+to\\s+)?(?:do|work\\s+on|start\\s+with|tackle)\\s+(?:today|now|next|this\\s+week|first)\\s*\\??`,
    () => "my open issues sorted by priority",
  ],
  [
    `(?:tag|label)\\s+(?<what>${RECORDS})\\s+(?:as|with)\\s+(?:an?\\s+|the\\s+(?:label|tag)\\s+)?(?<text>[\\p{L}\\d_-]+)${WHY}`,
    ({ text, what }) => `add the label ${text} to ${what}`,
  ],
  [
    `(?:can|could|should|shall|may|must)\\s+(?<what>${KEY})\\s+(?:and|with|to)\\s+(?<by>${KEY})\\s+be\\s+(?:linked|connected|related|tied|joined)(?:\\s+(?:somehow|together|please|to each other))*\\s*\\??(?:\\s.*)?`,
    ({ what, by }) => `link ${what} relates to ${by}`,
  ],
  [
    `(?:connect|relate|tie)\\s+(?<what>${KEY})\\s+(?:and|with|to)\\s+(?<by>${KEY})(?:\\s+(?:somehow|together|please|with each other|to each other))*`,
    ({ what, by }) => `link ${what} relates to ${by}`,
  ],
  [
    `(?:i['’]?d\\s+(?:rather|prefer(?:\\s+it\\s+if)?)\\s+)?(?:the\\s+(?:title|name|summary)\\s+of\\s+)?(?<what>${KEY})(?:['’]s\\s+(?:title|name))?\\s+(?:was|were|is|be|should\\s+be|to\\s+be)\\s+(?:called|named|titled|renamed(?:\\s+to)?)\\s+["“](?<text>[^"”]+)["”](?:\\s+instead)?${WHY}\\s*\\??`,
    ({ what, text }) => `rename ${what} to "${text}"`,
  ],
  [
    `(?:can|could|should|may)\\s+(?<what>${KEY})\\s+be\\s+(?:called|named|titled|renamed(?:\\s+to)?)\\s+["“](?<text>[^"”]+)["”](?:\\s+instead)?\\s*\\??`,
    ({ what, text }) => `rename ${what} to "${text}"`,
  ],
  [
    `new\\s+(?<verb>due\\s+date|deadline|priority|assignee|owner)\\s+(?:for|of|on)\\s+(?<what>${RECORDS})\\s*(?::|=|is|->|→|,|\\s[-–])\\s*(?<rest>[^.!?:]+?)${WHY}`,
    ({ verb, what, rest }) =>
      /^(?:assignee|owner)$/i.test(verb)
        ? `assign ${what} to ${rest}`
        : `set the ${verb.toLowerCase().replace("deadline", "due date")} of ${what} to ${rest}`,
  ],
  [
    `new\\s+(?:title|name|summary)\\s+(?:for|of)\\s+(?<what>${RECORDS})\\s*(?::|=|is|->|→)\\s*["“]?(?<text>[^"”]+?)["”]?`,
    ({ what, text }) => `rename ${what} to "${text}"`,
  ],
  [
    `i(?:['’]ve|\\s+have)?\\s+(?:just\\s+)?found\\s+an?\\s+(?:new\\s+)?(?:bug|problem|fault|error)(?:\\s+and\\s+(?:i\\s+)?(?:want|would like|need|have)\\s+to\\s+(?:report|file|log|raise)\\s+it|[,.;]?\\s+(?:how|where)\\s+(?:do|can|should)\\s+i\\s+(?:report|file|log|raise)\\s+it)?\\s*\\??`,
    () => "create a bug",
  ],
  [
    `make\\s+(?<who>WHO|me)\\s+(?:responsible\\s+for|(?:the\\s+)?(?:new\\s+)?(?:owner|assignee)\\s+of)\\s+(?<what>${RECORDS})`,
    ({ who, what }) => `assign ${what} to ${who}`,
  ],
  [
    `how\\s+(?:do|are)\\s+(?:the\\s+|our\\s+)?(?<things>.{3,40}?)\\s+(?:spread|split|distributed|divided|shared)(?:\\s+(?:out|up))?\\s+(?:over|across|between|among|by)\\s+(?:the\\s+|our\\s+)?(?<rest>projects?|people|team|types?|priorities|priority|status(?:es)?|assignees?)\\s*\\??`,
    ({ things, rest }) =>
      `how many ${/\b(?:issues|tickets|bugs|tasks|stories|ones)\b/i.test(things) ? things.replace(/\bones\b/i, "issues") : `${things} issues`} by ${rest
        .toLowerCase()
        .replace(/^(?:people|team)$/, "assignee")
        .replace(/ies$/, "y")
        .replace(/(?:es|s)$/, "")}`,
  ],
  [
    `(?:which|what)\\s+(?<rest>label|tag|epic|project)s?\\s+(?:(?:do|does)\\s+(?:we|people|the\\s+team)\\s+use|(?:is|are)\\s+used|has|have|gets?|comes?\\s+up)\\s+(?:the\\s+)?(?:most(?:\\s+often)?|more\\s+often)(?<things>\\s+[^?]*)?\\s*\\??`,
    ({ rest, things }) =>
      `how many ${things.trim() || "issues"} by ${rest.toLowerCase().replace("tag", "label")}`,
  ],
  [
    `compare\\s+(?:the\\s+)?(?:numbers?|counts?|amounts?)\\s+of\\s+(?<things>.+?)\\s+(?:across|between|over|in|among|of|for)\\s+(?:the\\s+|all\\s+|our\\s+)*(?:two\\s+|three\\s+|four\\s+|\\d\\s+)?(?<rest>project|assignee|type|epic|label)s\\s*\\??`,
    ({ things, rest }) => `how many ${things} by ${rest.toLowerCase()}`,
  ],
  [
    `how\\s+far\\s+(?:along\\s+)?(?:is|are)\\s+(?:the\\s+)?(?<rest>[^?]*\\d[^?]*?)\\s*\\??`,
    ({ rest }) => (/\bepic\b/i.test(rest) ? `how far is ${rest}` : `how far is the ${rest} epic`),
  ],
  [
    `who(?:['’]s|\\s+is)\\s+doing\\s+what\\s+(?:for|in|on|with)\\s+(?<epic>${KEY})\\s*\\??`,
    ({ epic }) => `issues in epic ${epic}`,
  ],
  [
    `(?:which|who)\\s+of\\s+(?<who>WHO)\\s+(?:and|or)\\s+(?<by>WHO)\\s+has\\s+(?<rest>(?:more|fewer|the\\s+most)\\s+.+?)\\s*\\??`,
    ({ who, by, rest }) => `who has ${rest}, ${who} or ${by}`,
  ],
  [
    `(?<up>raise|bump(?:\\s+up)?|escalate|lower|deprioriti[sz]e)\\s+(?<it>${RECORDS})(?:\\s+(?:up|down|a\\s+bit|a\\s+little))?`,
    ({ up, it }) =>
      `set the priority of ${it} to High shifted by ${/^(?:lower|de)/i.test(up) ? -1 : 1} levels`,
  ],
  [
    `what(?:['’]s|\\s+is)\\s+(?:still\\s+)?(?:left|open|remaining|missing|to\\s+do)(?:\\s+to\\s+do)?\\s+(?:in|of|for|on|under)\\s+(?:epic\\s+)?(?<epic>EPIC)\\s*\\??`,
    ({ epic }) => `open issues in epic ${epic}`,
  ],
  // "OPS-6 prio up"
  [
    `(?<what>${KEYS})\\s*[:,]?\\s+${PRIO}\\s+(?:one\\s+)?(?<up>up|down)${WHY}`,
    ({ what, up }) => `set the priority of ${what} to High shifted by ${/^down/i.test(up) ? -1 : 1} levels`,
  ],
  // "What do we still have to do before we can ship the epic MOB-1?"
  [
    `what\\s+(?:(?:else\\s+)?(?:do|must)\\s+we\\s+|(?:still\\s+)?(?:has|needs)\\s+)(?:still\\s+)?(?:(?:have|need)\\s+)?(?:to\\s+)?(?:do|be\\s+done)\\s+(?:for|in|on|before\\s+(?:we\\s+)?(?:can\\s+)?\\p{L}+(?:ing)?)\\s+(?:the\\s+)?epic\\s+(?<epic>${KEY})(?:\\s+is\\s+(?:done|out|shipped|ready))?\\s*\\??`,
    ({ epic }) => `open issues in epic ${epic}`,
  ],
  [
    `who\\s+(?:else\\s+|all\\s+)?(?:works|is\\s+working|is)\\s+(?:on|in)\\s+(?:the\\s+)?(?:epic\\s+)?(?<epic>EPIC)(?:\\s+epic)?\\s*\\??`,
    ({ epic }) => `how many open issues in epic ${epic} by assignee`,
  ],
  [
    `(?:make|set)\\s+(?<what>${RECORDS})\\s+(?:due\\s+)?(?<count>${COUNT})\\s+(?<unit>day|week)s?\\s+(?<up>later|earlier|sooner)`,
    ({ what, count, unit, up }) => {
      const days = (NUMBER_WORDS[count.toLowerCase()] ?? (Number(count) || 1)) * (unit === "week" ? 7 : 1);
      return `set the due date of ${what} to 2000-01-01 shifted by ${/^later/i.test(up) ? days : -days} days`;
    },
  ],
  [
    `who(?:['’]s|\\s+is|\\s+has|\\s+have)?\\s+(?:got\\s+)?(?:nothing|the\\s+least|least|not\\s+much|little|time|room|capacity|free|idle)(?:\\s+(?:to\\s+do|on|work|on\\s+(?:their|his|her)\\s+(?:plate|desk)|for\\s+more))*\\s*\\??`,
    () => "how many open issues by assignee",
  ],
  // Lists, in the words that say which.
  [
    `what\\s+did\\s+(?<who>WHO)\\s+(?:say|write|think)\\s+about\\s+(?<rest>[^?]+?)\\s*\\??`,
    // "… about the passkey story": of those that are stories.
    ({ rest }) => `${/\b(?:story|bug|task|epic)$/i.test(rest) ? "find" : "search for"} ${rest}`,
  ],
  [
    `(?:what|which)\\s+(?:labels?|tags?|priority|status|type|due\\s+date|epic)\\s+(?:is|are|was|were)\\s+(?:set|there|put|given)\\s+(?:on|for|of|in|to)\\s+(?<rest>[^?]+?)\\s*\\??`,
    ({ rest }) => `show ${rest}`,
  ],
  [
    `(?:how\\s+many|what\\s+part|how\\s+much)(?:\\s+of)?\\s+(?:the\\s+)?epic\\s+(?<epic>${KEY})(?:['’]s)?(?:\\s+(?:issues|tickets|stories))?\\s+(?:is|are)\\s+done\\s+(?:versus|vs\\.?|against|compared\\s+to|and\\s+how\\s+many|or)\\s.*`,
    ({ epic }) => `how many issues in epic ${epic} by status`,
  ],
  [
    `(?:(?:what|which)\\s+|show\\s+(?:me\\s+)?|give\\s+me\\s+)?(?:the\\s+)?(?:percentage|percent|share|ratio|fraction|proportion)\\s+of\\s+(?:the\\s+|our\\s+)?(?<rest>.+?)\\s+(?:that\\s+|which\\s+)?(?:is|are|were|have\\s+been|has\\s+been)\\s+(?:fixed|done|closed|finished|resolved|open)\\s*\\??`,
    ({ rest }) => `how many ${rest.replace(/^epic /i, "issues in epic ")} by status`,
  ],
  [
    `(?:are\\s+there|do\\s+we\\s+have)\\s+more\\s+(?<what>bugs|stories|tasks)\\s+(?:or|than)\\s+(?:bugs|stories|tasks)(?<rest>\\s+open)?(?:\\s+(?:atm|now|at the moment|right now))?\\s*\\??`,
    ({ rest }) => `how many${rest} issues by type`,
  ],
  [
    `(?:does|has)\\s+(?:anybody|anyone|somebody|someone)\\s+(?:have|has|got)\\s+more\\s+than\\s+\\S+\\s+(?:things?\\s+|issues?\\s+|tickets?\\s+)?(?<rest>open|in\\s+progress)\\b.*`,
    ({ rest }) => `how many issues ${rest} by assignee`,
  ],
  [
    `who\\s+(?:all\\s+)?(?:works|is\\s+working)\\s+(?:on|in)\\s+(?:the\\s+)?(?<project>PROJECT)(?:\\s+project)?\\s*\\??`,
    ({ project }) => `how many open issues in ${project} by assignee`,
  ],
  [
    `(?:(?:show|list|find|give|which|any|what)\\s+(?:me\\s+)?(?:(?:are|is|all|the)\\s+)*)?(?:stale|forgotten|abandoned|neglected|dormant)\\s+(?<things>issues|tickets|bugs|tasks|stories)(?<rest>\\s+(?:in|of|for|from)\\s[^?]*)?\\s*\\??`,
    ({ things, rest }) => `open ${things}${rest} not updated in 30 days`,
  ],
  [
    `(?:(?:give|show|get|tell|send|make|prepare)\\s+(?:me\\s+|us\\s+)?)?(?:an?\\s+|the\\s+)?(?:short\\s+|quick\\s+)?(?:status|overview|progress|state)(?:\\s+(?:report|update|overview))?\\s+(?:of|for|on|in)\\s+(?:the\\s+)?(?<project>PROJECT)(?:\\s+project)?\\s*\\??`,
    ({ project }) => `how many issues in ${project} by status`,
  ],
  [
    `how(?:['’]s|\\s+is)\\s+(?:the\\s+)?(?<project>PROJECT)(?:\\s+project)?\\s+(?:doing|going|coming along|looking)(?:\\s+(?:today|now|so far))?\\s*\\??`,
    ({ project }) => `how many issues in ${project} by status`,
  ],
  [
    `what\\s+(?:did|have)\\s+(?:i|we)\\s+miss(?:ed)?(?:\\s+(?<rest>.{3,40}?))?\\s*\\??`,
    ({ rest }) => `what changed since ${rest.replace(/^since\s+/i, "") || "yesterday"}`,
  ],
  [
    `(?:what(?:['’]s|\\s+is)(?:\\s+there)?|what\\s+do\\s+we\\s+have|(?:list|show)(?:\\s+me)?\\s+(?:everything|all|all\\s+pages|all\\s+that\\s+is))\\s+in\\s+the\\s+(?<what>[\\p{L}& ]{2,30}?)\\s+space\\s*\\??`,
    ({ what }) => `pages in the ${what} space`,
  ],
  // The same changes in other words.
  [
    `(?<what>${KEYS})\\s+(?:should|must)\\s+(?:now\\s+)?be\\s+(?<rest>highest|high|medium|low|lowest)(?:\\s+${PRIO})?${WHY}`,
    ({ what, rest }) => `set the priority of ${what} to ${rest}`,
  ],
  [`who\\s+has\\s+what\\s+in\\s+(?<rest>review|progress)\\s*\\??`, ({ rest }) => `issues in ${rest}`],
  [
    `(?<what>${KEYS})\\s+(?:for|belongs\\s+to)\\s+(?<who>WHO)${WHY}`,
    ({ what, who }) => `assign ${what} to ${who}`,
  ],
  [
    `(?<who>WHO)\\s+(?:should|shall|must|has\\s+to|will)\\s+(?:do|handle|take|get|have|own|look\\s+after|take\\s+care\\s+of)\\s+(?<what>${KEYS})${WHY}`,
    ({ what, who }) => `assign ${what} to ${who}`,
  ],
  [
    `assign\\s+(?:me|myself)\\s+(?:to\\s+)?(?<what>${KEYS})|i(?:['’]d|\\s+would)\\s+like\\s+to\\s+(?:work\\s+on|do|take|have)\\s+(?<it>${RECORDS})`,
    ({ what, it }) => `assign ${what || it} to me`,
  ],
  [
    `(?<what>${KEYS})\\s+(?:should|must)\\s+have\\s+no\\s+(?:assignee|owner)`,
    ({ what }) => `unassign ${what}`,
  ],
  [
    `(?:i|we)(?:(?:['’](?:ve|m|re)|\\s+have|\\s+am|\\s+are)?\\s+(?:just\\s+|finally\\s+)?(?:fixed|solved|finished|completed|resolved|done\\s+with))\\s+(?<what>${KEYS})(?:\\s+(?:now|today|just\\s+now))?`,
    ({ what }) => `close ${what}`,
  ],
  [
    `(?<what>${RECORDS})\\s+(?:does\\s*n['’]?o?t\\s+need|should\\s+have\\s+no|needs?\\s+no)\\s+(?:an?\\s+)?(?:due\\s+date|deadline)(?:\\s+any\\s?more)?|(?:take|pull|unset|get)\\s+the\\s+(?:due\\s+date|deadline)\\s+(?:off|of|from)\\s+(?<it>${RECORDS})`,
    ({ what, it }) => `remove the due date of ${what || it}`,
  ],
  [
    `(?<what>${RECORDS})\\s+(?:gets|needs|has\\s+to\\s+get|should\\s+(?:get|have))\\s+the\\s+(?:label|tag)\\s+(?<text>[\\p{L}\\d_-]+)|(?:give|attach)\\s+(?<it>${RECORDS})\\s+(?:with\\s+)?the\\s+(?:label|tag)\\s+(?<rest>[\\p{L}\\d_-]+)`,
    ({ what, text, it, rest }) => `add the label ${text || rest} to ${what || it}`,
  ],
  [
    `(?<what>${KEYS})\\s*[:,]?\\s*(?:\\+\\s*)?(?:(?:label|tag)\\s*[:=]?\\s*(?<text>[\\p{L}\\d_-]+)|(?<=\\+\\s*)(?<rest>[\\p{L}\\d_-]+)\\s+(?:label|tag))|add\\s+an?\\s+(?:label|tag)\\s+to\\s+(?<it>${KEYS})\\s*:\\s*(?<things>[\\p{L}\\d_-]+)|attach\\s+(?:the\\s+)?(?:label|tag)\\s+(?<up>[\\p{L}\\d_-]+)\\s+to\\s+(?<by>${RECORDS})`,
    ({ what, text, rest, it, things, up, by }) =>
      `add the label ${text || rest || things || up} to ${what || it || by}`,
  ],
  [
    `(?:rename|retitle)\\s+(?<what>${KEY})\\s*:\\s*["“]?(?<text>[^"”]+?)["”]?|(?:change|set|make|update)\\s+(?:the\\s+)?(?:(?:title|name|summary)\\s+of\\s+(?<it>${KEY})\\s+|(?<by>${KEY})['’]s\\s+(?:title|name|summary)\\s+(?:to\\s+)?)(?:to\\s+)?["“]?(?<rest>[^"”:]+?)["”]?|(?<who>${KEY})\\s+(?:should\\s+(?:now\\s+)?be\\s+called|(?:title|summary|name)\\s*[:=])\\s+["“]?(?<up>[^"”]+?)["”]?|(?:call\\s+(?<epic>${KEY})(?!\\s+(?:an?|it|off|back|out|in|as|again|done|finished|closed|ready|complete|resolved|fixed|high\\w*|low\\w*|urgent)\\b)|give\\s+(?<project>${KEY})\\s+the\\s+(?:title|name|summary))\\s+["“]?(?<put>[^"”:]+?)["”]?`,
    ({ what, text, it, by, rest, who, up, epic, project, put }) =>
      `rename ${what || it || by || who || epic || project} to "${text || rest || up || put}"`,
  ],
  [
    `(?:add|write|leave|post)\\s+(?:an?\\s+)?comment\\s+(?:on\\s+|to\\s+)?(?<what>${KEY})\\s+(?!(?:that|saying|from|by|to|with|about|for|and|which)\\b)(?<text>\\S+\\s[^:]+)|(?:answer|respond|log)\\s+(?:on|in|under)\\s+(?<it>${KEY})\\s*(?::|\\s+that)\\s+(?<rest>.+)|let\\s+(?:people|everyone|everybody|them|the\\s+others|the\\s+team)\\s+on\\s+(?<by>${KEY})\\s+know\\s+(?:that\\s+)?(?<up>.+)|comment\\s+(?!(?:on|to|in|that|by|from|for|it|this)\\b)(?<put>[^:"“]{8,}?)\\s+on\\s+(?<who>${KEY})`,
    ({ what, text, it, rest, by, up, put, who }) =>
      `comment on ${what || it || by || who}: ${text || rest || up || put}`,
  ],
  [
    `(?:set|mark|add|put)\\s+(?<what>${KEY})\\s+(?:up\\s+)?as\\s+(?:an?\\s+|the\\s+)?blocker\\s+(?:of|for)\\s+(?<by>${KEY})`,
    ({ what, by }) => `link ${what} blocks ${by}`,
  ],
  [
    `link\\s+(?<what>${KEY})\\s+(?:to|with|and)\\s+(?<by>${KEY})(?:\\s+together)?`,
    ({ what, by }) => `link ${what} relates to ${by}`,
  ],
  [
    `(?<what>${KEYS})\\s+(?:(?:is|are|should\\s+be)\\s+part\\s+of\\s+(?:the\\s+)?epic|epic\\s*[:=])\\s+(?<epic>${KEY})|(?<by>${KEY})\\s+should\\s+be\\s+the\\s+epic\\s+(?:of|for)\\s+(?<it>${KEYS})`,
    ({ what, epic, by, it }) => `put ${what || it} under epic ${epic || by}`,
  ],
  // Whose it was.
  [
    `(?:remove|take|pull)\\s+(?<who>me|WHO)\\s+(?:from|off)\\s+(?<what>${RECORDS})`,
    ({ what }) => `unassign ${what}`,
  ],
  [
    `take\\s+(?<what>${RECORDS})\\s+(?:away\\s+)?(?:from|off)\\s+(?<who>WHO)`,
    ({ what }) => `unassign ${what}`,
  ],
];

function saidIn(groups: Readonly<Record<string, string | undefined>>): Said {
  return Object.fromEntries(GROUPS.map((name) => [name, groups[name] ?? ""])) as Said;
}

function namesOf(known: readonly KnownName[], of: string): string {
  const own = known.filter(({ kind }) => kind === of).flatMap(({ id, name }) => [name, id]);
  return anyOf(own, loosely);
}

type Edit = readonly [pattern: RegExp, order: (said: Said) => string];

/** Of the same names for many messages, and of the same words many times for one message. */
const readers = new WeakMap<readonly KnownName[], (wish: string) => string | undefined>();
const MOST_WISHES = 64;

function readerFor(known: readonly KnownName[]): (wish: string) => string | undefined {
  const people = namePattern(known).source;
  const edits = EDITS.map(([pattern, order]): Edit => {
    const own = pattern
      .replaceAll("WHO", () => people)
      .replace("PROJECT", () => namesOf(known, "project"))
      .replace("EPIC", () => namesOf(known, "epic"));
    return [new RegExp(`^\\W*(?:${own})[\\s.!]*$`, "isu"), order];
  });
  return remember(MOST_WISHES, (wish) => {
    for (const [pattern, order] of edits) {
      const found = pattern.exec(wish);
      if (found !== null) return order(saidIn(found.groups ?? {}));
    }
    return undefined;
  });
}

/** A change in the plain words of which it is read; undefined where it is none of these. */
export function asPlainEdit(wish: string, known: readonly KnownName[]): string | undefined {
  const read = readers.get(known) ?? readerFor(known);
  readers.set(known, read);
  return read(wish);
}
