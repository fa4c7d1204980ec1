import { createHash } from "node:crypto";

import canonicalize from "canonicalize";

import type { JsonValue } from "#contract/json.ts";

import { toWellFormed } from "./well-formed.ts";

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
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
