import { RE2JS } from "re2js";

import { CountersignError, messageOf } from "./errors.ts";

/**
 * A regular expression of somebody else, run in linear time: RE2's engine, which knows neither looking
 * around nor back references. Matching costs at most its size times the length of the text.
 */
export interface Pattern {
  readonly source: string;
  /** Instructions of the compiled expression. */
  readonly size: number;
  /** Steps that matching this text takes at the most; one is about 8 ns. */
  steps(text: string): number;
  /** Whether it matches somewhere in the text; undefined where that would take too many steps. */
  matches(text: string): boolean | undefined;
}

export interface PatternLimits {
  /** Characters of the expression. */
  length: number;
  /** Instructions of the compiled expression: `a{500}` has 500. */
  size: number;
  /** Steps of one match. */
  steps: number;
}

/** For expressions of servers and people: a match takes 30 ms at the worst. */
export const foreignPattern: PatternLimits = { length: 1_000, size: 2_000, steps: 4_000_000 };
/** For those of the configuration, which are to see long documents as well. */
export const ownPattern: PatternLimits = { length: 10_000, size: 10_000, steps: 100_000_000 };

/** Throws `bad_pattern`, whose message says what was expected and why this is not it. */
export function compilePattern(source: string, limits: PatternLimits = foreignPattern): Pattern {
  if (source.length > limits.length)
    throw badPattern(`it has ${source.length} characters, and at most ${limits.length} are run`);
  let engine: RE2JS;
  try {
    engine = RE2JS.compile(RE2JS.translateRegExp(asRe2(source)));
  } catch (error) {
    throw badPattern(messageOf(error).replace(/^error parsing regexp: /, ""));
  }
  const size = engine.programSize();
  if (size > limits.size)
    throw badPattern(`its repetitions make ${size} instructions of it, and at most ${limits.size} are run`);
  const steps = (text: string): number => size * (text.length + 1);
  return {
    source,
    size,
    steps,
    matches: (text) => (steps(text) > limits.steps ? undefined : engine.test(text)),
  };
}

/** RE2 counts only ASCII among white space, JavaScript every space there is. */
const spaces =
  "\\t-\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}";
const others =
  "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}" +
  "\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}";
/** A dot ends at every end of a line, not at `\n` alone. */
const notLineEnd = "[^\\n\\r\\x{2028}\\x{2029}]";

/** What is written differently in JavaScript: `.`, `\s`, `\S`, and the long names of Unicode properties. */
function asRe2(source: string): string {
  let isInClass = false;
  return source.replaceAll(
    /\\[pP]\{(?:(?:Script|sc|General_Category|gc)=)?(\w+)\}|\\[^]|[[\].]/g,
    (part: string, name?: string) => {
      if (part === "[") isInClass = true;
      else if (part === "]") isInClass = false;
      else if (part === "\\s") return isInClass ? spaces : `[${spaces}]`;
      else if (part === "\\S") return isInClass ? others : `[^${spaces}]`;
      else if (part === "." && !isInClass) return notLineEnd;
      else if (name !== undefined) return `${part.slice(0, 2)}{${shortCategories[name] ?? name}}`;
      return part;
    },
  );
}

const shortCategories: Readonly<Record<string, string>> = {
  Letter: "L",
  Lowercase_Letter: "Ll",
  Uppercase_Letter: "Lu",
  Mark: "M",
  Number: "N",
  Decimal_Number: "Nd",
  Punctuation: "P",
  Symbol: "S",
  Separator: "Z",
  Other: "C",
};

function badPattern(why: string): CountersignError {
  return new CountersignError(
    "bad_pattern",
    `a regular expression that runs in linear time (RE2, without (?=…), (?<=…) and \\1), which this is not: ${why}`,
  );
}
