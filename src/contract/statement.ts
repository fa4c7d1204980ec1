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
  /** In its place once it was done, where `rest` tells what is only planned. */
  doneRest?: string;
  /** What will differ; `before` is absent where nobody knows it. */
  changes: StatementChange[];
  /** It deletes, or overwrites what cannot be brought back. */
  isDestructive: boolean;
  /** Absent: not known. */
  canUndo?: boolean;
  /** For how long it can be undone once it was done, in milliseconds; absent: not known, or for ever. */
  undoMs?: number;
  /** Where it was approved before: what it acts on changed since then, `before` as it was approved. */
  since?: StatementChange[];
  /** What the object is where the call would change nothing, such as "is already Done". */
  already?: string;
  /** What else was wished for and is asked for once this is done, in the asker's words. */
  later?: string[];
  /** Whose account acts where it is not the requester's, such as "the bot". */
  as?: string;
  /** The same for languages that order their words otherwise; absent where only the tool's own words tell of it. */
  form?: StatementForm;
  /** In which people are asked, as the channel's setting names it; absent: English. */
  language?: string;
}

/** A value in a statement; one that somebody wrote is quoted, as it could read like a part of the sentence. */
export interface Said {
  text: string;
  isQuoted?: boolean;
}

/** What is done to the object of a statement. `from` is how it was: null for nobody or nothing, absent where not known. */
export type StatementForm =
  /** In the operator's own words, which no language puts otherwise; `hasDone`: also for what is done. */
  | { is: "own"; hasDone: boolean }
  | { is: "create"; in: Said; under?: string; for?: Said }
  | { is: "rename"; to: string; rewrites?: boolean }
  /** `part`: the few words that become others, where it is no more than that. */
  | { is: "rewrite"; part?: { from: string; to: string } }
  /** What is there stays, and more stands below it; `isRow`: as a row of its table; `under`: in the part of this heading. */
  | { is: "append"; isRow?: true; under?: string }
  /** By their labels; `to` holds what each is then, null for nothing; absent where it is no part of the sentence. */
  | { is: "change"; fields: readonly string[]; to?: readonly (Said | null)[]; from?: Said }
  /** Which come and go; or those that are set, `from` where others stood there. */
  | {
      is: "labels";
      to?: readonly Said[];
      from?: readonly Said[];
      added?: readonly Said[];
      removed?: readonly Said[];
    }
  | { is: "move"; to: Said }
  | { is: "assign"; to: Said; from?: Said | null }
  | { is: "unassign"; from?: Said }
  | { is: "comment" }
  /** `as`: what the server calls it, such as "is blocked by". */
  | { is: "link"; to: Said; title?: string; as: Said }
  | { is: "delete" }
  /** It can be brought back; `from` is the place. */
  | { is: "trash"; from?: string };

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
  /** See Statement. */
  language?: string;
}

/** Makes statements; pure, and never throws. */
export interface Statements {
  of(input: StatementInput): Statement;
  /** The read that shows what a call acts on, where there is one; `tool` is the bare name of the same server's tool. */
  read(input: Pick<StatementInput, "tool" | "args">): { tool: string; args: JsonObject } | undefined;
}
