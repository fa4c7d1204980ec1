import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementChange, StatementInput, Statements } from "#contract/statement.ts";
import { isMeant } from "#src/base/fixed-arguments.ts";
import { isObject } from "#src/base/json.ts";
import { argumentText, plainStatement } from "#src/base/plain-statement.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { humanise } from "#src/base/tool-words.ts";
import { en } from "#src/base/words/en.ts";

import { changesElement, isChange } from "./change-data.ts";
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
import { SISENSE_STATEMENTS } from "./sisense/statement.ts";

interface Maker {
  /** Throws where the data does not fit. */
  of: (input: StatementInput) => Statement;
  /** The arguments that the statement tells, between spaces; absent: all, with those that its sentence does not say. */
  tells?: string;
  read?: (args: JsonObject) => { tool: string; args: JsonObject } | undefined;
}

/** By the bare names of tools, also with the name of the product before them, as in `jira_create_issue`. */
const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  [
    "create_issue",
    {
      of: createIssueStatement,
      tells: "project summary type description priority assignee labels epic_key due_date",
    },
  ],
  ["update_issue", { of: updateIssueStatement, tells: "issue_key fields" }],
  ["transition_issue", { of: transitionIssueStatement, tells: "issue_key status" }],
  ["assign_issue", { of: assignIssueStatement, tells: "issue_key assignee" }],
  ["add_comment", { of: addCommentStatement, tells: "issue_key body", read: readIssue }],
  ["link_issues", { of: linkIssuesStatement, tells: "from_key to_key type" }],
  ["delete_issue", { of: deleteIssueStatement, tells: "issue_key" }],
  ["create_page", { of: createPageStatement, tells: "space title body parent_id" }],
  [
    "update_page",
    { of: updatePageStatement, tells: "page_id title body append under passage replacement version" },
  ],
  ["add_page_comment", { of: addPageCommentStatement, tells: "page_id body", read: readPage }],
  ["delete_page", { of: deletePageStatement, tells: "page_id" }],
  ...SISENSE_STATEMENTS,
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
  const made = (input: StatementInput): Statement | undefined => {
    const maker = makerOf(input.tool.name);
    return maker && attempt(() => withUntold(maker.of(input), maker, input));
  };
  return {
    of(input) {
      const { preview } = input;
      const words = pick(input.tool);
      const own = made(input);
      const configured = words && attempt(() => configuredStatement(words, input, own));
      const asked =
        own === undefined ? withDryRun(configured ?? plainStatement(input), input) : (configured ?? own);
      const statement = preview === undefined || isChange(preview) ? asked : withOtherDryRun(asked, preview);
      return input.language === undefined ? statement : { ...statement, language: input.language };
    },
    read({ tool, args }) {
      const words = pick(tool);
      return words?.object === undefined ? makerOf(tool.name)?.read?.(args) : configuredRead(words, args);
    },
  };
}

/** What a call says beyond that which the tools of this name are known for stands with the changes. */
function withUntold(statement: Statement, { tells }: Maker, { tool, args }: StatementInput): Statement {
  if (tells === undefined) return statement;
  const told = new Set([...tells.split(" "), "dry_run"]);
  const untold = Object.entries(args)
    .filter(([name, value]) => !told.has(name) && !isMeant(name, value))
    .map(([name, after]): StatementChange => ({ label: argumentText(tool, name), after }));
  return untold.length === 0 ? statement : { ...statement, changes: [...statement.changes, ...untold] };
}

/** What a dry run says goes before the arguments of the same names. */
function withDryRun(statement: Statement, { preview }: StatementInput): Statement {
  if (preview === undefined || !isChange(preview)) return statement;
  const tried = changesElement(preview.before, preview.after, en).items;
  const told = new Set(tried.map(({ label }) => label.toLowerCase()));
  const others = statement.changes.filter(({ label }) => !told.has(label.toLowerCase()));
  return { ...statement, changes: [...tried, ...others] };
}

const MOST_TOLD = 20;

/** A dry run that tells of no before and after is told in its own words. */
function withOtherDryRun(statement: Statement, preview: JsonValue): Statement {
  const facts = isObject(preview) ? Object.entries(preview) : [["", preview] as const];
  const told = facts
    .filter(([name, value]) => name !== "dry_run" && value !== null)
    .slice(0, MOST_TOLD)
    .map(([name, value]): StatementChange => ({
      label: name === "" ? "Dry run" : `Dry run: ${lowerFirst(humanise(oneLine(name, 80)))}`,
      after: typeof value === "string" ? cutText(value, 1_000) : value,
    }));
  return { ...statement, changes: [...statement.changes, ...told] };
}

function lowerFirst(text: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Undefined where the data does not fit. */
function attempt<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
