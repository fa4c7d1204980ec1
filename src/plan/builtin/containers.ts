import type { ArgSources, KnownName } from "#contract/plan.ts";

import { anyOf, literally, loosely } from "../../base/matching.ts";
import { createSheet } from "./sheet.ts";
import { STOP_WORDS, tokenize, wordSet } from "./words.ts";

const EPIC = /(?<![\p{L}])epics?(?![\p{L}])/giu;
const MOST_WORDS = 6;

/**
 * A message with the key of an epic that is called by its name, or by words that only one epic's name has: "the
 * checkout epic", "the epic App version 2.0". What is quoted elsewhere, and new epics, are left alone.
 */
export function withEpicKeys(given: string, known: readonly KnownName[]): { text: string; put: ArgSources } {
  const found = withKeys(given, known);
  return { ...found, text: found.text.replace(OF_ITSELF, "$1 of $2") };
}

/** "The due date of the accounts epic" stands on that, and on no issue in it. */
const OF_ITSELF =
  /(?<!\b(?:by|per)\s)\b(due date|deadline|status|state|assignee|owner|prio(?:rity)?|reporter|description|labels?)(?:\s+(?:of|for))?\s+epic\s+([A-Z]\w*-\d+)/giu;

function withKeys(given: string, known: readonly KnownName[]): { text: string; put: ArgSources } {
  const epics = known.filter(({ kind }) => kind === "epic");
  // "The epic about leaving the old data centre"
  const about = given.replace(ABOUT, "$1 ");
  const called = about === given ? undefined : keyed(about, epics);
  if (called !== undefined && Object.keys(called.put).length > 0) return called;
  const under = given.replace(UNDER, "$1epic ");
  const found = under === given ? undefined : keyed(under, epics);
  return found !== undefined && Object.keys(found.put).length > 0
    ? found
    : keyed(withEpicWord(given, epics), epics);
}

const ABOUT = /\b(epics?)\s+(?:about|on|called|named|for)\s+(?:the\s+)?(?=\p{L})/iu;

/** "Put OPS-19 under quiet nights", "a story in MOB under MOB-1": what a record goes under is an epic. */
const UNDER =
  /^((?:(?:please|pls|can you|could you|and|now|then)\s+)*(?:put|move|add|create|make|open|file|new|group)\b[^:"“]{2,80}?\bunder\s+(?:the\s+)?)(?!epic\b|["“]|[^,.;:]{0,40}\bepic\b)(?=[\p{L}\p{N}])/iu;

