import { distance } from "fastest-levenshtein";

import { anyOf } from "../../base/matching.ts";
import { sameWord, type Slot, splitName } from "../slot.ts";
import { toDay } from "./dates.ts";
import {
  ANY_QUOTED,
  type Filling,
  closedValues,
  findLabelled,
  inTopic,
  isLimit,
  isOpen,
  labelsOf,
  matchPiece,
  namedValues,
  put,
  valueOf,
} from "./filling.ts";
import { isSelector, selectedBy } from "./operations.ts";
import { type Piece, TAKEN } from "./sheet.ts";
import type { Wish } from "./wish.ts";
import { stemOf, STOP_WORDS, tokenize } from "./words.ts";

/** What teams call the states of work, where a schema names none. */
const STATES = {
  todo: ["To Do", "Open", "New", "Backlog", "Reopened"],
  doing: ["In Progress", "Started", "Doing", "Active"],
  done: ["Done", "Closed", "Resolved", "Completed", "Finished"],
  other: ["In Review", "Blocked", "On Hold", "Ready for QA", "Cancelled", "Won't Do"],
} as const;
const ALL_STATES: readonly string[] = Object.values(STATES).flat();

/** The state that a verb moves to. */
const REACHES: Record<string, keyof typeof STATES> = {
  close: "done",
  resolve: "done",
  finish: "done",
  complete: "done",
  reopen: "todo",
  start: "doing",
};

/** Words for the usual open choices, by the last word of the argument's name. */
const CHOICES: Record<string, string[]> = {
  priority: ["Highest", "High", "Medium", "Low", "Lowest", "Critical", "Urgent", "Minor", "Major"],
  severity: ["Critical", "High", "Medium", "Low", "Minor", "Major"],
  type: ["Bug", "Task", "Story", "Epic", "Incident", "Improvement"],
};

