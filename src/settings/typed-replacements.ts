import type { z } from "zod";

import type { Substituted } from "./environment.ts";
import { valueAt } from "./issues.ts";

/** The environment knows only text: what it put where a number or truth value belongs is read as one. */
export function withTypedReplacements(
  substituted: Substituted,
  issues: readonly z.core.$ZodIssue[],
): Substituted {
  const data: unknown = structuredClone(substituted.data);
  for (const issue of issues) {
    if (issue.code !== "invalid_type" || !substituted.replaced.has(JSON.stringify(issue.path))) continue;
    const parent = valueAt(data, issue.path.slice(0, -1).map(keyOf));
    const key = keyOf(issue.path.at(-1) ?? "");
    const typed = readAs(issue.expected, valueAt(data, issue.path.map(keyOf)));
    if (typed === undefined || typeof parent !== "object" || parent === null) continue;
    Object.defineProperty(parent, key, { value: typed });
  }
  return { ...substituted, data };
}

function keyOf(part: PropertyKey): string | number {
  return typeof part === "symbol" ? String(part) : part;
}

function readAs(expected: string, value: unknown): number | boolean | undefined {
  if (typeof value !== "string") return undefined;
  if (expected === "boolean" && /^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
  if (/^(number|int)$/.test(expected) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  return undefined;
}
