import type { JsonObject } from "#contract/json.ts";
import type { Statement, StatementInput, Statements } from "#contract/statement.ts";
import { plainStatement } from "#src/base/plain-statement.ts";

import { configuredRead, configuredStatement, type ToolWords } from "./configured-statement.ts";
import {
  addPageCommentStatement,
  createPageStatement,
  deletePageStatement,
  readPage,
  updatePageStatement,
} from "./confluence/statement.ts";
import {
  addCommentStatement,
  assignIssueStatement,
  createIssueStatement,
  deleteIssueStatement,
  linkIssuesStatement,
  readIssue,
  transitionIssueStatement,
  updateIssueStatement,
} from "./jira/statement.ts";
import { createPicker } from "./picker.ts";

interface Maker {
  /** Throws where the data does not fit. */
  of: (input: StatementInput) => Statement;
  read?: (args: JsonObject) => { tool: string; args: JsonObject } | undefined;
}

/** By the bare names of tools, also with the name of the product before them, as in `jira_create_issue`. */
const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["create_issue", { of: createIssueStatement }],
  ["update_issue", { of: updateIssueStatement }],
  ["transition_issue", { of: transitionIssueStatement }],
  ["assign_issue", { of: assignIssueStatement }],
  ["add_comment", { of: addCommentStatement, read: readIssue }],
  ["link_issues", { of: linkIssuesStatement }],
  ["delete_issue", { of: deleteIssueStatement }],
  ["create_page", { of: createPageStatement }],
  ["update_page", { of: updatePageStatement }],
  ["add_page_comment", { of: addPageCommentStatement, read: readPage }],
  ["delete_page", { of: deletePageStatement }],
]);

function makerOf(name: string): Maker | undefined {
  return MAKERS.get(name.replace(/^(?:jira|confluence)_/, ""));
}

/**
 * Statements of all tools: by the configuration's words where it has some, those of the bundled servers and of tools
 * of the same names whose data fits by their views, any other by what the tool says of itself.
 */
export function createStatements(config: Readonly<Record<string, ToolWords>> = {}): Statements {
  const pick = createPicker(config);
  const made = (input: StatementInput): Statement | undefined =>
    attempt(() => makerOf(input.tool.name)?.of(input));
  return {
    of(input) {
      const words = pick(input.tool);
      const own = made(input);
      const configured = words && attempt(() => configuredStatement(words, input, own));
      return configured ?? own ?? plainStatement(input);
    },
    read({ tool, args }) {
      const words = pick(tool);
      return words?.object === undefined ? makerOf(tool.name)?.read?.(args) : configuredRead(words, args);
    },
  };
}

/** Undefined where the data does not fit. */
function attempt<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
