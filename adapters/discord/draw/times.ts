import { type Child, jsx as el } from "hono/jsx";

/** Styles of `<t:SECONDS:STYLE>`, https://discord.com/developers/docs/reference#message-formatting */
const STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** A time in one of Discord's styles; in UTC, as nobody knows where the reader is. */
export function drawTime(seconds: number, style: string, now: number): Child {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `<t:${seconds}>`;
  const said = new Intl.DateTimeFormat("en-GB", { ...(STYLES[style] ?? STYLES.f), timeZone: "UTC" }).format(
    date,
  );
  return el(
    "time",
    { class: "dc-when", datetime: date.toISOString(), title: `${said} UTC` },
    style === "R" ? distance(seconds - now / 1000) : said,
  );
}

/** "in 23 hours", "5 minutes ago" */
function distance(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? (["second", 1] as const);
  return new Intl.RelativeTimeFormat("en-GB").format(Math.trunc(seconds / size), unit);
}
