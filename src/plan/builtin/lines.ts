import { DAY } from "./dates.ts";
import { ISSUE } from "./nouns.ts";
import { createSheet } from "./sheet.ts";
import type { Verbs } from "./verbs.ts";
import { readWish } from "./wish.ts";

const KEY = "[A-Za-z]\\w{0,15}-\\d{1,9}";
const ITEM = /^\s*(?:\(?\d{1,2}[.)]|[-*•–])\s+/;
/** "1) close DEMO-3 2) assign DEMO-4 to me", in one line. */
const NUMBERED = /(?:^|[\s:,;])\(?(\d)[.)]\s+(?=\p{L})/gu;
const LABELS: readonly (readonly [RegExp, string])[] = [
  [/^(?:title|summary|subject|name)$/i, "title"],
  [/^(?:description|desc|details?|body|text|content|steps(?: to reproduce)?|repro)$/i, "text"],
  [/^(?:type|kind|issue type)$/i, "type"],
  [/^(?:prio|priority)$/i, "priority"],
  [/^(?:labels?|tags?)$/i, "label"],
  [/^(?:assignee|assigned to|assign|owner|who)$/i, "person"],
  [/^(?:due|due date|deadline)$/i, "due"],
  [/^(?:project|board)$/i, "project"],
  [/^(?:space)$/i, "space"],
  [/^(?:epic|parent)$/i, "epic"],
];
const FIELD = /^\s*(?:[-*•]\s+)?(\p{L}[\p{L} ]{2,22}?)\s*[:=]\s*(.*)$/u;

/**
 * The wishes of a message that is written as a list or as a form, each in one line; the message alone where it is
 * neither. What stands over a list is part of each of its items ("please close:", "as comments:"), unless the items
 * are wishes themselves.
 */
export function itemsOf(message: string, verbs: Verbs): string[] {
  return form(message) ?? listed(message, verbs) ?? dated(message) ?? withQuestion(message) ?? made(message);
}

/** "MOB-5 and MOB-16 are done, who has the map one?": what is told of records, and what is asked. */
function withQuestion(message: string): string[] | undefined {
  const { told, asked } = TOLD_AND_ASKED.exec(message)?.groups ?? {};
  return told === undefined || asked === undefined ? undefined : [told, asked];
}

const TOLD_AND_ASKED = new RegExp(
  `^\\W*(?<told>(?:${KEY}|[A-Za-z]{2,9} \\d{1,5})(?:(?:\\s*,\\s*|\\s*,?\\s+and\\s+|\\s*&\\s*)(?:${KEY}|#?\\d{1,5}))*\\s+(?:is|are)\\s+(?:now\\s+)?(?:done|finished|closed|fixed|ready\\s+for\\s+review|in\\s+review|in\\s+progress))\\s*[,;.–-]\\s+(?:(?:and|but)\\s+)?(?<asked>[^?]+\\?)\\s*$`,
  "iu",
);

/** "The second one → Thursday, the last one to tomorrow": one order for each. */
function dated(message: string): string[] | undefined {
  const parts = message.replace(/[\s.!]+$/, "").split(/\s*(?:[,;]\s+(?:and\s+)?|\s+and\s+)/i);
  const orders = parts.map((part) => DATED.exec(part)?.groups);
  return parts.length > 1 && orders.every((order) => order !== undefined)
    ? orders.map(({ what = "", day = "" }) => `set the due date of ${what} to ${day}`)
    : undefined;
}

const DATED = new RegExp(
  `^\\W*(?<what>${KEY}|(?:the\\s+)?(?:first|second|third|fourth|fifth|last)(?:\\s+one)?)(?:\\s*(?:→|->|=>)\\s*|\\s+(?:(?:to|until|till)\\s+)?)(?<day>${DAY})$`,
  "iu",
);

