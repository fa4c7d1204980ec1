import type { JsonValue } from "#contract/json.ts";
import { jsonFault } from "#src/base/json.ts";

/** What a text was read as, or why it is none. */
export type Read = { ok: true; value: JsonValue } | { ok: false; message: string };

/** No number that is kept exactly has more digits. */
const LONGEST = 400;
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A number that is exactly what was typed, or why there is none. */
export function parseExactNumber(text: string, whole: boolean): Read {
  if (text.length > LONGEST || !NUMBER.test(text) || (whole && !INTEGER.test(text))) {
    const example = whole ? "a whole number such as 5" : "a number such as 5 or 2.5";
    return { ok: false, message: `Expected ${example}, got ${JSON.stringify(text.slice(0, 60))}.` };
  }
  const value = Number(text);
  return isExact(text, value) ? { ok: true, value } : { ok: false, message: TOO_EXACT };
}

const TOO_EXACT =
  "This number has more digits than can be sent exactly; shorten it, or send it as text where the tool takes text.";

/** A JSON value in which every number is exactly what was typed. */
export function parseExactJson(text: string): Read {
  let inexact: string | undefined;
  // The third parameter is ECMA-262's JSON.parse source text access, which the type library does not know yet.
  const watch = (_key: string, value: unknown, ...context: { source?: string }[]): unknown => {
    const source = context[0]?.source;
    if (typeof value === "number" && source !== undefined && !isExact(source, value)) inexact ??= source;
    return value;
  };
  try {
    // Without the watch first: it is called from the inside out, which uses up the stack.
    const fault = jsonFault(JSON.parse(text), { texts: true });
    if (fault !== undefined) return { ok: false, message: `${fault.why}.` };
    const value = JSON.parse(text, watch) as JsonValue;
    return inexact === undefined
      ? { ok: true, value }
      : { ok: false, message: `${inexact.slice(0, 60)}: ${TOO_EXACT}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      message: `Expected JSON, such as "text", 5, true, null, ["a"] or {"a": 1} (${why}).`,
    };
  }
}

/** Whether no digit was lost. */
function isExact(source: string, value: number): boolean {
  return Number.isFinite(value) && digitsOf(source) === digitsOf(String(value));
}

/** The significant digits of a number's text. */
function digitsOf(text: string): string {
  return text.replace(/e.*$/i, "").replaceAll(/[^\d]/g, "").replace(/^0+/, "").replace(/0+$/, "");
}
