import { COLON, createSheet, QUOTED } from "./sheet.ts";

const THINGS = "(?:issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?|ones)";
const KEY = /(?<!\bepic\s)\b[A-Z]\w*-\d/i;
/** Orders that may be for many; what destroys is said of each. */
const ORDER = "(?:re-?)?assign|give|hand|pass|move|set|put|mark|change|close|resolve|reopen|start|unassign";
const ALL = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*(${ORDER})\\s+(?:all|every|each|the(?=\\s+(?:\\p{L}+\\s+){0,3}(?:issues|tickets|bugs|tasks|stories)\\s+(?:in|of|from|under)\\b))(?:\\s+(?:of|the|my|our|those))*\\s+(.*\\b${THINGS}\\b.*)$`,
  "isu",
);
/** "Give Dmitri's To Do tickets to me": whoever's they are, all of them are meant. */
const OF_ONE = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*(${ORDER})\\s+(\\p{Lu}[\\p{L}]+(?:\\s\\p{Lu}\\p{L}+)?['’]s\\s+.*\\b(?:issues|tickets|bugs|tasks|stories)\\b.*)$`,
  "su",
);
const TO_ALL = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*add\\s+(?:the\\s+)?label\\s+(\\S+)\\s+to\\s+(?:all|every|each)(?:\\s+(?:of|the|my|our|those))*\\s+(.*\\b${THINGS}\\b.*)$`,
  "isu",
);
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
  const message = given.replace(TAKEN_FROM, "give $1 to $2").replace(TAGGED, "add the label $2 to $1");
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
  if (STATE.test(value)) return `find ${things}; move them to ${value}`;
  if (PRIORITY.test(value))
    return `find ${things.replace(/\bpriority of\s+/i, "")}; set the priority of them to ${value}`;
  return /^(?:assign|reassign|re-assign|give|hand|pass)$/i.test(verb) && /^[\p{L}.'’ -]+$/u.test(value)
    ? `find ${things}; assign them to ${value}`
    : undefined;
}
