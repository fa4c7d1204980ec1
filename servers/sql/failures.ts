import { ToolFailure } from "../kit/tool.ts";

/** What the two databases answer alike. */

export function readOnly(said: string, cause?: unknown): ToolFailure {
  return new ToolFailure(
    "read_only",
    `this server only reads: expected one SELECT, got something else (${said})`,
    { cause },
  );
}

export function oneStatement(): ToolFailure {
  return new ToolFailure("one_statement", "expected one SELECT, got several statements: send one at a time");
}

export function sqlError(said: string, cause?: unknown): ToolFailure {
  return new ToolFailure("sql_error", `${said}. Ask which tables there are, or which columns a table has`, {
    cause,
  });
}

export function tooSlow(timeoutMs: number, cause?: unknown): ToolFailure {
  return new ToolFailure(
    "timeout",
    `the query was ended after ${timeoutMs / 1000} s: ask for less, such as by a narrower WHERE`,
    { cause },
  );
}

export function tooLarge(cause?: unknown): ToolFailure {
  return new ToolFailure("too_large", "the answer is too large: select fewer columns or shorter values", {
    cause,
  });
}

export function cancelled(cause?: unknown): ToolFailure {
  return new ToolFailure("cancelled", "the call was cancelled", { cause });
}
