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
  const open: { value: unknown; depth: number; field: string | undefined }[] = [
    { value, depth: 0, field: undefined },
  ];
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: part, depth, field } = next;
    values += 1;
    if (texts && typeof part === "string" && !part.isWellFormed()) return { field, why: halfCharacter };
    if (typeof part !== "object" || part === null) continue;
    if (depth >= maxJsonDepth)
      return { field, why: `expected at most ${maxJsonDepth} levels of nesting, got more` };
    const entries = Object.entries(part);
    if (values + open.length + entries.length > mostValues)
      return { field, why: `expected at most ${mostValues} values, got more` };
    for (const [key, item] of entries) {
      if (texts && !key.isWellFormed()) return { field: field ?? key.toWellFormed(), why: halfCharacter };
      open.push({ value: item, depth: depth + 1, field: field ?? key });
    }
  }
  return undefined;
}

const halfCharacter =
  "expected whole characters, got half of one (a lone surrogate), which would not be sent as it was approved";
