import type { Position } from "../cursor.ts";
import type { CallContext, IssueFields } from "../backend.ts";
import type { Issue } from "../model.ts";
import type { RawIssue } from "./shapes.ts";

export interface Page {
  issues: unknown[];
  next: Position | undefined;
  /** Undefined where the service does not say. */
  total: number | undefined;
}

/** What differs between Cloud (v3) and Data Center (v2). */
export interface Dialect {
  /** The root of the API: "/rest/api/3". */
  readonly api: string;
  /** A JQL restriction that every issue meets, where a query needs one. */
  readonly everything: string;
  /** Further fields an issue is asked for. */
  extraFields(call: CallContext): Promise<string[]>;
  toMarkdown(body: unknown): string;
  fromMarkdown(markdown: string): unknown;
  /** How a person is named in a request body; null for nobody. */
  userRef(id: string | null): Record<string, string | null>;
  page(
    jql: string,
    at: Position | undefined,
    limit: number,
    fields: readonly string[],
    call: CallContext,
  ): Promise<Page>;
  /** How many issues a query finds; undefined where that cannot be known. */
  count(jql: string, call: CallContext): Promise<number | undefined>;
  projects(call: CallContext): Promise<unknown[]>;
  priorities(call: CallContext): Promise<unknown[]>;
  /** Users that fit a text; in a project those who can be assigned there. An empty text fits all. */
  users(text: string, project: string | undefined, call: CallContext): Promise<unknown>;
  /** The epic an issue belongs to. */
  epicOf(issue: RawIssue, call: CallContext): Promise<Issue["epic"]>;
  /** The JQL that finds an epic's issues. */
  childrenJql(epicKey: string): string;
  /** The part of a request body that moves an issue to an epic, or to none. */
  epicBody(epicKey: string | null, call: CallContext): Promise<{ fields?: object; update?: object }>;
  /** Fields a new issue needs beyond those that were given. */
  creationFields(fields: IssueFields, call: CallContext): Promise<object>;
}
