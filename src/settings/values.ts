import { z } from "zod";

import { durationMs } from "../base/time.ts";

/** Reads a time as written by an operator, gives milliseconds. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, { error: "a time such as 30s, 30m, 24h or 7d" })
  .transform((text) => durationMs(text) ?? 0);

export const httpUrl = z.url({ protocol: /^https?$/, error: "an http or https URL" });

/** Arguments of a tool. */
export const toolArgs = z.record(z.string(), z.json());

export function between(least: number, most: number): z.ZodInt {
  return z.int().min(least).max(most);
}

const MULTIPLES: Readonly<Record<string, number>> = { k: 1_000, M: 1_000_000 };

/** Reads so many within a time, such as `200k/d`. */
export const rate = z
  .string()
  .regex(/^[1-9]\d{0,5}[kM]?\/[smhd]$/, { error: "an amount within a time, such as 30/m, 500/h or 200k/d" })
  .transform((text) => {
    const [amount = "", unit = ""] = text.split("/");
    const withinMs = durationMs(`1${unit}`) ?? 0;
    return { amount: Number.parseInt(amount, 10) * (MULTIPLES[amount.slice(-1)] ?? 1), withinMs };
  });
