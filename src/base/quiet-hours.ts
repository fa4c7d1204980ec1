import { DAY_MS, MINUTE_MS } from "./time.ts";

/** Hours of every day, in minutes since midnight there; `to` before `from` is on the next day. */
export interface QuietHours {
  from: number;
  to: number;
  /** IANA name, such as Europe/Berlin. */
  zone: string;
}

const DAY_MINUTES = DAY_MS / MINUTE_MS;

/** When the quiet hours end in which `now` lies, in milliseconds since the epoch; undefined outside of them. */
export function quietUntil({ from, to, zone }: QuietHours, now: number): number | undefined {
  const at = minuteOfDay(now, zone);
  const isQuiet = from < to ? at >= from && at < to : at >= from || at < to;
  if (!isQuiet) return undefined;
  const whole = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const end = whole + ahead(at, to) * MINUTE_MS;
  // Where the clock is changed in between, the end is off by as much.
  const off = minuteOfDay(end, zone) - to;
  const nearest =
    off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off < -DAY_MINUTES / 2 ? off + DAY_MINUTES : off;
  return end - nearest * MINUTE_MS;
}

function ahead(from: number, to: number): number {
  return (to - from + DAY_MINUTES) % DAY_MINUTES;
}

function minuteOfDay(at: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  return minutesOf(format.format(at)) ?? 0;
}

/** Minutes since midnight of "07:30"; undefined for what is no time of a day. */
export function minutesOf(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined || minutes === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

/** Whether this runtime knows the zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return Intl.DateTimeFormat("en-GB", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
