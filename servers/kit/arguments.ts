import { z } from "zod";

const isDate = z.iso.date();

/** A date as `2026-11-30`. Its format says so; the pattern that `z.iso.date()` adds is long to read for models. */
export const dateText: z.ZodString = z
  .string()
  .refine((text) => isDate.safeParse(text).success, {
    error: ({ input }) => `expected a date such as 2026-11-30, got "${String(input)}"`,
  })
  .meta({ format: "date" });

/**
 * The arguments of a shape, and no others. Small models and forms fill optional arguments with "", null
 * or []; those mean the same as nothing.
 */
export function lenientArguments<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodPreprocess<z.ZodObject<Shape, z.core.$strict>> {
  return z.preprocess(withoutBlanks, z.strictObject(shape));
}

function withoutBlanks(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !isBlank(value)));
}

function isBlank(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === null || (Array.isArray(value) && value.length === 0);
}