/** "Create a bug in DEMO: it is slow. Also create a task in OPS: look at it": the second is no part of a title. */
function made(message: string): string[] {
  const parts = message.split(NEXT_MADE);
  return parts.length > 1 && MADE.test(message) ? parts : [message];
}

const MADE = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*(?:create|file|open|add)\\s+an?\\s+(?:new\\s+)?${ISSUE}\\b`,
  "iu",
);
const NEXT_MADE = new RegExp(
  `[.;]\\s+(?:(?:also|and|then|please)[\\s,]+)+(?=(?:create|file|open|add)\\s+an?\\s+(?:new\\s+)?${ISSUE}\\b)`,
  "iu",
);

/** A head with fields below it: "Create a bug in MOB", "Title: …", "Priority: High". */
function form(message: string): string[] | undefined {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  const [head = "", ...others] = lines;
  const said = new Map<string, string[]>();
  let at: string | undefined;
  for (const line of others) {
    const [, label = "", value = ""] = FIELD.exec(line) ?? [];
    const name = LABELS.find(([pattern]) => pattern.test(label))?.[1];
    if (name !== undefined && !said.has(name)) said.set((at = name), value === "" ? [] : [value]);
    else if (at === "text") said.get(at)?.push(line);
    else return undefined;
  }
  if (said.size < 2 && !(said.has("title") && said.size > 0)) return undefined;
  const value = (name: string): string | undefined => said.get(name)?.join("\n").trim() || undefined;
  const title = value("title");
  const text = value("text");
  const { project, space, type, priority, label, person, due, epic } = Object.fromEntries(
    [...said.keys()].map((name) => [name, value(name)]),
  );
  const lead = head
    .replace(/[\s:.,]+$/, "")
    .replace(/\s+with\s+(?:these|those|the(?:\s+following)?)(?:\s+(?:details|fields|values|data))?$/i, "")
    // "Bug in MOB:", with a title below it.
    .replace(title === undefined ? /(?!)/ : BARE_THING, "create a ");
  const thing =
    type === undefined ? lead : lead.replace(/\b(?:ticket|issue|bug|task|story)\b/i, type.toLowerCase());
  const parts = [
    `${thing}${project === undefined ? "" : ` in ${project}`}${space === undefined ? "" : ` in space ${space}`}`,
    ...(title === undefined ? [] : [`titled “${title.replaceAll(/[“”]/g, '"')}”`]),
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(label === undefined ? [] : [`labels ${label.replaceAll(/[,;]\s*/g, " and ")}`]),
    ...(person === undefined ? [] : [`assigned to ${person}`]),
    ...(due === undefined ? [] : [`due ${due}`]),
    ...(epic === undefined ? [] : [`under epic ${epic}`]),
  ];
  return [`${parts.join(", ")}${text === undefined ? "" : `, with the description: ${text}`}`];
}

const BARE_THING = new RegExp(`^\\W*(?:an?\\s+)?(?=(?:new\\s+)?${ISSUE}\\b)`, "iu");

function listed(message: string, verbs: Verbs): string[] | undefined {
  const { head, items } = listIn(message);
  if (items.length < 2) return undefined;
  const lead = head.replace(/[\s:,–-]+$/, "").trim();
  const isWish = (item: string): boolean => readWish(item, verbs).changing;
  const keyed = items.map((item) => new RegExp(`^(${KEY})(?:\\s*[:–-]\\s*|\\s+|$)([\\s\\S]*)$`).exec(item));
  const order = readWish(lead, verbs);
  if (keyed.every((each) => each !== null)) {
    // "Please add as comments: MOB-16: failed on iPhone SE"
    if (
      /\b(?:comments?|notes?|remarks?)\b/i.test(lead) &&
      WRITES.test(lead) &&
      keyed.every((each) => (each[2] ?? "") !== "")
    )
      return keyed.map(([, key = "", text = ""]) => `comment on ${key}: ${text}`);
    if (order.changing && !order.intents.has("create")) {
      const keys = keyed.map(([, key = ""]) => key).join(" and ");
      const these =
        /\b(?:these(?: \p{L}+)?|them|those|the following(?: \p{L}+)?|all of these|the \p{L}+ below)\b/iu;
      return [these.test(lead) ? lead.replace(these, keys) : `${lead} ${keys}`];
    }
  }
  // "Don't do this:", "Ideas:", "What I did yesterday:": a list is ordered by what stands over it, or by nothing.
  if (lead !== "" && !NEUTRAL.test(lead) && !(order.changing && order.keys.length > 0))
    return filters(lead, items, order.changing);
  // "- MOB-17: assign to Farid"
  if (keyed.every((each) => each !== null && (each[2] ?? "") !== "")) return items;
  if (items.some(isWish)) return order.changing && order.keys.length > 0 ? [lead, ...items] : items;
  return filters(lead, items, order.changing);
}

/** What stands over a list of orders and does not say that they shall be done; undefined where it does. */
export function strangeHead(message: string, verbs: Verbs): string | undefined {
  const { head, items } = listIn(message);
  const lead = head.replace(/[\s:,–-]+$/, "").trim();
  if (items.length < 2 || lead === "" || !/:\s*$/.test(head) || NEUTRAL.test(lead)) return undefined;
  const order = readWish(lead, verbs);
  const isOrder = order.changing && !/\b(?:don['’]?t|do not|never|not)\b/i.test(lead);
  const isChange = items.some((item) => readWish(item, verbs).changing || /^[A-Z]\w*-\d/.test(item));
  return isChange && !isOrder && !WRITES.test(lead) ? lead : undefined;
}

const WRITES = /\b(?:add|post|put|write|leave|comment|please|as)\b(?!\s+(?:notes|minutes))/i;
/** What says of a list only that it is one to be done. */
const NEUTRAL =
  /^(?:(?:hi|hello|hey|please|pls|can you|could you|would you|do|todos?|to-?dos?|to do|tasks?|for|the|bot|you|today|now|from|today['’]?s|triage|standup|planning|refinement|grooming|actions?|items?|next|steps?|following|this|these|two|three|four|five|a|few|some|things|here|updates?|changes?|thanks|countersign|my|list)(?=[\s,:!.]|$)[\s,:!.]*)+$/i;

/** "Regression scope: - project DEMO - in review": what each says limits the same search. */
function filters(lead: string, items: readonly string[], isChange: boolean): string[] | undefined {
  const isShort = items.every(
    (item) => item.split(" ").length < 9 && !/[.?!:]/.test(item) && !/[A-Z]\w*-\d/.test(item),
  );
  if (!isShort || isChange || /\b(?:don['’]?t|do not|never|not)\b/i.test(lead)) return undefined;
  return [
    `${/\b(?:issues|tickets|bugs|stories|tasks)\b/i.test(lead) ? lead : "list issues"} ${items.join(", ")}`,
  ];
}

function listIn(message: string): { head: string; items: string[] } {
  const lines = message.split("\n");
  const first = lines.findIndex((line) => ITEM.test(line));
  if (
    first >= 0 &&
    lines.length > 1 &&
    lines.slice(first).every((line) => ITEM.test(line) || line.trim() === "")
  )
    return {
      head: lines.slice(0, first).join(" "),
      items: lines.slice(first).flatMap((line) => line.replace(ITEM, "").trim() || []),
    };
  const { masked } = createSheet(message);
  const marks = [...masked.matchAll(NUMBERED)];
  if (lines.length > 1 || marks.length < 2 || marks.some(([, digit], at) => Number(digit) !== at + 1))
    return { head: message, items: [] };
  const items = marks.map((mark, at) =>
    message
      .slice(mark.index + mark[0].length, marks[at + 1]?.index ?? message.length)
      .replace(/[\s,;]+$/, "")
      .trim(),
  );
  return { head: message.slice(0, marks[0]?.index), items };
}