function keyed(message: string, epics: readonly KnownName[]): { text: string; put: ArgSources } {
  const { masked } = createSheet(message);
  for (const { index: at } of epics.length === 0 ? [] : masked.matchAll(EPIC)) {
    const end = at + (/^epics?/i.exec(message.slice(at))?.[0].length ?? 0);
    const before = tokenize(masked.slice(0, at)).slice(-MOST_WORDS);
    const after = tokenize(message.slice(end)).slice(0, MOST_WORDS);
    for (const { id, name } of epics) {
      if (new RegExp(`^\\s+${literally(id)}(?![\\p{L}\\p{N}-])`, "iu").test(message.slice(end)))
        return { text: message, put: { [id]: { from: "result", ref: name } } };
      const words = new Set(tokenize(name).map(({ stem }) => stem));
      const isOwn = ({ stem, lower }: (typeof before)[number]): boolean =>
        words.has(stem) || (words.size > 1 && /^(?:the|of|a|version)$/.test(lower));
      const ahead = before.slice(before.findLastIndex((word) => !isOwn(word)) + 1);
      const until = after.findIndex((word) => !isOwn(word));
      const behind = until === -1 ? after : after.slice(0, until);
      const telling = (some: typeof before): number =>
        some.filter(
          ({ lower, stem }) => words.has(stem) && !STOP_WORDS.has(lower) && !/^with(?:out)?$/.test(lower),
        ).length;
      const isUnique = (some: typeof before): boolean =>
        telling(some) > 0 &&
        epics.filter((epic) => {
          const own = new Set(tokenize(epic.name).map(({ stem }) => stem));
          return some.every(({ stem, lower }) => STOP_WORDS.has(lower) || own.has(stem));
        }).length === 1;
      const put: ArgSources = { [id]: { from: "result", ref: name } };
      if (isUnique(ahead)) {
        const from = ahead.find(({ lower }) => lower !== "the") === undefined ? at : (ahead[0]?.start ?? at);
        const lead = /\bthe\s+$/i.exec(message.slice(0, from))?.[0].length ?? 0;
        return { text: `${message.slice(0, from - lead)}epic ${id}${message.slice(end)}`, put };
      }
      if (isUnique(behind)) {
        const to = end + (behind.at(-1)?.end ?? 0);
        const quote = /^["”'’.](?!\d)/.exec(message.slice(to))?.[0] ?? "";
        return {
          text: `${message.slice(0, at)}epic ${id}${message.slice(to + (quote === "." ? 0 : quote.length))}`,
          put,
        };
      }
    }
  }
  return { text: message, put: {} };
}

/** "What's left in the checkout redesign": which whole it is about, where its name is said as one. */
function withEpicWord(message: string, epics: readonly KnownName[]): string {
  const { masked } = createSheet(message);
  const asks =
    /^\W*(?:and\s+|so\s+)?(?:what|which|who|how many|how much|any\p{L}*|show|list|is|are)\b/iu.test(
      message,
    ) &&
    /\b(?:left|open|done|finished|bugs|issues|tickets|tasks|stories|things|pieces|remain(?:s|ing)|(?:have|has|need|needs)\s+to\s+(?:do|be\s+done)|missing|belongs?|nobody|picked up|overdue|late|doing what|who|mine)\b/i.test(
      message,
    );
  const isOfAll = STANDS.test(message);
  const isSame = SAME_FOR.test(message);
  if (!(asks || isOfAll || isSame) || EPIC_WORD.test(masked) || /[A-Z]\w*-\d/.test(masked)) return message;
  for (const { name } of epics) {
    const words = anyOf([name], loosely)
      .replaceAll(/ +/g, "[ -]+")
      .replaceAll(/\band\b/giu, "(?:and|&|\\+)")
      .replaceAll(/\bversion\[ -\]\+/giu, "(?:version[ -]+)?");
    const pattern = new RegExp(
      `(?<![\\p{L}])((?:in|of|from|for|under|before\\s+(?:we\\s+)?(?:can\\s+)?(?:ship|release|launch|finish|close)(?:ing)?${isOfAll ? "|with|on|far\\s+(?:along\\s+)?is" : ""}${isSame ? "|and|about" : ""})\\s+)(?:the\\s+|our\\s+)?(${words})(?![\\p{L}\\p{N}])`,
      "iu",
    );
    if (pattern.test(masked)) return message.replace(pattern, "$1the epic $2");
  }
  return message;
}

/** "Same for App version 2.0", "and the checkout redesign?", behind a question. */
const SAME_FOR =
  /^\W*(?:(?:and\s+)?(?:the\s+)?same\s+(?:for|of|with)|(?:and\s+)?(?:what|how)\s+about|and)\s+(?:the\s+)?[^,.;:?!]{3,40}(?:\.\d)?(?:\s+(?:please|pls|too|as\s+well))*[\s?.!]*$/i;

/** "Where are we with accounts and login?" */
const STANDS =
  /\bhow far (?:along )?(?:is|are)\b|\bwhere (?:(?:are|do) we (?:stand )?|we (?:are|stand) )(?:with|on)\b|\bhow (?:far|are we) (?:are we )?(?:doing )?(?:with|on)\b|\b(?:did|has) any(?:thing|one|body) (?:move|moved|change|changed|happen|happened)\b|\b(?:status|progress|state) of\b|\bwhat(?:['’]?s|\s+is)? (?:remain(?:s|ing)|new|going on) (?:in|on|with|of)\b/i;

const EPIC_WORD = /\bepics?\b/i;

const SORTS =
  /\b(?:(?:still |not )?(?:open|done|closed|finished|started|assigned)|unfinished|unassigned|overdue|late|remaining|left(?: to do)?|in progress|in review|to ?do|bugs?|stories|tasks)\b/giu;

/** What may stand around such a question. */
const OF_EPIC = wordSet(
  "many much exactly overall altogether total please pls still yet there have has got been see need know work things stuff everything",
);

/** "What is still open in epic DEMO-10?", "how many of epic DEMO-10 are done": which of its issues are asked for. */
export function issuesOfEpic(message: string): string | undefined {
  const found =
    /^\W*(.*?)\b(?:in|of|from|under)\s+(?:the\s+)?epic\s+([A-Za-z]\w{0,15}-\d{1,9})\b(.*)$/isu.exec(message);
  const [, before = "", key = "", after = ""] = found ?? [];
  const asks = /^(?:and\s+)?(?:what|which|how many|is|are|show|list|any\w*|open|who)\b/i.test(before);
  const said = `${before} ${after}`.replaceAll(
    /(?:n['’]t|\s+not)(?:\s+(?:yet|been|being|already))*(?=\s)/giu,
    " not",
  );
  const sorts = said.match(SORTS) ?? [];
  const isOther =
    /[A-Za-z]\w*-\d|["“:]|\b(?:by|per|sort\p{L}*|order\p{L}*|oldest|newest|first|due|since|last|this|not\s+(?!open|done|closed|finished|started|assigned)\p{L}+)\b/iu.test(
      said,
    );
  if (!found || !asks || sorts.length === 0 || isOther || /(?:\bnot|n['’]t)\s*$/i.test(before))
    return undefined;
  // What else is said of them is no condition that could be passed over.
  const rest = sorts.reduce((text, sort) => text.replace(sort, " "), said);
  const isMore = tokenize(rest).some(
    ({ lower }) =>
      !STOP_WORDS.has(lower) && !OF_EPIC.has(lower) && !/^(?:issues?|tickets?|ones?)$/.test(lower),
  );
  if (isMore) return undefined;
  const things = sorts.filter((sort) => /^(?:bugs?|stories|tasks)$/i.test(sort));
  const states = sorts.filter((sort) => !things.includes(sort));
  const plain = states.map((sort) =>
    /^(?:left|remaining|unfinished)/i.test(sort) ? "open" : sort.replace(/^still /i, ""),
  );
  const head = /^(?:and\s+)?how many/i.test(before) ? "how many" : "list";
  return `${head} ${[...new Set(plain)].join(" ")} ${things[0] ?? "issues"} in epic ${key}`.replace(
    /\s+/g,
    " ",
  );
}
