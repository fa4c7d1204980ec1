import { createHash } from "node:crypto";

import canonicalize from "canonicalize";

/**
 * RFC 8785 text of a JSON value. Half a surrogate pair, which has no canonical form, counts as U+FFFD:
 * what tools and people send must not go unrecorded for it.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(isPlain(value) ? value : wellFormed(value));
  if (text === undefined) throw new TypeError(`expected a JSON value, got ${typeof value}`);
  return text;
}

/** Whether the value can be written as it is; JSON.stringify escapes only lone surrogates as \\udXXX. */
function isPlain(value: unknown): boolean {
  return !/\\ud[89a-f]/i.test(JSON.stringify(value) ?? "");
}

function wellFormed(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) => (typeof item === "string" ? item.toWellFormed() : item)),
  ) as unknown;
}

/** `sha256` (hex) over the canonical JSON of a value. */
export function digest(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
