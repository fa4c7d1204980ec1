import { createRequire } from "node:module";
import { NUMBER_WORDS } from "./words.ts";

interface Chrono {
  parse(
    text: string,
    now: Date,
    options: { forwardDate: boolean },
  ): { index: number; text: string; start: { date(): Date } }[];
}

/** Days that a phrase names, both included; an open side is absent. `start` and `end` are its place. */
export interface DateSpan {
  from?: Date;
  to?: Date;
  start: number;
  end: number;
}

/** Reads dates in plain English. The parser is loaded when a date is first looked for: most turns have none. */
export interface DateReader {
  /** The first date in the text, as seen from `now`, with its place. */
  find(text: string, now: Date): { value: Date; start: number; end: number } | undefined;
  /** The first range in the text: "since Monday", "this week", "in the last 3 days", "before 2026-12-01". */
  span(text: string, now: Date): DateSpan | undefined;
}

const UNIT = "(day|week|month|quarter|year)";
const RELATIVE = new RegExp(
  `\\b(?:(?:in|within|over|during|for|from)\\s+)?(?:the\\s+)?(last|past|previous|next|coming|this|current)\\s+(?:(\\d{1,3}|few|couple(?:\\s+of)?|two|three|four|five|six|seven|eight|ten|twelve)\\s+)?${UNIT}s?\\b`,
  "i",
);
/** "the seven last days" */
const TURNED =
  /\b(\d{1,3}|two|three|four|five|six|seven|ten)\s+(last|past|next|coming)\s+(?=(?:day|week|month)s\b)/i;
const WEEKEND = /\b(?:(?:on|over|at|during)\s+)?(?:this|the|(next|last|past)|coming)\s+weekend\b/i;
const AGO = new RegExp(
  `\\b(?:(more than|over|older than|longer than|at least|less than|younger than|newer than)\\s+)?(an?|one|\\d{1,3}|few|couple(?:\\s+of)?|two|three|four|five|six|seven|eight|nine|ten|twelve)\\s+${UNIT}s?(\\s+ago|\\s+old)?\\b`,
  "i",
);
/** "not touched for a month" */
const IDLE =
  /\b(?:nobody|no one|not|untouched|unchanged|quiet|never|hasn['’]?t|haven['’]?t|wasn['’]?t|weren['’]?t|without)\b[^.]{0,40}?\b(?:for|in|since)\s+(?:the\s+(?:last|past)\s+|(?:over|more than)\s+)?$/i;
const QUIET =
  /^\s+(?:(?:are|were|was|been|have|has)\s+)*not\s+(?:(?:any ?|no )?more\s+|been\s+|longer\s+)*(?:changed|updated|touched|edited|moved)(?:\s+any ?more)?/i;
