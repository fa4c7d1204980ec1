import type { Statements } from "#contract/statement.ts";
import { plainStatement } from "#src/base/statement.ts";

/** Statements of all tools: those of the bundled servers by their views, any other by what the tool says of itself. */
export function createStatements(): Statements {
  return {
    of: plainStatement,
    read: () => undefined,
  };
}
