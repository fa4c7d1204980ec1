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
