import type { KnownName } from "#contract/plan.ts";

import { namePattern } from "./people.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { KEY as ONE_KEY } from "./words.ts";

const THINGS = "(?:issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?|ones)";
const KEY = /(?<!\bepic\s)\b[A-Z]\w*-\d/i;
/** Orders that may be for many; what destroys is said of each. */
const ORDER =
  "(?:re-?)?assign|give|hand|pass|move|set|put|mark|change|close|resolve|reopen|start|unassign|push|postpone|reschedule|delay|bump";
/** What tells of which records "the bugs" are. */
const TELLS =
  "(?:in|of|from|under|with|without|nobody|no[ -]?one|due|labell?ed|tagged|assigned|(?:that|which)\\s+(?:are|have|nobody|no[ -]?one|\\p{L}+\\s+(?:has|owns|reported))|i\\s+(?:have|own|reported)|\\p{L}+\\s+(?:has|owns|reported|opened|filed))\\b";
const ALL = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*(${ORDER})\\s+(?:all|every|each|the(?=\\s+(?:\\p{L}+\\s+){0,3}(?:issues|tickets|bugs|tasks|stories)\\s+${TELLS}))(?:\\s+(?:of|the|our|those))*\\s+(.*\\b${THINGS}\\b.*)$`,
  "isu",
);
/** "Give Dmitri's To Do tickets to me": whoever's they are, all of them are meant. */
const OF_ONE = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*(${ORDER})\\s+(\\p{Lu}[\\p{L}]+(?:\\s\\p{Lu}\\p{L}+)?['’]s\\s+.*\\b(?:issues|tickets|bugs|tasks|stories)\\b.*)$`,
  "su",
);
const TO_ALL = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*(?:add|put)\\s+(?:the\\s+)?label\\s+["“]?([\\w-]+)["”]?\\s+(?:to|on)\\s+(?:all|every|each)(?:\\s+(?:of|the|our|those))*\\s+(.*\\b${THINGS}\\b.*)$`,
  "isu",
);
/** "Everything that's overdue, push it to Monday", "whatever is in review: close it" */
const EVERYTHING = new RegExp(
  `^\\W*(?:please\\s+|pls\\s+|and\\s+|so\\s+)*(?:(?:everything|all|anything)\\s+(?:(?<that>that(?:['’]s|\\s+is|\\s+has|\\s+are))\\s+)?|whatever\\s+(?:(?<so>is|has)\\s+))(?!(?:is|are|was|has|that)\\b)(?=[^,:;]*\\b(?:over-?due|late|open|unassigned|in\\s+(?:review|progress)|to\\s+do|backlog|due|mine|assigned|labell?ed|tagged|high\\w*|low\\w*|medium|urgent|blocked|nobody|no)\\b)(?<how>[^,:;]{3,60}?)\\s*[,:]\\s*(?:(?:please|pls|just|can you|could you)\\s+)*(?<verb>${ORDER})\\s+(?:(?:it|them|those|these)(?:\\s+all)?|all\\s+of\\s+(?:it|them|those|these))(?<rest>\\s.*)?$`,
  "isu",
);
const DAY =
  /^(?:(?:next|this)\s+(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month)|(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:\s+next\s+week)?|tomorrow|today|(?:the\s+)?end\s+of\s+(?:the\s+|this\s+|next\s+)?(?:week|month|year)|(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?\.?(?:\s+(?:of\s+)?\p{L}{3,9})?|\p{L}{3,9}\s+\d{1,2}(?:st|nd|rd|th)?|\d{4}-\d\d-\d\d)$/iu;
const STATE = /^(?:to do|todo|in progress|progress|in review|review|done|backlog|closed|won['’]?t do)$/i;
const PRIORITY = /^(?:highest|high|medium|low|lowest)(?: prio(?:rity)?)?$/i;

/** 'Tag all open dark mode tickets with "design"' */
const TAGGED =
  /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:tag|label)\s+((?:all|every|each)\b.+?)\s+(?:with|as)\s+(?:the\s+label\s+)?["“]?([\p{L}\p{N}_-]+)["”]?\W*$/iu;
/** "Take all of Ben's open bugs and give them to Emi" */
const TAKEN_FROM =
  /^\W*(?:(?:please|pls|can you|could you)\s+)*take\s+(all\b.+?)\s+and\s+(?:give|assign|hand|pass)\s+(?:them|those|these)\s+(?:over\s+)?to\s+(\p{L}+)(?:[,.;–-]\s+(?:he|she|they|it|because|since|as)\b.*)?$/isu;

/**
 * "Give all of Ben's open bugs to Emi" as what is found first, and an order for each of them. Undefined where records
 * are named, or somebody is left out.
 */
export function foundFirst(given: string): string | undefined {
  const message = given
    .replace(/(?<=\blabel\s)["“]([\w-]+)["”]/i, "$1")
    .replace(/\b(to|on)\s+everything(?=\s+(?:with|in|of|that)\b)/i, "$1 all issues")
    .replace(TAKEN_FROM, "give $1 to $2")
    .replace(TAGGED, "add the label $2 to $1")
    .replace(EVERYTHING, (_all, ...found: unknown[]) => orderForAll(found.at(-1) as Everything));
  const { masked } = createSheet(message);
  if (masked.includes(QUOTED) || COLON.test(masked) || KEY.test(message) || /\?\s*$/.test(message))
    return undefined;
  if (
    /\b(?:but|except|excluding|other than|apart from|unless|if|and|or|until|not|never|only|n['’]t)\b/i.test(
      message,
    )
  )
    return undefined;
  const labelled = TO_ALL.exec(message);
  if (labelled) return `find ${labelled[2] ?? ""}; add the label ${labelled[1] ?? ""} to them`;
  const [, verb = "", rest = ""] = ALL.exec(message) ?? OF_ONE.exec(message) ?? [];
  if (verb === "") return undefined;
  const body = rest.replace(/(?:[\s,.!]+(?:for now|please|pls|for the moment))*[\s.!]*$/i, "");
  // What is closed already is meant by nobody.
  const isOpen =
    !/^(?:reopen|re-open)$/i.test(verb) &&
    !/\b(?:open|done|closed|resolved|finished|to do|todo|backlog|review|progress)\b/i.test(body);
  if (/^(?:close|resolve|reopen|start|unassign)$/i.test(verb))
    return `find ${isOpen ? "open " : ""}${body}; ${verb} them`;
  const to = [...body.matchAll(/\s+(?:to|as|into|on|in)\s+(?:the\s+)?/gi)].at(-1);
  if (to === undefined) return undefined;
  const things = body.slice(0, to.index);
  const value = body.slice(to.index + to[0].length);
  if (DAY.test(value) && /^(?:move|set|push|postpone|reschedule|delay|bump|put)$/i.test(verb))
    return `find ${isOpen ? "open " : ""}${things}; set the due date of them to ${value}`;
  if (STATE.test(value)) return `find ${things}; move them to ${value}`;
  if (PRIORITY.test(value))
    return `find ${isOpen ? "open " : ""}${things.replace(/\bpriority of\s+/i, "")}; set the priority of them to ${value}`;
  return /^(?:assign|reassign|re-assign|give|hand|pass)$/i.test(verb) && /^[\p{L}.'’ -]+$/u.test(value)
    ? `find ${isOpen ? "open " : ""}${things}; assign them to ${value}`
    : undefined;
}

interface Everything {
  that?: string;
  so?: string;
  how: string;
  verb: string;
  rest?: string;
}

/** "Overdue and still open" as an order for all issues that are so. */
function orderForAll({ that = "", so = that, how, verb, rest = "" }: Everything): string {
  const open = how.replace(/\s+and\s+(?:(?:is\s+)?still\s+)?(?:open|unfinished|not\s+done(?:\s+yet)?)$/i, "");
  const are = /has$/i.test(so) ? "have" : "are";
  return `${verb} all ${open === how ? "" : "open "}issues that ${are} ${open}${rest}`;
}

const LEVEL = "highest|high|medium|low|lowest";
const DETAIL_OF =
  "(?:with\\s+)?(?:prio(?:rity)?\\s+(?:to\\s+|is\\s+)?(?<level>LEVEL)|(?<grade>LEVEL)(?:\\s+prio(?:rity)?)?)|(?:it['’]s\\s+)?due\\s+(?!to\\b)(?:on\\s+|by\\s+)?(?<due>\\S.{2,25})|(?:with\\s+)?(?:the\\s+)?(?:label|tag)(?:led|ged)?\\s+(?:it\\s+)?(?:with\\s+|as\\s+)?(?<label>[\\p{L}\\d_-]+)|(?:(?:assign(?:ed)?|give|hand)\\s+)?(?:it\\s+)?(?:to|for)\\s+(?<who>WHO)|(?<name>WHO)|(?<mine>mine)|(?:(?:move|set|put)\\s+(?:it\\s+)?)?(?:to\\s+|in(?:to)?\\s+)?(?<state>to do|in progress|in review|done|won['’]?t do)".replaceAll(
    "LEVEL",
    LEVEL,
  );
const HEAD = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*(?<order>(?:(?:re-?)?assign|give|hand|pass|move|set|put|close|start|label|tag|bump|raise|lower|reopen|make)\\s[^,.:;!?]*?${ONE_KEY}[^,.:;!?]*?),\\s*(?<rest>.+)$`,
  "isu",
);
/** "…, and write as a comment that …" */
const NOTE =
  /[\s,;]+(?:and\s+)?(?:please\s+|pls\s+)?(?:write|note|add|put|leave|comment)(?:\s+(?:there|it|this))?(?:\s+(?:as|in)\s+a\s+comment|\s+a\s+(?:comment|note))?(?:\s+that\s+|\s+saying\s+|\s*:\s*)(?<text>\S+\s.*)$/isu;
const LISTED = new RegExp(
  `^\\W*(?<key>${ONE_KEY})\\s*(?::|\\s[–-]|->|→)\\s+(?<rest>(?:\\b(?:title|summary)\\s*:|[^:])+)$`,
  "isu",
);

/**
 * "Assign DEMO-4 to Ben, prio high, due Monday and label it seo", "DEMO-4: Ben, high, due Monday": one order for each
 * of what the record shall have. As it is said where something else stands among them.
 */
export function withDetails(message: string, known: readonly KnownName[]): string {
  const { masked, quotes } = createSheet(message);
  // A title in quotes is one of the values: "DEMO-3: title “Total first”, high, Ben".
  const [title, ...others] = quotes;
  const text = title === undefined ? masked : masked.slice(0, title.start) + TITLED + masked.slice(title.end);
  const noted = title === undefined ? NOTE.exec(text) : null;
  const listed = noted === null ? text : text.slice(0, noted.index);
  const found = (HEAD.exec(listed) ?? LISTED.exec(listed))?.groups;
  const keys = new Set(text.toUpperCase().match(new RegExp(ONE_KEY, "gu")));
  const [key] = keys;
  if (others.length > 0 || found === undefined || key === undefined || keys.size > 1) return message;
  const { order, rest = "" } = found;
  if (order?.includes(TITLED) === true) return message;
  const detail = new RegExp(`^(?:${DETAIL_OF.replaceAll("WHO", `me|${namePattern(known).source}`)})$`, "iu");
  const pieces = rest
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/i)
    .map((piece) => piece.replace(/^(?:please|pls)\s+|[\s.!]+$/gi, ""));
  const orders = pieces.map((piece) => {
    if (title !== undefined && NAMED.test(piece)) return `rename ${key} to "${title.value}"`;
    const {
      level,
      grade = level,
      due,
      label,
      who,
      mine,
      name = mine ? "me" : who,
      state,
    } = detail.exec(piece)?.groups ?? {};
    if (grade !== undefined) return `set the priority of ${key} to ${grade}`;
    if (due !== undefined) return `set the due date of ${key} to ${due}`;
    if (label !== undefined) return `add the label ${label} to ${key}`;
    if (state !== undefined) return `move ${key} to ${state}`;
    return name === undefined ? undefined : `assign ${key} to ${name}`;
  });
  const isList = order === undefined;
  const note = noted?.groups?.["text"]?.replace(/[\s.]+$/, "");
  if (note !== undefined) orders.push(`comment on ${key}: "${note.replaceAll('"', "'")}"`);
  if (orders.includes(undefined) || orders.length < (isList ? 2 : 1)) return message;
  return [...(isList ? [] : [order]), ...orders].join("; ");
}

/** Stands for a title in quotes. */
const TITLED = "\uE004";
const NAMED = new RegExp(
  `^(?:with\\s+)?(?:(?:the\\s+)?(?:new\\s+)?(?:title|summary)(?:\\s+(?:is|to))?\\s*:?\\s*|(?:re(?:name|title)|call)\\s+(?:it\\s+)?(?:to\\s+)?)${TITLED}$`,
  "iu",
);
