import { z } from "zod";

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a time such as `30s`, `30m`, `24h` or `7d`; `undefined` for anything else. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const factor = unitMs[unit ?? ""];
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
}

/** Reads a time as written by an operator, gives milliseconds. */
export const durationSchema: z.ZodType<number, string> = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, { error: "a time such as 30s, 30m, 24h or 7d" })
  .transform((text) => durationMs(text) ?? 0);
