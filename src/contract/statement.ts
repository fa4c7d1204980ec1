import type { JsonObject, JsonValue } from "./json.ts";
import type { Tool } from "./tool.ts";

/**
 * What a call does to what, in a person's words: "Delete DEMO-5 “Export fails on Safari” permanently" is verb,
 * object and rest. Plain data, each text one line: surfaces escape it, `src/base/statement.ts` makes sentences of it.
 */
export interface Statement {
  /** As an order, such as "Delete" or "Add a comment to". */
  verb: string;
  /** Of the same verb, such as "Deleted" or "Added a comment to". */
  past: string;
  object?: StatementObject;
  /** What follows the object, such as "to Ben Okafor (from nobody)". */
  rest?: string;
  /** What will differ; `before` is absent where nobody knows it. */
  changes: StatementChange[];
  /** It deletes, or overwrites what cannot be brought back. */
  isDestructive: boolean;
  /** Absent: not known. */
  canUndo?: boolean;
  /** Where it was approved before: what it acts on changed since then, `before` as it was approved. */
  since?: StatementChange[];
  /** What the object is where the call would change nothing, such as "is already Done". */
  already?: string;
  /** What else was wished for and is asked for once this is done, in the asker's words. */
  later?: string[];
  /** Whose account acts where it is not the requester's, such as "the bot". */
  as?: string;
}

/** One record. At least one of label and title is there. */
export interface StatementObject {
  /** What it is, in the singular, such as "issue". */
  kind?: string;
  /** By which people know it, such as DEMO-5 or a path. */
  label?: string;
  title?: string;
  /** http or https. */
  href?: string;
}

export interface StatementChange {
  label: string;
  before?: JsonValue;
  after?: JsonValue;
}

/** What is known of a call before it is made. */
export interface StatementInput {
  tool: Pick<Tool, "id" | "server" | "serverTitle" | "name" | "title" | "annotations" | "inputSchema">;
  args: JsonObject;
  /** What the tool's own dry run brought, whole. */
  preview?: JsonValue;
  /** What the read of `Statements.read` brought. */
  record?: JsonValue;
}

/** Makes statements; pure, and never throws. */
export interface Statements {
  of(input: StatementInput): Statement;
  /** The read that shows what a call acts on, where there is one; `tool` is the bare name of the same server's tool. */
  read(input: Pick<StatementInput, "tool" | "args">): { tool: string; args: JsonObject } | undefined;
}
