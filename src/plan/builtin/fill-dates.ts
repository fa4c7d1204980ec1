import type { Slot } from "../slot.ts";

import { toDay } from "./dates.ts";
import { type Filling, inTopic, isOpen, labelsOf, put, spokenOf } from "./filling.ts";
import { stemOf } from "./words.ts";

/** What a range of days is about, by the word of its argument. */
const ROLES: readonly [RegExp, RegExp][] = [
  [
    /^(?:created?|opened|reported|filed)$/,
    /\b(?:create[ds]?|opened|report(?:ed|s)?|filed?|raised?|added|new(?:er|est)?|young(?:er|est)?|old(?:er|est)?|logged|wrote|written|came in)\b/i,
  ],
  [
    /^(?:updated?|modified|changed)$/,
    /\b(?:updated?|changed?|modified|touched|edited|moved|active|happened|latest)\b/i,
  ],
  [
    /^(?:due|deadline)$/,
    /\b(?:due|deadline|overdue|(?:ready|done|finished|completed?|shipped|out)\s+(?:by|before|until|till))\b/i,
  ],
];

/** Dates in plain words: one day by its label, ranges by what they are about and whether they begin or end there. */
export function fillDates(filling: Filling): void {
  const slots = filling.entry.slots.filter(
    (slot) => (slot.kind === "date" || slot.kind === "date-time" || isWritten(slot)) && isOpen(filling, slot),
  );
  if (slots.length === 0) return;
  const { around, sheet } = filling;
  const toText = (slot: Slot, date: Date): string =>
    slot.kind === "date-time" ? date.toISOString() : inForm(slot, toDay(date));
  // "Release date 2026-12-15" is not when it starts.
  if (!filling.entry.changing) fillRange(filling, slots, toText);
  for (const slot of slots.filter((each) => isOpen(filling, each) && sideOf(each) === undefined)) {
    const label = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${labelsOf(slot).join("|")})(?![\\p{L}\\p{N}])`,
      "iu",
    ).exec(sheet.masked)?.index;
    const isOnly = slots.length === 1 && slot.words.join() === "date" && !filling.entry.takesTopic;
    const from = label ?? (slot.required || isOnly ? 0 : undefined);
    const found = from === undefined ? undefined : around.dates.find(sheet.masked.slice(from), around.now);
    if (from !== undefined && found) {
      const start = label ?? from + found.start;
      put(filling, slot, toText(slot, found.value), { start, end: from + found.end }, 0.5);
    }
  }
  const open = slots.filter((slot) => isOpen(filling, slot));
  if (filling.entry.changing) fillRange(filling, open, toText);
}

/** A day as the argument's description wants it: "MM-DD-YYYY", "dd/mm/yyyy", "month-day-year". */
function inForm({ description }: Slot, iso: string): string {
  const form = /\b(?:(?:mm|dd)[-/.])?(?:mm|dd)[-/.]y{2,4}\b|\b(?:month|day)-(?:day|month)-year\b/i.exec(
    description,
  )?.[0];
  if (form === undefined) return iso;
  const [year = "", month = "", day = ""] = iso.split("-");
  return form
    .replace(/month|mm/i, month)
    .replace(/day|dd/i, day)
    .replace(/year|y+/i, year);
}

/** A day that is written out, where the description says that dates are taken: `start_timestamp`, `since`. */
function isWritten(slot: Slot): boolean {
  return (
    slot.kind === "text" &&
    sideOf(slot) !== undefined &&
    /\bISO\b|\b(?:relative|absolute) dates?\b|\bYYYY-MM-DD\b/i.test(slot.description)
  );
}

function fillRange(filling: Filling, slots: Slot[], toText: (slot: Slot, date: Date) => string): void {
  const { sheet, around } = filling;
  const sided = slots.filter((slot) => sideOf(slot) !== undefined);
  if (sided.length === 0) return;
  const spoken = spokenOf(filling);
  // What is planned begins on one day and ends on another; a range is what one looks for.
  if (filling.entry.changing) {
    for (const slot of sided) {
      const lead = (sideOf(slot) === "from" ? BEGINS : ENDS).exec(spoken);
      const from = lead ? lead.index + lead[0].length : 0;
      const found =
        lead || sideOf(slot) === "from" ? around.dates.find(spoken.slice(from), around.now) : undefined;
      if (found && (lead === null ? !ENDS.test(spoken) : found.start < 2))
        put(filling, slot, toText(slot, found.value), {
          start: lead?.index ?? found.start,
          end: from + found.end,
        });
    }
    return;
  }
  const overdue =
    /\b(?:overdue(?!\s+(?:issue|ticket|bug|invoice)\b)|past (?:its |their |the )?due(?: date)?|past (?:its |their )?deadline|missed (?:its |their |the )?(?:deadline|due date)s?|deadlines? (?:that )?(?:have |has )?(?:we )?(?:have )?missed|late)\b/i.exec(
      spoken,
    );
  const span = overdue
    ? { to: around.now, start: overdue.index, end: overdue.index + overdue[0].length }
    : around.dates.span(spoken, around.now);
  if (
    !span ||
    (!overdue &&
      inTopic(filling, span.start) &&
      !/^(?:since|in the last|this|last)/i.test(spoken.slice(span.start)))
  )
    return;
  const roles = [...new Set(sided.map(roleOf))];
  const near = spoken.slice(Math.max(0, span.start - 40), span.end + 25);
  const isSaid = (role: string): boolean => ROLES.some(([own, said]) => own.test(role) && said.test(near));
  const said =
    roles.length === 1
      ? roles[0]
      : overdue && roles.includes("due")
        ? "due"
        : (roles.find((each) => /due/.test(each) && isSaid(each)) ??
          roles.find(isSaid) ??
          roles.find((each) =>
            (/^(?:bugs|issues|tickets|stories|tasks|pages)\s+(?:from|of)|new\b/i.test(filling.wish.text)
              ? /created/
              : /updated/
            ).test(each),
          ));
  // What is to come was not updated: it is due then.
  const isAhead = (span.from ?? span.to ?? around.now) >= around.now && (span.to ?? around.now) > around.now;
  const ahead = /^(?:due|dead|start|end|date)/;
  const role = isAhead && !ahead.test(said ?? "") ? roles.find((each) => ahead.test(each)) : said;
  if (isAhead && role === undefined) return;
  // "Who bakes this week" is not about when a page was written.
  if (
    !roles.some(isSaid) &&
    filling.entry.kin.has(stemOf("documentation")) &&
    !filling.entry.kin.has(stemOf("issue"))
  )
    return;
  let done = false;
  for (const slot of sided.filter((each) => roleOf(each) === role)) {
    const day = sideOf(slot) === "from" ? span.from : span.to;
    // "After January 1": what starts there starts on that day.
    const isBehind = slot.words.includes("start") && /^after\b/i.test(spoken.slice(span.start));
    const date = isBehind && day !== undefined ? new Date(day.getTime() - 86_400_000) : day;
    if (date === undefined) continue;
    // The last day that is over.
    filling.args[slot.name] = toText(
      slot,
      overdue ? new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1, 12) : date,
    );
    done = true;
  }
  if (!done) return;
  const states = overdue ? filling.entry.slots.find(({ values }) => values.includes("open")) : undefined;
  if (states && isOpen(filling, states)) filling.args[states.name] = "open";
  const verb =
    /(?:\b(?:that (?:were|are|is)|which (?:were|are)|were|are|is)\s+)?\b(?:created|opened|reported|filed|raised|added|logged|updated|changed|modified|touched|edited|due)\s+(?:(?:on|by|at)\s+)?$/i.exec(
      spoken.slice(0, span.start),
    );
  // "What has Emi reported this month": who did it is read from the verb.
  const isTheirs = verb && /\b(?:has|have|had|did)\s+\p{L}+\s+$/u.test(spoken.slice(0, verb.index));
  // "were last week created": the word stands behind its days.
  const after =
    /^\s+(?:created|opened|reported|filed|raised|logged|updated|changed|modified|touched|edited)\b/i.exec(
      spoken.slice(span.end),
    );
  sheet.take(verb && !isTheirs ? verb.index : span.start, span.end + (after?.[0].length ?? 0));
  const own = ROLES.find(([each]) => each.test(role ?? ""))?.[1];
  const far = own?.exec(spokenOf(filling));
  // "created per project in the last 30 days"
  if (far && !isTheirs && /(?:ed|due)$/i.test(far[0])) sheet.take(far.index, far.index + far[0].length);
  filling.strong += 0.25;
}

const BEGINS = /\b(?:from|starting|starts?(?= on\b)|beginning|begins?)\s+(?:(?:on|at)\s+)?/i;
const ENDS = /\b(?:until|till|to|ending|ends?|through)\s+(?:(?:on|at)\s+)?(?=\d|\p{L}+day|next|tomorrow)/iu;

/** Whether a range begins or ends with the argument's day. */
function sideOf({ words }: Slot): "from" | "to" | undefined {
  const [first = ""] = words;
  const ends = [first, words.at(-1) ?? ""];
  if (ends.some((word) => /^(?:after|since|from|start|begin|min)$/.test(word))) return "from";
  return ends.some((word) => /^(?:before|until|to|end|till|max)$/.test(word)) ? "to" : undefined;
}

function roleOf({ words }: Slot): string {
  return words.find((word) => ROLES.some(([own]) => own.test(word))) ?? "";
}