/** What people say for a state without its name. */
const SAID_STATES: readonly [RegExp, string][] = [
  [
    /\b(?:waiting (?:for|in)|under|awaiting|needs?|in)(?: a)? (?:code )?review|to be reviewed\b/i,
    "In Review",
  ],
  [/\bwon['’]?t (?:do|fix)|wontfix\b/i, "Won't Do"],
];

const NOT =
  "(?:\\p{L}+n['’]?t|not|never|yet to be|waiting to be|still to be|without(?: the)?|except(?: for)?|minus|excluding|leav(?:e|ing) out|skip(?:ping)?|hid(?:e|ing)|(?:nobody|no one) has)(?: (?:what|those|the ones|that|which|things)(?:['’]s)?(?: (?:that )?(?:are|is|were|was))?)?(?: (?:yet|been|being|already|quite|the|be))*";
const OVER = "(?:done|closed|finished|resolved|sorted|fixed|solved|completed)";

/** What people say for the broad states that a search can tell apart. */
const BROAD: readonly [RegExp, RegExp][] = [
  [
    /^open$/i,
    new RegExp(
      `(?<!\\b(?:not|to|cannot|can|won['’]t|doesn['’]t|don['’]t) )\\b(?:(?:still )?open|unresolved|unfinished|outstanding|${NOT} ${OVER}(?: (?:ones|yet))*|incomplete|active|remaining|(?:still|currently) running)\\b`,
      "iu",
    ),
  ],
  [
    /^(?:done|closed|complete)$/i,
    /\b(?:closed|resolved|finished|completed|fixed|solved|shipped|(?:get|got) done)\b/i,
  ],
  [
    /^(?:to[ _-]?do|new)$/i,
    new RegExp(
      `\\b(?:${NOT} (?:even )?(?:started|begun)|unstarted|(?:nobody|no one) has (?:yet |even )?(?:started|begun)(?: (?:on|with)(?: (?:it|them))?)?|in the backlog)\\b`,
      "iu",
    ),
  ],
  [/^in[ _-]?progress$/i, /\b(?:ongoing|under way|being worked on|underway|in the works)\b/i],
];

/** States: "status Done", "to In Progress", "as done", "close it", "which are blocked", "only open ones". */
export function fillStatus(filling: Filling): void {
  // "The status page" is no state.
  if (/\bstatus (?:pages?|updates?|mails?|meetings?|messages?|reports?)\b/i.test(filling.sheet.masked))
    return;
  const isState = ({ words }: Slot): boolean => words.some((word) => /^(?:status|state|stage)$/.test(word));
  const slots = filling.entry.slots.filter(
    (slot) => (slot.kind === "status" || (slot.kind === "enum" && isState(slot))) && isOpen(filling, slot),
  );
  const moves = filling.wish.intents.has("move");
  const exact = slots.filter((slot) => slot.required || moves);
  for (const slot of slots.filter((each) => !exact.includes(each))) fillStates(filling, slot);
  for (const slot of exact) fillReached(filling, slot);
  for (const slot of slots.filter((each) => !exact.includes(each) && each.kind === "enum"))
    fillBroad(filling, slot);
  for (const slot of slots.filter((each) => !exact.includes(each)))
    if (isOpen(filling, slot)) fillWithin(filling, slot, slots);
  const isBusy = filling.wish.isNow && slots.every((slot) => isOpen(filling, slot));
  const [broad] = slots.filter(({ kind }) => kind === "enum");
  const doing = broad?.values.find((each) =>
    BROAD.some(([value]) => value.test(each) && value.test("in_progress")),
  );
  if (
    isBusy &&
    broad &&
    doing !== undefined &&
    typeof filling.args["assignee"] === "string" &&
    filling.args["assignee"] !== "none"
  )
    filling.args[broad.name] = doing;
}

/** What the server's records are called in their states, where that is known, and else what teams call them. */
function statesOf({ around, entry }: Filling): readonly string[] {
  const known = (around.known ?? []).filter(
    ({ kind, server }) => kind === "status" && server === entry.tool.server,
  );
  return known.length > 0 ? known.map(({ name }) => name) : ALL_STATES;
}

/** "In Progress (dev)" however its words are joined. */
function asState(state: string): string {
  return state.replaceAll(/[^\p{L}\p{N}]+/gu, (between) =>
    /[^ _-]/.test(between) ? "[ _()/,.&+-]{0,3}" : "[ _-]?",
  );
}

/** "In review or in progress": several states, of an argument that takes them with commas. */
function fillStates(filling: Filling, slot: Slot): void {
  if (slot.kind === "enum" || !/comma/i.test(slot.description)) return;
  const words = anyOf(
    statesOf(filling).filter((state) => !/^(?:Open|Closed|New)$/.test(state)),
    (state) => asState(state).replace(/^In\[ _-\]\?/, "(?:In[ _-]?)?"),
  );
  const state = `(?:(?:waiting )?(?:for|in|under) )?(?:${words})`;
  const found = matchPiece(
    filling.sheet.masked,
    new RegExp(
      `(?<![\\p{L}])(${state}(?:\\s*(?:,|\\/|\\band\\b|\\bor\\b|&)+\\s*(?:in |are )?${state})+)(?![\\p{L}])`,
      "diu",
    ),
  );
  if (!found || inTopic(filling, found.start)) return;
  const values = found.value.split(/\s*(?:,|\/|\band\b|\bor\b|&)+\s*/i).map((each) => {
    const said = each.replace(/^(?:are|waiting|for|in|under)\s+/gi, "");
    return canonicalState(filling, slot, said);
  });
  const lead = LEAD.exec(filling.sheet.masked.slice(0, found.start));
  put(filling, slot, [...new Set(values)].join(", "), { start: lead?.index ?? found.start, end: found.end });
}

function fillReached(filling: Filling, slot: Slot): void {
  const { sheet, wish } = filling;
  const from = /\bfrom\s+(?:to do|[\p{L} ]+?)\s+(?=to\s)/iu.exec(sheet.masked);
  if (from && !from[0].includes(TAKEN)) sheet.take(from.index, from.index + from[0].length);
  const target =
    findLabelled(filling, slot, `${ANY_QUOTED}|[\\p{L}][\\p{L}'’ -]*[\\p{L}]`) ??
    matchPiece(
      sheet.masked,
      new RegExp(
        `\\b(?:back )?(?:to|as|into|in)\\s+(?:be\\s+|the\\s+)?(${ANY_QUOTED}|\\p{L}[\\p{L}'’ -]*\\p{L})`,
        "diu",
      ),
      true,
    );
  if (target) {
    const wanted = valueOf(filling, target).replace(
      /\s+(?:(?:please|pls|plz|now|thanks|for me)$|and\s).*$/i,
      "",
    );
    const known = [...namedValues(slot), ...ALL_STATES];
    const isKnown = known.some((each) => sameWord(each, wanted) || sameWord(each, `in ${wanted}`));
    const isOther =
      /^[A-Z]{2,}$/.test(wanted) ||
      /\b(?:week|day|month|sprint|project|epic|page|space|priority|friday|monday|tomorrow)\b/i.test(wanted);
    if ((/^(?:move|transition|mark|status)$/.test(wish.head?.lower ?? "") && !isOther) || isKnown) {
      put(filling, slot, canonicalState(filling, slot, wanted), target);
      return;
    }
  }
  const reached = REACHES[wish.head?.lower ?? ""];
  if (reached === undefined) return;
  const named = namedValues(slot);
  const value = STATES[reached].find(
    (each) => named.length === 0 || named.some((name) => sameWord(name, each)),
  );
  filling.args[slot.name] = canonicalState(filling, slot, value ?? STATES[reached][0]);
}

function isIn(state: string, said: string): boolean {
  return said.toLowerCase() === `in the ${state.toLowerCase()}`;
}

const DID = /\b(?:did|has|have)\s+\S+\s+(close[d]?|resolved?|finish(?:ed)?|completed?|ship(?:ped)?)\b/i;

/** "open" of a search that tells open from done, whatever the states of its records are called. */
function fillBroad(filling: Filling, slot: Slot): void {
  for (const [value, said] of BROAD) {
    const known = slot.values.find((each) => value.test(each));
    const did = known !== undefined && value.test("done") ? DID.exec(filling.wish.text) : null;
    if (known !== undefined && did) {
      const end = did.index + did[0].length;
      return put(filling, slot, known, { start: end - (did[1] ?? "").length, end });
    }
    const found = known === undefined ? null : said.exec(filling.sheet.masked);
    // "In the backlog", where that is a state of its own.
    if (found && statesOf(filling) !== ALL_STATES && statesOf(filling).some((state) => isIn(state, found[0])))
      continue;
    if (known === undefined || !found || inTopic(filling, found.index)) continue;
    if (
      found.index === 0 &&
      found[0] === "open" &&
      !/^open\s+(?:\p{L}+\s+){0,2}\p{L}+s\b/u.test(filling.sheet.masked)
    )
      continue;
    put(filling, slot, known, { start: found.index, end: found.index + found[0].length });
    return;
  }
}

/** As a filter, a state only counts where it is labelled or stands outside of what is searched for. */
function fillWithin(filling: Filling, slot: Slot, slots: Slot[]): void {
  const { sheet } = filling;
  const said = slot.kind === "enum" ? undefined : SAID_STATES.find(([pattern]) => pattern.test(sheet.masked));
  const there = said?.[0].exec(sheet.masked);
  if (said && there && !inTopic(filling, there.index)) {
    const lead = LEAD.exec(sheet.masked.slice(0, there.index));
    put(filling, slot, said[1], { start: lead?.index ?? there.index, end: there.index + there[0].length });
    return;
  }
  const labelled = findLabelled(
    filling,
    slot,
    `${ANY_QUOTED}|in progress|in review|to do|[\\p{L}]+(?!-\\d|\\p{L})`,
  );
  const value = labelled && valueOf(filling, labelled);
  if (
    labelled &&
    value !== undefined &&
    !inTopic(filling, labelled.start) &&
    !STOP_WORDS.has(value.toLowerCase()) &&
    !filling.entry.kin.has(stemOf(value.toLowerCase())) &&
    (slot.kind !== "enum" || isValue(slot, value))
  ) {
    put(filling, slot, canonicalState(filling, slot, value), labelled);
    return;
  }
  const others = slots
    .filter((each) => each !== slot && each.kind === "enum")
    .flatMap(({ values }) => values);
  const states =
    slot.kind === "enum"
      ? slot.values
      : [...new Set([...namedValues(slot), ...statesOf(filling)])].filter(
          (each) =>
            (!/^open$/i.test(each) || !others.includes("open")) &&
            // "How's ops doing": where states are named, a word for another thing is none.
            (namedValues(slot).length < 4 ||
              namedValues(slot).includes(each) ||
              !/^(?:Doing|Active|Started|Blocked)$/.test(each)),
        );
  const words = anyOf(
    states.filter((state) => state.length > 2),
    asState,
  );
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words})(?![\\p{L}\\p{N}])`, "digu");
  for (const match of sheet.masked.matchAll(pattern)) {
    if (inTopic(filling, match.index) || /^new$/i.test(match[0])) continue;
    if (
      /^to do$/.test(match[0]) &&
      (/^\s+with\b/.test(sheet.masked.slice(match.index + match[0].length)) ||
        /\b(?:have|has|need|needs|want|like|how|what|going|left|able|thing|things|nothing|something|anything)\s+$/i.test(
          sheet.masked.slice(0, match.index),
        ))
    )
      continue;
    const lead = LEAD.exec(sheet.masked.slice(0, match.index));
    const end = match.index + match[0].length;
    put(filling, slot, canonicalState(filling, slot, match[0]), { start: lead?.index ?? match.index, end });
    return;
  }
}

/** What may stand before a state: "that were moved to", "in status". */
const LEAD =
  /\b(?:(?:(?:that|which)\s+)?(?:(?:are|is|were|was|been|got)\s+)?(?:moved|set|marked|put)\s+(?:to|as|into)|(?:(?:in|with|of)\s+)?(?:the\s+)?(?:status|state))\s+$/i;

function isValue({ values }: Slot, text: string): boolean {
  return values.some((each) => sameWord(each, text));
}

function canonicalState(filling: Filling, slot: Slot, text: string): string {
  if (slot.kind === "enum") return slot.values.find((each) => sameWord(each, text)) ?? text;
  const known = [...namedValues(slot), ...statesOf(filling), ...ALL_STATES];
  const plain =
    text === text.toLowerCase()
      ? text.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase())
      : text;
  const inState =
    known.find((each) => sameWord(each, text)) ??
    known.find((each) => sameWord(each, `in ${text}`)) ??
    known.find((each) => new RegExp(`^${asState(each)}$`, "iu").test(text));
  return inState ?? near(known, text) ?? plain;
}

/** What puts results in order, by a word of the value that an argument takes. */
const ORDERS: readonly [RegExp, RegExp, "asc" | "desc"][] = [
  [
    /^prio|^urg/,
    /\b(?:most (?:urgent|important|critical)|(?<!\b(?:with|has|have|having|of|or|even) (?:the )?(?:very )?)(?:highest|top) prio(?:rity)?|by (?:prio|priority|urgency|importance)|worst (?:first|on top)|more urgent)(?: ones?)?(?: (?:first|on top))?\b/i,
    "desc",
  ],
  [
    /^updat|^modif|^chang/,
    /\b(?:(?:(?:changed|updated|touched|modified|edited)\s+)?most recently(?! (?:created|opened|reported|added|filed|closed))|(?:most )?recently (?:updated|changed|modified|touched)|last (?:updated|changed|modified|touched)|latest (?:changes|updates)|recent (?:changes|updates)|(?:changed|updated|edited|touched) last|(?:moved|changed|happened) (?:lately|recently))(?:,? latest (?:on top|first))?\b/i,
    "desc",
  ],
  [
    /^updat|^modif|^chang/,
    /\b(?:least recently (?:updated|changed|touched)|longest (?:untouched|unchanged|quiet|idle|without (?:a |any )?(?:change|update)s?)|(?:untouched|quiet) (?:for )?(?:the )?longest|(?:(?:has |have )?(?:nobody|no one)(?: has| have)?|not(?: been)?) (?:touched|updated|changed|looked at)(?: it)? (?:for )?(?:the )?longest(?: time)?)\b/i,
    "asc",
  ],
  [
    /^due|^dead/,
    /\b(?:most overdue|(?<=\bnext (?:(?:two|three|four|five|\d) )?)deadlines|by (?:due(?: date)?|deadline)|(?:earliest|soonest|next) due|soonest(?! due)|(?:is |are |comes? )?due (?:first|next|soonest)|soonest (?:first|due)|(?:due dates?|deadlines?) (?:that )?(?:comes?|are|is) (?:up )?(?:first|next|soonest)|nearest (?:first|(?:at|on) (?:the )?top))\b/i,
    "asc",
  ],
  [
    /^size$/,
    /\b(?:biggest|largest|heaviest)(?: (?:ones?|files?))?(?: (?:first|(?:on|at the) top))?\b/i,
    "desc",
  ],
  [
    /^creat/,
    /\b(?:(?:from )?oldest|most stale|longest waiting|(?:waiting|quiet|sitting there|(?<=\bopen)) (?:for )?(?:the )?longest(?: time)?)(?: to newest| first| ones first|(?= (?:\p{L}+ ){1,2}first\b))?/iu,
    "asc",
  ],
  [
    /^creat/,
    /\b(?:(?:from )?newest(?: to oldest)?|latest(?! (?:on|about|with|from|news|status|state))|most recent(?:ly (?:created|opened|reported|added|filed))?|recently (?:created|opened|reported|added|filed)|recent|newly created|(?<=(?:last|latest) (?:\w+ )?)(?:created|opened|filed|reported))(?: (?:first|ones first))?\b/i,
    "desc",
  ],
];

/** "newest first", "sorted by due date", "the last 5": the order of results, where a tool has one. */
export function fillOrder(filling: Filling): void {
  const { entry, sheet } = filling;
  const by = entry.slots.find(
    ({ kind, words }) =>
      kind === "enum" &&
      /^(?:order|sort)/.test(words[0] ?? "") &&
      words.at(-1) !== "direction" &&
      words.at(-1) !== "dir",
  );
  const direction = entry.slots.find(
    ({ values }) => values.length === 2 && values.some((each) => /^asc/i.test(each)),
  );
  if (!by || by === direction || !isOpen(filling, by)) return;
  const set = (value: string, way: "asc" | "desc", start: number, end: number): void => {
    put(filling, by, value, { start, end });
    const turned =
      /^\W*(?:(?:in )?(?:(desc)|asc)|(?:(?:with )?(?:the )?(?:(highest|newest|latest|biggest|most \p{L}+)|lowest|oldest|earliest|soonest)(?: ones?)? (?:first|on top|at the top)))/iu.exec(
        sheet.masked.slice(end),
      );
    const wanted = turned === null ? way : (turned[1] ?? turned[2]) === undefined ? "asc" : "desc";
    const named = direction?.values.find((each) => each.toLowerCase().startsWith(wanted));
    if (direction && named !== undefined && isOpen(filling, direction)) filling.args[direction.name] = named;
    if (turned)
      sheet.take(
        end,
        end +
          turned[0].length +
          (/^\p{L}*/u.exec(sheet.masked.slice(end + turned[0].length))?.[0].length ?? 0),
      );
  };
  const wayOf = (value: string): "asc" | "desc" =>
    /^(?:due|dead|title|name|key)/.test(value) ? "asc" : "desc";
  const labelled = findLabelled(filling, by, "(?:the )?(?:last |latest )?[\\p{L}]+(?: date| time)?");
  if (labelled) {
    const stem = stemOf(
      valueOf(filling, labelled)
        .toLowerCase()
        .replace(/^the |\b(?:last|latest) | (?:date|time)$/g, ""),
    );
    const value = by.values.find((each) => {
      const own = stemOf(each.toLowerCase().split(/[ _-]/)[0] ?? "");
      return own === stem || (own.length > 3 && stem.startsWith(own));
    });
    if (value !== undefined) return set(value, wayOf(value), labelled.start, labelled.end);
  }
  for (const [own, said, way] of ORDERS) {
    const value = by.values.find((each) => own.test(each.toLowerCase()));
    const found = value === undefined ? null : said.exec(sheet.masked);
    if (value === undefined || !found || inTopic(filling, found.index)) continue;
    const first = /^(?: \p{L}+){1,2} first\b/u.exec(sheet.masked.slice(found.index + found[0].length))?.[0];
    if (first !== undefined)
      sheet.take(
        found.index + found[0].length + first.length - 6,
        found.index + found[0].length + first.length,
      );
    if (/next|soonest(?! first)/i.test(sheet.masked.slice(found.index)) && value.startsWith("due"))
      fillComing(filling);
    return set(value, way, found.index, found.index + found[0].length);
  }
  // "the last 5": a number of the newest.
  const limit = entry.slots.find((slot) => isLimit(slot) && !isOpen(filling, slot));
  const role =
    /\b(?:(created|opened|filed|reported|added)|(updated|changed|touched|modified|edited))\b/i.exec(
      sheet.masked,
    );
  const newest = by.values.find((each) => (role?.[2] === undefined ? /^creat/ : /^updat/).test(each));
  const last = /\b(?:last|latest|newest)\b/i.exec(filling.wish.text);
  if (limit && newest !== undefined && last && sheet.masked[last.index] === TAKEN)
    set(
      newest,
      "desc",
      role?.index ?? last.index,
      role ? role.index + role[0].length : last.index + last[0].length,
    );
}

/** What is due next is not over yet; of one thing it is one. */
function fillComing({ entry, args, wish, around }: Filling): void {
  const from = entry.slots.find(({ name }) => name === "due_after");
  const limit = entry.slots.find(isLimit);
  if (from && args[from.name] === undefined) args[from.name] = toDay(around.now);
  if (
    limit &&
    args[limit.name] === undefined &&
    /\b(?:issue|ticket|task|bug|one|story)\s+(?:is|comes)\b/i.test(wish.text)
  )
    args[limit.name] = 1;
}

/** What people say of two records that belong together. */
const LINKS: readonly [RegExp, string][] = [
  [/\b(?:is |are )?(?:blocked by|depends on)\b/i, "is blocked by"],
  [/\bblock(?:s|er|ing)?\b/i, "blocks"],
  [/\b(?:is |are )?duplicated by\b/i, "is duplicated by"],
  [/\bduplicates?\b/i, "duplicates"],
  [/\brelat(?:es?|ed|ing)(?: to)?\b/i, "relates to"],
  [/\bclones?\b/i, "clones"],
  [/\b(?:(?:is|was|are|were) )?caused by\b/i, "is caused by"],
  [/\bcause[sd]?\b/i, "causes"],
];

/** "Remove the label …": the verb says which of the things that a tool does is meant. */
export function fillOperation({ entry, wish, args }: Filling): void {
  for (const slot of entry.changing ? entry.slots.filter(isSelector) : []) {
    const value = slot.values.find((each) =>
      selectedBy(each.toLowerCase()).some((word) => stemOf(word) === wish.head?.stem),
    );
    // What its name says it does anyhow.
    if (value !== undefined && !splitName(entry.tool.name).includes(value)) args[slot.name] = value;
  }
}

/** Enums and open choices: "priority high", "high priority", "a bug", "sorted by size", "grouped by status". */
export function fillChoices(filling: Filling): void {
  // "Issues per epic" are no epics: what they are counted by comes first.
  const isGroup = ({ words }: Slot): boolean => words.includes("group");
  const { slots } = filling.entry;
  for (const slot of [...slots.filter(isGroup), ...slots.filter((one) => !isGroup(one))]) {
    const closed = closedValues(slot);
    if ((slot.kind !== "enum" && slot.kind !== "choice" && closed.length === 0) || !isOpen(filling, slot))
      continue;
    if (/^(?:order|sort)/.test(slot.words[0] ?? "")) continue;
    const named = namedValues(slot);
    // What happens "after an incident" is asked of no type of issue.
    const own = (CHOICES[slot.words.at(-1) ?? ""] ?? []).filter(
      (value) => value !== "Incident" || !(filling.wish.question && AFTER_ONE.test(filling.sheet.masked)),
    );
    const isScale =
      /^(?:priority|severity)$/.test(slot.words.at(-1) ?? "") || named.some((each) => own.includes(each));
    const values =
      slot.kind === "enum" || (named.length > 0 && !isScale) ? named : [...new Set([...named, ...own])];
    const found =
      (closed.length > 0 ? findAlone(filling, closed, slot.required) : findChoice(filling, slot, values)) ??
      (named.length === 0 && slot.required ? freeChoice(filling, slot) : undefined);
    if (!found) continue;
    put(filling, slot, toLevel(slot.words.at(-1), found.value, named), found);
    if (/comma/i.test(slot.description) && !fillScale(filling, slot, found))
      addChoice(filling, slot, values, found);
  }
}

const AFTER_ONE =
  /\b(?:in|after|during|before|for|when|to)\s+(?:an?\s+|the\s+)?(?:level \d\s+)?incident\b|\bincident\s+(?:level|process|severity|class|channel|template|guide|report|manager|lead)s?\b/i;

/** "of type works_at", "the relation works_at": a word of people's own where the schema lists none. */
function freeChoice({ sheet }: Filling, slot: Slot): Piece | undefined {
  const last = slot.words.at(-1) ?? "";
  const word = /^(?:type|kind|category)$/.test(last) ? "[\\p{L}_]+" : "[\\p{L}]+_[\\p{L}_]+";
  return (
    matchPiece(
      sheet.masked,
      new RegExp(`\\b(?:of\\s+)?${last}\\s+(?:of\\s+|is\\s+)?(${word})`, "diu"),
      true,
    ) ??
    matchPiece(
      sheet.masked,
      new RegExp(`\\b(?:${labelsOf(slot).join("|")})\\s+([\\p{L}]+_[\\p{L}_]+)`, "diu"),
    )
  );
}

const LEVELS = "highest|high|medium|low|lowest";
/** What stands behind a priority: what has it, or how far it goes. */
const OF_LEVEL = String.raw`(?=\s+(?:(?:open|unassigned)\s+)?(?:issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?|ones?)\b|\W*$|[- ](?:or|and)[- ](?:above|higher|more|up|worse|below|lower|less)\b)`;
const AHEAD_OF_LEVEL =
  /(?:\bprio(?:rity)?\s+)?\b(?:at\s+least|minimum|(?<most>at\s+most|up\s+to|maximum)|(?<more>(?:higher|more\s+(?:urgent|important))\s+than|above)|(?<less>(?:lower|less\s+(?:urgent|important))\s+than|below))\s+$/i;

/** "high or above", "at least medium", "higher than low": all that is as much or more, of what is in an order. */
function fillScale({ args, sheet }: Filling, slot: Slot, found: Piece): boolean {
  const scale = (CHOICES[slot.words.at(-1) ?? ""] ?? []).slice(0, 5);
  const at = scale.findIndex((each) => sameWord(each, found.value));
  const behind =
    /^(?:\s*\+|(?:\s+prio(?:rity)?)?[\s-]+(?:or|and)[\s-]+(?:(above|higher|more|up|worse)|(?:below|lower|less|under))\b)(?:\s+prio(?:rity)?)?/i.exec(
      sheet.masked.slice(found.end),
    );
  const ahead = AHEAD_OF_LEVEL.exec(sheet.masked.slice(0, found.start));
  if (at === -1 || slot.words.at(-1) !== "priority" || (behind ?? ahead) === null) return false;
  const { most, more, less } = ahead?.groups ?? {};
  const isUp = behind ? behind[0].includes("+") || behind[1] !== undefined : (most ?? less) === undefined;
  // "Higher than medium" is not medium.
  const own = behind === null && (more ?? less) !== undefined ? 0 : 1;
  const levels = isUp ? scale.slice(0, at + own) : scale.slice(at + 1 - own);
  if (levels.length === 0) return false;
  args[slot.name] = levels.join(", ");
  if (behind) sheet.take(found.end, found.end + behind[0].length);
  if (ahead) sheet.take(ahead.index, found.start);
  return true;
}

/** "medium and low priority", "bugs or tasks", where several are given with commas. */
function addChoice(filling: Filling, slot: Slot, values: readonly string[], found: Piece): void {
  const { masked } = filling.sheet;
  const words = anyOf(values.filter((value) => value.length > 2));
  const before = new RegExp(
    `(?<![\\p{L}])(${words})s?\\s*(?:,|and|or|&|\\/)\\s*(?:and\\s+|or\\s+)?(?:even\\s+)?(?:the\\s+)?$`,
    "diu",
  ).exec(masked.slice(0, found.start));
  const after = new RegExp(
    `^s?\\s*(?:,|and|or|&|\\/)\\s*(?:and\\s+|or\\s+)?(?:even\\s+)?(?:the\\s+)?(${words})s?(?![\\p{L}])`,
    "diu",
  ).exec(masked.slice(found.end));
  const other = values.find((value) => sameWord(value, (before ?? after)?.[1] ?? ""));
  if (other === undefined || sameWord(other, found.value)) return;
  filling.args[slot.name] = before ? `${other}, ${found.value}` : `${found.value}, ${other}`;
  if (before) filling.sheet.take(before.index, found.start);
  else if (after) filling.sheet.take(found.end, found.end + after[0].length);
}

function findChoice(filling: Filling, slot: Slot, values: readonly string[]): Piece | undefined {
  const { masked } = filling.sheet;
  const among = (text: string): string | undefined => {
    const isStem = (each: string): boolean => stemOf(each.toLowerCase()) === stemOf(text.toLowerCase());
    return values.find((each) => sameWord(each, text)) ?? values.find(isStem) ?? near(values, text);
  };
  if (slot.words.includes("group")) {
    if (!filling.wish.counts) return undefined;
    const who = matchPiece(
      masked,
      /^((?:who|(?:which|what) (?:of (?:(?:our|the|my|all|these) )*(?:(?:two|three|four|five|\d+) )?)?\p{L}+) (?:has|have|got|owns?|closed|finished|(?:report|creat|open|fil)(?:s|es|ed))(?: the)? (?:most|fewest|least))\b/diu,
    );
    const of =
      /^(?:which|what) (?:of .*?)?(\p{L}+?)s? (?:has|have|got|owns?|closed|finished)/iu.exec(
        who?.value ?? "",
      )?.[1] ?? (/report|creat|open|fil/i.test(who?.value ?? "") ? "reporter" : "assignee");
    const person = who && values.find((each) => each === (of === "person" ? "assignee" : of));
    if (who && person !== undefined) return { ...who, value: person };
    const by = matchPiece(
      masked,
      /\b(?:(?:grouped|split|broken down|break(?:down)?) )?(?:by|per|for each|in each|are in (?:which|what)|of (?:which|what)|with (?:which|what))\s+([\p{L}_]+(?: category)?)/du,
      true,
    );
    const value =
      by &&
      (/^(?:person|people|owner|head|teammate|member|colleague)s?$/i.test(by.value)
        ? values.find((each) => each === "assignee")
        : among(by.value));
    if (by && value !== undefined) return { ...by, value };
    const each = matchPiece(
      masked,
      /\b((?:does |do |for |has |have )?(?:everyone|everybody|each (?:person|of us|one of us)|the others|people))(?=\s+(?:ha(?:s|ve)|got|own)|\W*$)/diu,
    );
    return each && values.includes("assignee") ? { ...each, value: "assignee" } : undefined;
  }
  if (filling.entry.intents.has("link")) {
    const link = LINKS.map(([pattern, value]) => ({ match: pattern.exec(masked), value })).find(
      ({ match }) => match !== null,
    );
    if (link?.match)
      return { value: link.value, start: link.match.index, end: link.match.index + link.match[0].length };
  }
  const labelled = findLabelled(filling, slot, `${ANY_QUOTED}|[\\p{L}\\p{N}_-]+`);
  const said = labelled && among(valueOf(filling, labelled));
  if (labelled && said !== undefined) return { ...labelled, value: said };
  const ahead = new RegExp(
    `((?:with )?(?:an? )?[\\p{L}-]+)\\s+(?:${labelsOf(slot).join("|")})(?![\\p{L}\\p{N}])`,
    "diu",
  );
  const before = matchPiece(masked, ahead, true);
  if (before) {
    const value = among(before.value.replace(/^(?:with )?(?:an? )?/i, ""));
    const end = before.end + (/^\s+[\p{L}_-]+/u.exec(masked.slice(before.end))?.[0].length ?? 0);
    if (value !== undefined) return { value, start: before.start, end };
  }
  const isKind =
    slot.words.at(-1) === "type" && (filling.wish.intents.has("create") || !filling.entry.changing);
  // "…, low, for farid": what is said of a new thing.
  const aside =
    filling.wish.intents.has("create") && slot.words.at(-1) === "priority"
      ? matchPiece(masked, /,\s*(highest|high|medium|low|lowest|urgent)\s*(?=,|$)/diu, true)
      : undefined;
  const named1 = aside && values.find((each) => sameWord(each, aside.value));
  if (aside && named1 !== undefined) return { ...aside, value: named1 };
  const isUrgency = slot.words.at(-1) === "priority" && !filling.entry.changing;
  if (isUrgency) {
    const plain = matchPiece(
      masked,
      new RegExp(
        `\\b(?:(?<=\\b(?:at\\s+(?:least|most)|(?:higher|lower|urgent|important)\\s+than|above|below)\\s+)|(?=(?:${LEVELS})${OF_LEVEL}))(${LEVELS})\\b`,
        "diu",
      ),
    );
    const named = plain && values.find((each) => sameWord(each, plain.value));
    if (plain && named !== undefined && !inTopic(filling, plain.start)) return { ...plain, value: named };

    const urgent = matchPiece(
      masked,
      /(?<!most |more |on |at the )\b(urgent|critical|top|highest)\b(?! (?:first|\d))(?:\s+prio(?:rity)?\b)?/di,
      true,
    );
    const highest = values.find((each) => /^highest$/i.test(each)) ?? urgent?.value;
    if (urgent && highest !== undefined && !inTopic(filling, urgent.start))
      return { ...urgent, value: highest };
    return undefined;
  }
  return slot.kind === "enum" || slot.required || isKind
    ? findAlone(filling, values, slot.required)
    : undefined;
}

function findAlone(filling: Filling, values: readonly string[], isAnywhere: boolean): Piece | undefined {
  const { tokens, head } = filling.wish;
  const exact = values.filter((value) => tokens.some(({ lower }) => lower === value.toLowerCase()));
  const plainly =
    exact.length > 0 && exact.length < values.length ? findAlone(filling, exact, isAnywhere) : undefined;
  if (plainly) return plainly;
  for (const value of values.toSorted((one, other) => other.length - one.length)) {
    const words = tokenize(value).map(({ stem }) => stem);
    for (let at = 0; at + words.length <= tokens.length; at += 1) {
      const run = tokens.slice(at, at + words.length);
      const [first, last] = [run[0], run.at(-1)];
      if (!first || !last || !run.every(({ stem }, place) => stem === words[place])) continue;
      // The verb says what to do, and not how: "merge pull request 17".
      if (first === head && splitName(filling.entry.tool.name).some((word) => stemOf(word) === first.stem))
        continue;
      if (filling.sheet.masked[first.start] === TAKEN || (!isAnywhere && inTopic(filling, first.start)))
        continue;
      return { value, start: first.start, end: last.end };
    }
  }
  return undefined;
}

/** A value that is one slip of the keyboard away. */
function near(values: readonly string[], text: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower.length < 4 || lower.length > 40) return undefined;
  const isNear = (each: string): boolean =>
    Math.abs(each.length - lower.length) <= 1 && distance(each.toLowerCase(), lower) <= 1;
  return values.find(isNear);
}

/** The value of a field by its name, as `update … fields` wants it: canonical where a word is known. */
export function canonicalChoice(name: string, text: string, values: string[]): string {
  const last = name.split(/[_ -]/).at(-1) ?? name;
  const known = [...values, ...(CHOICES[last] ?? []), ...(last === "status" ? ALL_STATES : [])];
  const value = known.find((each) => sameWord(each, text));
  return toLevel(last, value ?? (CHOICES[last] ? (near(known, text) ?? text) : text), values);
}

/** "Urgent", where the schema does not name it: the highest of the usual priorities. */
function toLevel(last: string | undefined, value: string, named: readonly string[]): string {
  const isUrgent = last === "priority" && /^(?:urgent|critical)$/i.test(value);
  return isUrgent && !named.some((each) => sameWord(each, value)) ? "Highest" : value;
}

/** The state that a wish moves something to, as its words say it. */
export function wantedState({ text, head }: Wish): string | undefined {
  const said = /\b(?:to|as|into)\s+["“']?([\p{L}][\p{L} -]*?)["”']?\s*[.!?]*$/u.exec(text)?.[1];
  const named = said === undefined ? undefined : ALL_STATES.find((state) => sameWord(state, said));
  if (named !== undefined || said !== undefined) return named ?? said;
  if (/^start (?:progress|work)/i.test(text)) return "In Progress";
  const reached = REACHES[head?.lower ?? ""];
  return reached === undefined ? undefined : STATES[reached][0];
}
