export type JsonSpan =
  | { ok: true; end: number }
  | { ok: false; reason: "not_an_object" | "too_deep" | "unclosed" };

/**
 * Where the JSON object that starts at `start` ends: one pass that counts brackets outside strings
 * and parses nothing. `end` in the answer is the offset after its last brace.
 */
export function scanJsonObject(text: string, start: number, limit: number, maxDepth: number): JsonSpan {
  if (text[start] !== "{" || start >= limit) return { ok: false, reason: "not_an_object" };
  let depth = 0;
  let inString = false;
  for (let at = start; at < limit; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
    } else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > maxDepth) return { ok: false, reason: "too_deep" };
    } else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return { ok: true, end: at + 1 };
    }
  }
  return { ok: false, reason: "unclosed" };
}
