import { createRequire } from "node:module";

interface Chrono {
  parse(
    text: string,
    now: Date,
    options: { forwardDate: boolean },
  ): { index: number; text: string; start: { date(): Date } }[];
}

/** Reads dates in plain English. The parser is loaded at the first date slot: most turns have none. */
export interface DateReader {
  /** The first date in the text as `2026-11-21` (local to `now`), with its place. */
  find(text: string, now: Date): { value: Date; start: number; end: number } | undefined;
}

export function createDateReader(): DateReader {
  const load = createRequire(import.meta.url);
  let chrono: Chrono | undefined;
  return {
    find(text, now) {
      chrono ??= load("chrono-node/en") as Chrono;
      const [first] = chrono.parse(text.slice(0, 2000), now, { forwardDate: true });
      return first && { value: first.start.date(), start: first.index, end: first.index + first.text.length };
    },
  };
}

/** The calendar day in the machine's own time zone. */
export function toDay(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
