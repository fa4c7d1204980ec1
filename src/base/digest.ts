import { createHash } from "node:crypto";

import canonicalize from "canonicalize";

/** RFC 8785 text of a JSON value. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError(`expected a JSON value, got ${typeof value}`);
  return text;
}

/** `sha256` (hex) over the canonical JSON of a value. */
export function digest(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
