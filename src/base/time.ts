import { setImmediate as nextRound, setTimeout as delay } from "node:timers/promises";

import { en, type Words } from "./words/en.ts";

/** Work that is done by then is no burden to others. */
const LIGHT_MS = 4;
const LONGEST_REST_MS = 100;

/**
 * Resolves when others have had their turn after work that began at `begunMs` (of `performance.now()`): what it
 * set off is done by then, and where that took long, it is followed by twice as long a rest. So what one server
 * or one large result costs takes a third of this process's time at most.
 */
export async function pauseAfter(begunMs: number): Promise<void> {
  await nextRound();
  const tookMs = performance.now() - begunMs;
  if (tookMs > LIGHT_MS) await delay(Math.min(2 * tookMs, LONGEST_REST_MS));
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Resolves after `ms`, or at once when the signal aborts; never rejects. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** Milliseconds until the next try after so many failures in a row: doubling from `minMs` to `maxMs`, half of it by chance. */
export function backOff(failures: number, { minMs, maxMs }: { minMs: number; maxMs: number }): number {
  const full = Math.min(maxMs, minMs * 2 ** Math.min(Math.max(failures - 1, 0), 20));
  return full / 2 + (Math.random() * full) / 2;
}

const UNITS_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Milliseconds of a time such as `30s`, `30m`, `24h` or `7d`; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = ""] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs;
}

/** "40 ms", "3.2 s", "2 min 5 s". */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < MINUTE_MS ? `${(ms / SECOND_MS).toFixed(1)} s` : minutesText(ms);
}

/** "0.4 s", "12 s", "2 min 5 s". */
export function secondsText(ms: number): string {
  if (ms < 10 * SECOND_MS) return `${(Math.max(0, ms) / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  return seconds < 60 ? `${seconds} s` : minutesText(ms);
}

function minutesText(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const UNITS: readonly (readonly [number, Parameters<Words["duration"]>[1]])[] = [
  [DAY_MS, "day"],
  [HOUR_MS, "hour"],
  [MINUTE_MS, "minute"],
  [SECOND_MS, "second"],
];

/** "30 minutes", "90 seconds", "1 day": in the largest unit that says it whole, at least one second. */
export function exactDuration(ms: number, say: Words = en): string {
  const [size, name] = UNITS.find(([size]) => ms >= size && ms % size === 0) ?? [
    SECOND_MS,
    "second" as const,
  ];
  return say.duration(Math.max(1, Math.round(ms / size)), name);
}

/** "30 minutes", "24 hours", "7 days": rounded to the largest unit that fits twice, or once without a rest. */
export function roughDuration(ms: number, say: Words = en): string {
  const [size, name] = UNITS.find(([size]) => ms >= size * 2 || ms === size) ?? [
    SECOND_MS,
    "second" as const,
  ];
  return say.duration(Math.round(ms / size), name);
}
