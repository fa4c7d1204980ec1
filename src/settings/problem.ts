import { CountersignError } from "#src/base/errors.ts";

export type Path = readonly (string | number)[];

/** One thing wrong with the configuration. No field ever holds the value of a secret. */
export interface ConfigProblem {
  /** The file as it was named, or `environment`. */
  file: string;
  /** From 1; absent where the text has no such place. */
  line?: number;
  column?: number;
  /** `servers[0].command`, the name of a variable, or empty for the file as a whole. */
  path: string;
  expected: string;
  found: string;
  /** What to do about it. */
  fix?: string;
}

/** How many problems a message shows: more are no help, and most have the same cause. */
const SHOWN = 20;
/** Of one of them, in characters. */
const LINE_LENGTH = 600;

/**
 * Code `config_invalid`; `problems` holds what was found, in the order of the file, and the message the
 * first of it.
 */
export class ConfigError extends CountersignError {
  readonly problems: readonly ConfigProblem[];

  /** `further`: how many were found beside these. */
  constructor(problems: readonly ConfigProblem[], options: { cause?: unknown; further?: number } = {}) {
    const sorted = problems.toSorted(
      (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    );
    const hidden = sorted.length - SHOWN + (options.further ?? 0);
    const lines = sorted.slice(0, SHOWN).map(describeProblem);
    const rest = hidden > 0 ? [`and ${hidden} more, which may go away with these`] : [];
    super("config_invalid", [...lines, ...rest].join("\n"), { ...options, details: sorted });
    this.name = "ConfigError";
    this.problems = sorted;
  }
}

function describeProblem(problem: ConfigProblem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(":");
  const path = problem.path === "" ? "" : `${problem.path}: `;
  const fix = problem.fix === undefined ? "" : `; ${problem.fix}`;
  const line = `${place}: ${path}expected ${problem.expected}, found ${problem.found}${fix}`;
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line;
}

/** `["servers", 0, "command"]` as `servers[0].command`. */
export function pathText(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w$-]+$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** Under these keys stands, or may stand, what nobody should read in a log. */
const secretKey =
  /token|secret|password|credential|api_?key|url$|^(env|args|command|headers|person_headers)$/i;

/**
 * A value for an error message: short plain text and numbers as they are, anything long, structured,
 * secret or taken from the environment only by its kind.
 */
export function foundText(value: unknown, path: Path, fromEnvironment: boolean): string {
  if (value === undefined) return "nothing";
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object") return "a mapping";
  const hidden = fromEnvironment || path.some((part) => typeof part === "string" && secretKey.test(part));
  if (typeof value === "string") {
    if (value === "") return "empty text";
    if (hidden || value.length > 60) return `text of ${value.length} characters`;
    return JSON.stringify(value);
  }
  if (typeof value === "number") return hidden ? "a number" : `the number ${value}`;
  return typeof value === "boolean" ? String(value) : `a ${typeof value}`;
}
