import { jqlError } from "./error.ts";
import type { Value } from "./parse.ts";

/** A moment in milliseconds since the epoch; a value without a time of day stands for that whole day in `=`. */
export interface Moment {
  ms: number;
  wholeDay: boolean;
}

const dayMs = 86_400_000;

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };

const datePattern = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?$/;

/** The moment a JQL value means, in UTC. Throws `bad_jql`. */
export function toMoment(value: Value, now: Date): Moment {
  if (value.kind === "function") return fromFunction(value.name, value.args, value.at, now);
  const offset = offsetMs(value.text);
  if (offset !== undefined) return { ms: now.getTime() + offset, wholeDay: false };
  const match = datePattern.exec(value.text);
  if (match === null)
    throw jqlError(value.at, `"${value.text}" is not a date (2026-11-30, "2026-11-30 14:00", -7d)`);
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const ms = Date.UTC(year, month - 1, day, hours, minutes);
  if (new Date(ms).getUTCDate() !== day || hours > 23 || minutes > 59) {
    throw jqlError(value.at, `"${value.text}" is not a date of the calendar`);
  }
  return { ms, wholeDay: match[4] === undefined };
}

/** "-7d", "2w", "+1h" in milliseconds. */
function offsetMs(text: string): number | undefined {
  const match = /^([+-]?\d{1,6})([mhdw])$/i.exec(text);
  const unit = unitMs[match?.[2]?.toLowerCase() ?? ""];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}

function fromFunction(name: string, args: string[], at: number, now: Date): Moment {
  const shift = args[0] === undefined ? 0 : offsetMs(args[0]);
  if (shift === undefined || args.length > 1) throw jqlError(at, `${name}() takes one offset such as -1d`);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const weekday = (now.getUTCDay() + 6) % 7;
  const starts: Record<string, [from: number, to: number]> = {
    day: [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)],
    week: [Date.UTC(year, month, day - weekday), Date.UTC(year, month, day - weekday + 7)],
    month: [Date.UTC(year, month), Date.UTC(year, month + 1)],
    year: [Date.UTC(year, 0), Date.UTC(year + 1, 0)],
  };
  const folded = name.toLowerCase();
  if (folded === "now") return { ms: now.getTime() + shift, wholeDay: false };
  const [, end, unit] = /^(start|end)of(day|week|month|year)$/.exec(folded) ?? [];
  const range = unit === undefined ? undefined : starts[unit];
  if (range === undefined) throw jqlError(at, `${name}() is not a date`);
  return { ms: (end === "start" ? range[0] : range[1] - 1) + shift, wholeDay: false };
}

export function compareMoment(ms: number, operator: string, moment: Moment): boolean {
  switch (operator) {
    case ">":
      return ms > moment.ms;
    case ">=":
      return ms >= moment.ms;
    case "<":
      return ms < moment.ms;
    case "<=":
      return ms <= moment.ms;
    default:
      return moment.wholeDay ? ms >= moment.ms && ms < moment.ms + dayMs : ms === moment.ms;
  }
}
