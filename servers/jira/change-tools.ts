import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import {
  assigneeArgument,
  bodyArgument,
  dryRunArgument,
  dueDateArgument,
  given,
  keyArgument,
  labelsArgument,
  projectArgument,
  summaryArgument,
} from "./arguments.ts";
import type { JiraBackend } from "./backend.ts";
import { linkIssues } from "./links.ts";
import { createIssue, deleteIssue, transitionIssue, updateIssue } from "./operations.ts";
import { answer, callContext } from "./read-tools.ts";
import { changeSchema, commentSchema, summarySchema } from "./schemas.ts";
import { changeText, commentText, summaryLine } from "./text.ts";

const typeArgument: z.ZodType<string, string> = z
  .string()
  .meta({ description: "The kind of issue", examples: ["Bug", "Story", "Task", "Epic"] });

const priorityArgument: z.ZodType<string, string> = z
  .string()
  .meta({ description: "How urgent it is", examples: ["Highest", "High", "Medium", "Low", "Lowest"] });

const descriptionArgument: z.ZodType<string, string> = z
  .string()
  .meta({ description: "The full text, in Markdown", examples: ["## Steps\n1. Open the page"] });

const oldAndNew = z.object({ assignee: z.string().nullable() });

/** The tools that change something. */
export function registerChangeTools(server: McpServer, jira: JiraBackend): void {
  const openWorldHint = jira.kind === "rest";
  /** Adds without touching what is there. */
  const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint };
  /** Replaces what was there; the same call again changes nothing more. */
  const replaces = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint };

  server.registerTool(
    "create_issue",
    {
      title: "Create a Jira issue",
      description:
        "Create (open, file, add, report) a new Jira issue, ticket, bug, story, task or epic in a project. Needs the project and a summary (title).",
      inputSchema: z.strictObject({
        project: projectArgument,
        summary: summaryArgument,
        type: typeArgument.optional(),
        description: descriptionArgument.optional(),
        priority: priorityArgument.optional(),
        assignee: assigneeArgument.optional(),
        labels: labelsArgument.optional(),
        epic_key: keyArgument("The epic it belongs to", "DEMO-10").optional(),
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: adds,
    },
    async ({ dry_run, ...input }, context) => {
      const cleaned = {
        ...input,
        type: given(input.type),
        assignee: given(input.assignee),
        description: given(input.description),
        priority: given(input.priority),
        labels: input.labels?.length === 0 ? undefined : input.labels,
      };
      const { key, ...change } = await createIssue(jira, cleaned, dry_run === true, callContext(context));
      const would = `Would create an issue in ${input.project}`;
      return answer(change, changeText(change, `Created ${key ?? "nothing"}`, would));
    },
  );

  server.registerTool(
    "update_issue",
    {
      title: "Update a Jira issue",
      description:
        "Change (edit, set, rename) fields of a Jira issue: summary, description, priority, labels, type, epic, due date or assignee. Only the named fields change; a description or labels replace the old ones. For the status use transition_issue.",
      inputSchema: z.strictObject({
        issue_key: keyArgument("The key of the issue", "DEMO-12"),
        fields: z
          .strictObject({
            summary: summaryArgument.optional(),
            description: descriptionArgument.optional(),
            priority: priorityArgument.optional(),
            labels: labelsArgument.optional(),
            type: typeArgument.optional(),
            assignee: assigneeArgument.nullable().optional(),
            epic_key: keyArgument("The epic it belongs to, null for none", "DEMO-10").nullable().optional(),
            due_date: dueDateArgument.nullable().optional(),
          })
          .meta({
            description: "The fields to change with their new values",
            examples: [{ priority: "High" }, { summary: "A better title", labels: ["login"] }],
          }),
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: replaces,
    },
    async ({ issue_key, fields, dry_run }, context) => {
      const change = await updateIssue(jira, issue_key, fields, dry_run === true, callContext(context));
      return answer(change, changeText(change, `Updated ${issue_key}`, `Would update ${issue_key}`));
    },
  );

  server.registerTool(
    "transition_issue",
    {
      title: "Move a Jira issue to another status",
      description:
        "Change the status of a Jira issue: move, start, close, finish, resolve or reopen a ticket. Example: move DEMO-12 to In Progress.",
      inputSchema: z.strictObject({
        issue_key: keyArgument("The key of the issue", "DEMO-12"),
        status: z
          .string()
          .trim()
          .min(1)
          .meta({
            description: "The new status, as the project names it",
            examples: ["To Do", "In Progress", "In Review", "Done", "Won't Do", "Backlog"],
          }),
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: replaces,
    },
    async ({ issue_key, status, dry_run }, context) => {
      const change = await transitionIssue(jira, issue_key, status, dry_run === true, callContext(context));
      return answer(change, changeText(change, `Moved ${issue_key}`, `Would move ${issue_key}`));
    },
  );

  server.registerTool(
    "add_comment",
    {
      title: "Comment on a Jira issue",
      description: "Add a comment (note, reply, remark) to a Jira issue or ticket.",
      inputSchema: z.strictObject({
        issue_key: keyArgument("The key of the issue", "DEMO-1"),
        body: bodyArgument,
      }),
      outputSchema: z.object({ issue_key: z.string(), comment: commentSchema, url: z.string() }),
      annotations: adds,
    },
    async ({ issue_key, body }, context) => {
      const call = callContext(context);
      const issue = await jira.issue(issue_key, call);
      const comment = await jira.comment(issue.key, body, call);
      return answer(
        { issue_key: issue.key, comment, url: issue.url },
        `Commented on ${issue.key}\n${commentText(comment)}`,
      );
    },
  );

  server.registerTool(
    "assign_issue",
    {
      title: "Assign a Jira issue",
      description:
        'Assign a Jira issue or ticket to a person, to me, or to nobody ("unassigned"). Example: assign DEMO-4 to Ben.',
      inputSchema: z.strictObject({
        issue_key: keyArgument("The key of the issue", "DEMO-4"),
        assignee: assigneeArgument,
      }),
      outputSchema: z.object({ issue: summarySchema, before: oldAndNew, after: oldAndNew }),
      annotations: replaces,
    },
    async ({ issue_key, assignee }, context) => {
      const { before, after, issue } = await updateIssue(
        jira,
        issue_key,
        { assignee },
        false,
        callContext(context),
      );
      return answer({ issue, before, after }, `Assigned: ${summaryLine(issue)}`);
    },
  );

  server.registerTool(
    "link_issues",
    {
      title: "Link two Jira issues",
      description:
        "Link two Jira issues: the first blocks, is blocked by, duplicates, causes or relates to the second. Example: DEMO-12 blocks DEMO-15.",
      inputSchema: z.strictObject({
        from_key: keyArgument("The issue the link starts from", "DEMO-12"),
        to_key: keyArgument("The other issue", "DEMO-15"),
        type: z
          .string()
          .trim()
          .min(1)
          .meta({
            description: "What the first issue is to the second",
            examples: ["blocks", "is blocked by", "relates to", "duplicates", "causes"],
          }),
      }),
      outputSchema: z.object({ from_key: z.string(), to_key: z.string(), type: z.string() }),
      annotations: { ...adds, idempotentHint: true },
    },
    async ({ from_key, to_key, type }, context) => {
      const link = await linkIssues(jira, from_key, to_key, type, callContext(context));
      return answer(link, `${link.from_key} ${link.type} ${link.to_key}`);
    },
  );

  server.registerTool(
    "delete_issue",
    {
      title: "Delete a Jira issue",
      description:
        "Delete (remove, erase) a Jira issue or ticket for ever, with its comments and links. This cannot be undone; to close an issue use transition_issue.",
      inputSchema: z.strictObject({
        issue_key: keyArgument("The key of the issue", "DEMO-24"),
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: replaces,
    },
    async ({ issue_key, dry_run }, context) => {
      const change = await deleteIssue(jira, issue_key, dry_run === true, callContext(context));
      const what = change.issue === null ? issue_key : summaryLine(change.issue);
      return answer(change, changeText(change, `Deleted ${what}`, `Would delete ${what}`));
    },
  );
}
