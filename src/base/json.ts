import { hash } from "node:crypto";
import canonicalize from "canonicalize";

import type { JsonObject, JsonValue } from "#contract/json.ts";

/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: JsonValue | undefined): value is JsonObject;
export function isObject(value: unknown): value is Record<string, unknown>;
export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Documents of rich text nest some thirty levels; nothing that people or tools mean nests deeper than this. */
export const maxJsonDepth = 64;
/** Texts, numbers, lists and objects in one value. */
const mostValues = 500_000;

/** What is wrong with a value as data from outside, and under which of its own keys. */
export interface JsonFault {
  field: string | undefined;
  why: string;
}

/**
 * Why a JSON value from outside is not taken: nested too deeply, too many values, or with `texts` half a
 * character. Without recursion, as whatever walks it later is recursive.
 */
export function jsonFault(
  value: unknown,
  { texts = false }: { texts?: boolean } = {},
): JsonFault | undefined {
  const open: JsonPart[] = [{ value, depth: 0, field: undefined }];
  let values = 1;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: part, depth, field } = next;
    if (typeof part === "string") {
      if (texts && !part.isWellFormed()) return { field, why: halfCharacter };
      continue;
    }
    if (typeof part !== "object" || part === null) continue;
    if (depth >= maxJsonDepth)
      return { field, why: `expected at most ${maxJsonDepth} levels of nesting, got more` };
    const keys = Object.keys(part);
    values += keys.length;
    if (values > mostValues) return { field, why: `expected at most ${mostValues} values, got more` };
    for (const key of keys) {
      if (texts && !key.isWellFormed()) return { field: field ?? key.toWellFormed(), why: halfCharacter };
      const item = (part as Record<string, unknown>)[key];
      // Most values are plain: only what has to be looked into is noted.
      if ((typeof item === "object" && item !== null) || (texts && typeof item === "string"))
        open.push({ value: item, depth: depth + 1, field: field ?? key });
    }
  }
  return undefined;
}

interface JsonPart {
  value: unknown;
  depth: number;
  field: string | undefined;
}

const halfCharacter =
  "expected whole characters, got half of one (a lone surrogate), which would not be sent as it was approved";

/**
 * Half a surrogate pair has no UTF-8 and no canonical JSON, yet tools and people do send one. It becomes
 * U+FFFD, as every encoder makes of it, so that no outcome goes unrecorded for it.
 */
export function toWellFormed(value: JsonValue): JsonValue {
  return isWellFormed(value) ? value : madeWellFormed(value);
}

function isWellFormed(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.keys(value).every((key) => key.isWellFormed() && isWellFormed(value[key]));
}

function madeWellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(madeWellFormed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), madeWellFormed(item)]),
  );
}

/**
 * RFC 8785 text of a JSON value. Half a surrogate pair, which has no canonical form, counts as U+FFFD:
 * what tools and people send must not go unrecorded for it.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(toWellFormed(value as JsonValue));
  if (text === undefined) throw new TypeError(`expected a JSON value, got ${typeof value}`);
  return text;
}

/** `sha256` (hex) over the canonical JSON of a value. */
export function digest(value: unknown): string {
  return digestOfText(canonicalJson(value));
}

/** `sha256` (hex) over a text, such as canonical JSON that is at hand. */
export function digestOfText(text: string): string {
  return hash("sha256", text);
}
