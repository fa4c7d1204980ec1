import type { PlanInput } from "#contract/plan.ts";

import { cellsIn } from "../../base/text.ts";
import { createDateReader } from "./dates.ts";
import { asRow, type Page, tellingIn } from "./page-places.ts";
import { unquoted } from "./sheet.ts";
import { folded, valuesIn } from "./value-kinds.ts";

// A row that is said in a sentence: "a line for today: dmitri, carrot, because he broke main".

const POLITE = "(?:(?:please|pls|can|could|would|will|you|u|and|also|now|ok|lets|let['’]s)[\\s,]+)*";
const NOUN = "(?:an?\\s+|one\\s+|another\\s+)?(?:more\\s+|new\\s+)?(?:row|line|entry)";
const ORDERS = new RegExp(
  `^[\\s,:;–-]*${POLITE}(?:(?:add|put|write|enter|log|record|insert)\\b(?:\\s+in\\b)?(?:\\s+(?:that|down)\\b)?(?:\\s+${NOUN}\\b)?|${NOUN}\\b)`,
  "iu",
);
/** What joins the parts of a sentence, and is no part of one. */
const LEADS =
  /^[\s,:;–-]*(?:(?:on|for|from|in|to|and|that|with|by|it['’]?s|there|he|she|they|brings?|brought|bringing|made|makes|did|does|has|had|owes?|will|an?|the|some)(?:\s+|$))*/iu;
const BECAUSE = /^(?:because|since|cause|cos|cuz|reason|as)\b[\s:]*/iu;
const WHO = /^(?:he|she|they|i|we)\s+/iu;
const PARTED = /\s*[,;:]\s+|\s+(?=(?:because|since|cause|cos|cuz)\s)/iu;
const SENTENCE = /(?<=\p{L})[.!]\s+(?=\p{L})/u;
const OF_REASON = /^(?:because|reason|why|occasion|for|cause)$/iu;
const DAY = 24 * 3_600_000;
const LEAST_COLUMNS = 3;
const MOST_CHARS = 300;

/** Whether a message, without the name of its page, may say a row in a sentence. */
export function saysRow(said: string): boolean {
  return said.length <= MOST_CHARS && ORDERS.test(said) && /[,:]\s|\bbecause\b/iu.test(said);
}

/**
 * A row of the one table of a page as a sentence says it, and what else was said: the cells of days and of people are told
 * by those of the other rows, a reason by its column, and the rest comes in the order of the columns. Undefined where not
 * every cell has its own.
 */
export function rowInWords(
  said: string,
  page: Page,
  input: PlanInput,
): { row: string; others: string[] } | undefined {
  const { known = [], actorName, now } = input;
  const [heads = [], ...rows] = page.flatMap(({ kind, text }) => (kind === "row" ? [cellsIn(text)] : []));
  const isTable =
    heads.length >= LEAST_COLUMNS && rows.length > 0 && rows.every(({ length }) => length === heads.length);
  if (!isTable || !saysRow(said) || said.includes("|")) return undefined;
  const people = new Map(
    known.flatMap(({ kind, name }): [string, string][] => {
      const first = name.split(" ")[0] ?? name;
      return kind === "person" ? [[folded(first), first]] : [];
    }),
  );
  const names = new Set(people.keys());
  const isPerson = (word: string): boolean => names.has(folded(word)) || OWN.test(word);
  const isEach = (at: number, test: (cell: string) => boolean): boolean =>
    rows.every((row) => test(row[at] ?? ""));
  const kinds = heads.map((head, at) =>
    isEach(at, (cell) => valuesIn(cell, names)[0]?.kind === "date")
      ? "date"
      : isEach(at, (cell) => names.has(folded(cell)))
        ? "person"
        : OF_REASON.test(head)
          ? "reason"
          : "text",
  );
  if (kinds.filter((kind) => kind === "date").length > 1) return undefined;
  const [first = "", ...others] = said.replace(ORDERS, "").split(SENTENCE);
  const cells = new Map<number, string>();
  let rest = first;
  const cut = (start: number, end: number): void => {
    rest = `${rest.slice(0, start).replace(/\s+(?:on|for|at)\s*$/iu, "")} , ${rest.slice(end)}`;
  };
  for (const [at, kind] of kinds.entries()) {
    if (kind === "date") {
      const day = createDateReader().find(rest, now);
      if (day === undefined) return undefined;
      const spoken = rest.slice(day.start, day.end);
      const isPast = isEach(at, (cell) => (createDateReader().find(cell, now)?.value ?? now) <= now);
      // What a register tells of happened: "on Friday" was the last one.
      const isBefore = isPast && day.value > now && valuesIn(spoken, names)[0]?.kind === "weekday";
      const value = isBefore ? new Date(day.value.getTime() - 7 * DAY) : day.value;
      cells.set(at, likeDay(value, rows[0]?.[at] ?? "", spoken));
      cut(day.start, day.end);
    }
    if (kind === "person") {
      const spoken = [...rest.matchAll(/\p{L}+/gu)].filter(([word]) => isPerson(word));
      const stems = tellingIn(heads[at] ?? "");
      const before = ({ index }: RegExpExecArray): RegExpExecArray | null =>
        /(\p{L}+)\s+$/u.exec(rest.slice(0, index));
      const behind = ({ index, 0: word }: RegExpExecArray): RegExpExecArray | null =>
        /^\s+as\s+(?:the\s+)?(\p{L}+)/iu.exec(rest.slice(index + word.length));
      const isHead = (found: RegExpExecArray | null): boolean =>
        tellingIn(found?.[1] ?? "").some((stem) => stems.includes(stem));
      const isOf = (one: RegExpExecArray): boolean => isHead(before(one)) || isHead(behind(one));
      // "Backup Ana", "with Ana as backup": by its column, else who is named first.
      const named = spoken.find(isOf);
      const found = named ?? spoken[0];
      const name = people.get(folded(found?.[0] ?? "")) ?? people.get(folded(actorName));
      if (found === undefined || name === undefined) return undefined;
      cells.set(at, name);
      const head = named && isHead(before(named)) ? before(named)?.index : undefined;
      const tail = named && isHead(behind(named)) ? (behind(named)?.[0].length ?? 0) : 0;
      cut(head ?? found.index, found.index + found[0].length + tail);
    }
  }
  const parts = rest
    .split(PARTED)
    .map((part) => part.replace(/[\s,.!]+$/u, ""))
    .filter((part) => /[\p{L}\p{N}]/u.test(part.replace(LEADS, "")));
  const left = kinds.flatMap((kind, at) => (cells.has(at) ? [] : [{ kind, at }]));
  // The reason is the last that is said, with its commas.
  const most =
    left.findIndex(({ kind }) => kind === "reason") === left.length - 1 ? left.length : parts.length;
  const own = [...parts.slice(0, most - 1), parts.slice(most - 1).join(", ")]
    .map((part) => unquoted(part.replace(LEADS, "")))
    .filter((part) => part !== "");
  if (own.length !== left.length) return undefined;
  for (const [place, { at, kind }] of left.entries()) {
    const part = own[place] ?? "";
    // A reason, or a day more than there are columns for, is no other cell.
    const isOther = BECAUSE.test(part) || createDateReader().find(part, now) !== undefined;
    if (isOther && kind !== "reason") return undefined;
    cells.set(
      at,
      kind === "reason"
        ? part.replace(BECAUSE, "").replace(WHO, "")
        : withoutHead(part, heads[at] ?? "", rows, at),
    );
  }
  return { row: asRow(heads.map((_, at) => cells.get(at) ?? "")), others };
}

const OWN = /^(?:me|myself|i)$/iu;
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/**
 * A day as the others of its column are written: "2 December", "16 November 2026". Of a day that is said with its month
 * and no year, the year is left to whoever knows which one is near.
 */
function likeDay(day: Date, other: string, spoken: string): string {
  const [year, month, date] = [day.getFullYear(), MONTHS[day.getMonth()] ?? "", day.getDate()];
  const named = /\p{L}{4}/u.test(other) ? month : month.slice(0, 3);
  const isOpen = valuesIn(spoken, new Set())[0]?.kind === "date" && !/\b20\d\d\b/u.test(spoken);
  const isDated = /\b20\d\d\b/u.test(other) && !isOpen;
  return `${/^\D/u.test(other) ? `${named} ${date}` : `${date} ${named}`}${isDated ? ` ${year}` : ""}`;
}

/** "Carrot cake" below "Cake", where no other row says so. */
function withoutHead(part: string, head: string, rows: readonly (readonly string[])[], at: number): string {
  const [stem] = tellingIn(head);
  const last = /\s+(\p{L}+)$/u.exec(part);
  const isOf = (text: string): boolean => tellingIn(text).some((own) => own === stem);
  return last?.[1] !== undefined && isOf(last[1]) && !rows.some((row) => isOf(row[at] ?? ""))
    ? part.slice(0, last.index)
    : part;
}
