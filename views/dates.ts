const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * An ISO 8601 date as "21 Nov 2026", a time as "21 Nov 2026, 14:05 UTC" (without "UTC" where the
 * source names no zone). Undefined for anything else.
 */
export function parseDate(text: string): string | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "00", zone] = match;
  const date = `${year}-${month}-${day}`;
  // A day that does not exist (31 February) would silently become another one.
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return undefined;
  if (hour === undefined) return dayOf(midnight);
  const offset = zone === undefined ? "Z" : zone.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, "$1:$2");
  const time = new Date(`${date}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(time.getTime())) return undefined;
  return `${dayOf(time)}, ${clock(time)}${zone === undefined ? "" : " UTC"}`;
}

/** As `parseDate`; what is no date stays as it is. */
export function humanDate(text: string): string {
  return parseDate(text) ?? text;
}

/** The day alone, for tables; what is no date stays as it is. */
export function humanDay(text: string): string {
  return humanDate(text).split(",")[0] ?? text;
}

/** Milliseconds since the epoch as "21 Nov 2026, 14:05 UTC". */
export function humanTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : `${dayOf(time)}, ${clock(time)} UTC`;
}

/** Milliseconds as "30 minutes", "24 hours", "7 days", rounded to the largest unit that fits twice. */
export function humanDuration(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1000, "second"],
  ];
  const [size, name] = units.find(([size]) => ms >= size * 2 || ms === size) ?? [1000, "second"];
  const amount = Math.round(ms / size);
  return `${amount} ${name}${amount === 1 ? "" : "s"}`;
}

function dayOf(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function clock(date: Date): string {
  return date.toISOString().slice(11, 16);
}