const SINCE = /\b(since|after|from|starting|before|until|till|by|up to|between|on)\s+/gi;
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  /\b(?:in|during|of|from)\s+(january|february|march|april|may|june|july|august|september|october|november|december)\b(?! \d)/i;
const TODAY_OR = /\btoday\s+(?:or|and)\s+tomorrow\b/i;
/** "Not older than two weeks" */
const NOT_OLDER = /\b(?:not|no|(?:is|are)n['’]t)\s+$/i;
/** What was done was done on a day that is over. */
const PAST =
  /\b(?:created|reported|opened|filed|raised|logged|added|updated|changed|edited|touched|modified|written|wrote)\b/i;
/** "Between 1 and 10 December" */
const BETWEEN_DAYS =
  /(?<joint>\b(?:between|from)\s+(?:the\s+)?(?<first>\d{1,2})(?:st|nd|rd|th)?\s+(?:and|to|until|till)\s+)(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?=jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;
const NEAR_DAY = /\b(today|yesterday|tomorrow)\b/i;
const NUMBERS: Readonly<Record<string, number>> = { few: 3, ...NUMBER_WORDS };

/** "March.11, 2022" */
const MONTH_POINT = /\b((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\.(?=\s?\d)/gi;

/** Without any of these the parser need not be loaded. */
const HINT =
  /\d[-/.:]\d|\d(?:st|nd|rd|th|am|pm)\b|\b\d{4}\b|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|today|tomorrow|yesterday|tonight|noon|weekend|weeks?|months?|years?|days?|quarter|eo[dwmqy])\b/i;

/** "20.12.", "20.12.2026", "due 20.12": the day comes first, as where it is written with points. */
const DOTTED =
  /(?<![\d.])(?<day>0?[1-9]|[12]\d|3[01])\.(?<month>0?[1-9]|1[0-2])(?:\.(?:\s?(?<year>20\d\d))?|(?<=\b(?:due|by|until|till|on|deadline)\s(?:date\s)?\S+))(?![\d.])/i;

function dottedDay(text: string, now: Date): ReturnType<DateReader["find"]> {
  const found = DOTTED.exec(text);
  const { day = "", month = "", year } = found?.groups ?? {};
  if (found === null) return undefined;
  const at = new Date(Number(year ?? now.getFullYear()), Number(month) - 1, Number(day), 12);
  const isOver = year === undefined && at.getTime() < now.getTime() - 24 * 3600 * 1000;
  return { value: isOver ? shift(at, "year", 1) : at, ...placeOf(found) };
}

const WEEKDAY = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?";
const MONTH_NAME = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)\\p{Ll}*\\.?";
/** A day as people write it by itself. */
export const DAY: string = `(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\\s+the\\s+\\d{1,2}(?:st|nd|rd|th)|(?:the\\s+)?(?:(?:next|this|coming)\\s+)?(?:${WEEKDAY}|week|month)(?:\\s+(?:next|in)\\s+(?:week|two weeks))?|tomorrow|today|end of (?:the |next |this )?\\p{L}+(?:\\s+\\d{4})?|\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH_NAME}(?:\\s+\\d{4})?|${MONTH_NAME}\\s+\\d{1,2}(?:st|nd|rd|th)?|(?:the\\s+)?\\d{1,2}(?:st|nd|rd|th)|\\d{1,2}\\.\\d{1,2}\\.?(?:\\d{4})?|\\d{4}-\\d\\d-\\d\\d|in\\s+(?:a|one|two|three|\\d{1,2})\\s+(?:day|week|month)s?`;

export function createDateReader(): DateReader {
  const load = createRequire(import.meta.url);
  let chrono: Chrono | undefined;

  function find(text: string, now: Date, forwardDate = true): ReturnType<DateReader["find"]> {
    if (!HINT.test(text)) return undefined;
    const dotted = dottedDay(text, now);
    if (dotted) return dotted;
    const ends = ENDS.exec(text);
    if (ends) return { value: endOf(ends.groups ?? {}, now), ...placeOf(ends) };
    chrono ??= load("chrono-node/en") as Chrono;
    const [first] = chrono.parse(text.slice(0, 2000).replace(MONTH_POINT, "$1 "), now, { forwardDate });
    const named = WEEKDAY_NTH.exec(text);
    if (named?.groups) return nthDay(named, now, forwardDate);
    const nth = NTH.exec(text);
    if (nth?.groups && (first === undefined || nth.index < first.index)) return nthDay(nth, now, forwardDate);
    return first && { value: first.start.date(), start: first.index, end: first.index + first.text.length };
  }

  function after(text: string, at: number, now: Date, forward: boolean): ReturnType<DateReader["find"]> {
    const found = find(text.slice(at), now, forward);
    return found &&
      /^(?:(?:the )?(?:beginning|start) of )?(?:the |last |this )?$/i.test(text.slice(at, at + found.start))
      ? { value: found.value, start: at + found.start, end: at + found.end }
      : undefined;
  }

  return {
    find: (text, now) => find(text, now),
    span(given, now) {
      const text = given.replace(TURNED, "$2 $1 ");
      const weekend = WEEKEND.exec(text);
      if (weekend) {
        const monday = days(now, -((now.getDay() + 6) % 7));
        const turn = { next: 1, last: -1, past: -1 }[weekend[1]?.toLowerCase() ?? ""] ?? 0;
        return { from: days(monday, 5 + 7 * turn), to: days(monday, 6 + 7 * turn), ...placeOf(weekend) };
      }
      const ago = AGO.exec(text);
      if (ago) {
        const [, more, count = "", unit = "", word] = ago;
        const number = /^(?:an?|one)$/i.test(count)
          ? 1
          : (NUMBERS[count.toLowerCase()] ?? (Number.parseInt(count, 10) || 2));
        const date = shift(now, unit, -number);
        const idle = IDLE.exec(text.slice(0, ago.index));
        if (idle) return { to: date, start: idle.index, end: ago.index + ago[0].length };
        // "since more than 30 days not changed any more"
        const quiet = QUIET.exec(text.slice(ago.index + ago[0].length));
        if (quiet)
          return {
            to: date,
            start: /\b(?:since|for|in)\s+$/i.exec(text.slice(0, ago.index))?.index ?? ago.index,
            end: ago.index + ago[0].length + quiet[0].length,
          };
        // "In review for more than a week"
        const waits = /\bfor\s+(?:already\s+)?$/i.exec(text.slice(0, ago.index));
        if (waits && more !== undefined)
          return { to: date, start: waits.index, end: ago.index + ago[0].length };
        const isYounger = /less|younger|newer/i.test(more ?? "") || NOT_OLDER.test(text.slice(0, ago.index));
        if (more !== undefined && isYounger && (word !== undefined || /older|younger|newer/i.test(more))) {
          const not = NOT_OLDER.exec(text.slice(0, ago.index));
          return { from: date, ...placeOf(ago), ...(not ? { start: not.index } : {}) };
        }
        if (more !== undefined && (word !== undefined || /older|longer/i.test(more)))
          return { to: date, ...placeOf(ago) };
        const since = /\b(?:since|within)\s+(?:the\s+)?$/i.exec(text.slice(0, ago.index));
        if (since) return { from: date, start: since.index, end: ago.index + ago[0].length };
        if (word !== undefined && /ago/.test(word)) return { from: date, to: date, ...placeOf(ago) };
      }
      const relative = RELATIVE.exec(text);
      const end = /\b(?:before|by|until|till|up to)\s+(?:the\s+)?end of\s+(?:the\s+)?$/i.exec(
        text.slice(0, relative?.index ?? 0),
      );
      if (relative && end)
        return { to: relativeSpan(relative, now).to ?? now, ...placeOf(relative), start: end.index };
      if (relative) return { ...relativeSpan(relative, now), ...placeOf(relative) };
      const both = BETWEEN_DAYS.exec(text);
      const { first, joint = "" } = both?.groups ?? {};
      const until = both ? after(text, both.index + joint.length, now, !PAST.test(text)) : undefined;
      if (both && until)
        return {
          // "Between 28 and 3 December" begins in the month before.
          from: new Date(
            until.value.getFullYear(),
            until.value.getMonth() - (Number(first) > until.value.getDate() ? 1 : 0),
            Number(first),
            12,
          ),
          to: until.value,
          start: both.index,
          end: until.end,
        };
      for (const cue of text.matchAll(SINCE)) {
        const word = (cue[1] ?? "").toLowerCase();
        const isStart = /since|after|from|starting|between/.test(word);
        const isOver = /\b(?:happened|was|were|did|had|went|changed|created|closed)\b/i.test(text);
        const isPast = (word === "on" && isOver) || (word === "before" && PAST.test(text));
        const near = after(text, cue.index + cue[0].length, now, !isStart && !isPast);
        if (!near) continue;
        // On a Saturday Monday is nearer ahead, and nothing was since then.
        const isAhead = near.value > now;
        const found =
          word === "since" && isAhead
            ? { ...near, value: days(near.value, -7) }
            : isPast && isAhead
              ? { ...near, value: shift(near.value, "year", -1) }
              : near;
        const place = { start: cue.index, end: found.end };
        // "not updated since Monday"
        const idle = IDLE.exec(text.slice(0, cue.index + cue[0].length));
        if (word === "since" && idle) return { to: days(found.value, -1), start: idle.index, end: found.end };
        const and = /^\s+(?:and|to|until|till|-)\s+/i.exec(text.slice(found.end));
        // "Between 1 and 15 November", said after that, is over.
        const last =
          isStart && and
            ? [false, true]
                .map((forward) => after(text, found.end + and[0].length, now, forward))
                .find((one) => one !== undefined && one.value >= found.value)
            : undefined;
        if (last) return { from: found.value, to: last.value, start: cue.index, end: last.end };
        if (word === "on") return { from: found.value, to: found.value, ...place };
        if (word === "after") return { from: days(found.value, 1), ...place };
        // "Before the end of the month" is on its last day as well.
        const isEnd = /\bend of\b/i.test(text.slice(found.start, found.end));
        if (word === "before" && !isEnd) return { to: days(found.value, -1), ...place };
        return isStart ? { from: found.value, ...place } : { to: found.value, ...place };
      }
      const month = MONTH.exec(text);
      if (month) {
        const at = MONTHS.indexOf((month[1] ?? "").slice(0, 3).toLowerCase());
        const isAhead = /\bdue\b|\bdeadline\b/i.test(text);
        // What is due in a month is due in the next one of that name, and what was done was done in the last.
        const year =
          now.getFullYear() + (isAhead && at < now.getMonth() ? 1 : !isAhead && at > now.getMonth() ? -1 : 0);
        return { from: new Date(year, at, 1, 12), to: new Date(year, at + 1, 0, 12), ...placeOf(month) };
      }
      const near = TODAY_OR.exec(text);
      if (near) return { from: now, to: days(now, 1), ...placeOf(near) };
      const day = NEAR_DAY.exec(text);
      if (!day) return undefined;
      const date = days(now, { yesterday: -1, tomorrow: 1 }[day[0].toLowerCase()] ?? 0);
      return { from: date, to: date, ...placeOf(day) };
    },
  };
}

/** "The end of the week" is its Friday, that of a month, quarter or year its last day. */
const ENDS =
  /\b(?:the\s+)?(?:end\s+of\s+(?:the\s+|this\s+)?(?<next>next\s+)?(?<unit>week|quarter|year)\b|(?<short>eo[wqy])\b)/i;

function endOf({ next, unit, short }: Record<string, string | undefined>, now: Date): Date {
  const word = (
    unit ??
    { w: "week", q: "quarter", y: "year" }[short?.at(-1)?.toLowerCase() ?? ""] ??
    ""
  ).toLowerCase();
  const from = shift(startOf(now, word), word, next === undefined ? 0 : 1);
  if (word !== "week") return days(shift(from, word, 1), -1);
  const friday = days(from, 4);
  // On a Saturday the week's end is tomorrow.
  return toDay(friday) < toDay(now) ? days(from, 6) : friday;
}

/** "the 30th", of no month: the next one, or the last. */
const NTH =
  /\b(?:the )?(?<day>[12]?\d|3[01])(?:st|nd|rd|th)\b(?!\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|month|issue|row|one|ticket|page|floor|bug|story|task|item|result|comment))/iu;

/** "Friday the 11th" is the 11th, whatever day that is. */
const WEEKDAY_NTH = new RegExp(
  `\\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\\s+(?:the\\s+)?(?<day>[12]?\\d|3[01])(?:st|nd|rd|th)\\b(?!\\s+(?:of\\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))`,
  "iu",
);

function nthDay(match: RegExpExecArray, now: Date, isAhead: boolean): ReturnType<DateReader["find"]> {
  const day = Number(match.groups?.["day"]);
  const months = [0, 1, 2, 3].map((more) => (isAhead ? more : -more));
  const value = months
    .map((more) => new Date(now.getFullYear(), now.getMonth() + more, day, 12))
    .find(
      (date) => date.getDate() === day && (isAhead ? toDay(date) >= toDay(now) : toDay(date) <= toDay(now)),
    );
  return value && { value, ...placeOf(match) };
}

function placeOf(match: RegExpExecArray): { start: number; end: number } {
  return { start: match.index, end: match.index + match[0].length };
}

function relativeSpan(
  [whole, which = "", count, unit = "day"]: RegExpExecArray,
  now: Date,
): Pick<DateSpan, "from" | "to"> {
  const isPast = /last|past|previous/i.test(which);
  const isNext = /next|coming/i.test(which);
  const number =
    count === undefined ? undefined : (NUMBERS[count.toLowerCase()] ?? (Number.parseInt(count, 10) || 2));
  if (
    number !== undefined ||
    /past|coming/i.test(which) ||
    (isPast && /^(?:in|within|over|during|for|from)\b/i.test(whole)) ||
    unit.toLowerCase() === "day"
  ) {
    // "In the next days" says no number: about a week.
    const isSome = number === undefined && /days$/i.test(whole);
    const other = shift(now, unit, (isNext ? 1 : -1) * (number ?? (isSome ? 7 : 1)));
    return isNext ? { from: now, to: other } : { from: other };
  }
  const from = shift(startOf(now, unit), unit, isPast ? -1 : isNext ? 1 : 0);
  return { from, to: days(shift(from, unit, 1), -1) };
}

function days(date: Date, count: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + count, 12);
}

function shift(date: Date, unit: string, count: number): Date {
  const lower = unit.toLowerCase();
  if (lower === "day" || lower === "week") return days(date, lower === "day" ? count : 7 * count);
  const months = { month: 1, quarter: 3, year: 12 }[lower] ?? 1;
  return new Date(date.getFullYear(), date.getMonth() + months * count, date.getDate(), 12);
}

/** Weeks begin on Monday. */
function startOf(date: Date, unit: string): Date {
  const lower = unit.toLowerCase();
  if (lower === "week") return days(date, -((date.getDay() + 6) % 7));
  const month =
    lower === "year" ? 0 : lower === "quarter" ? date.getMonth() - (date.getMonth() % 3) : date.getMonth();
  return new Date(date.getFullYear(), month, 1, 12);
}

/** The calendar day in the machine's own time zone. */
export function toDay(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A day such as 2031-12-04, so many days later, or earlier where that is less than 0. */
export function dayAfter(iso: string, days: number): string {
  const [year = 0, month = 1, day = 1] = iso.slice(0, 10).split("-").map(Number);
  return toDay(new Date(year, month - 1, day + days, 12));
}
