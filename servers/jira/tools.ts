import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

import { progressOf, signed, toolResult } from "#servers/kit/tool.ts";

import {
  argument,
  countArguments,
  dateArgument,
  keyArgument,
  labelsArgument,
  projectArgument,
  searchArguments,
  word,
} from "./arguments.ts";
import type { CallContext, JiraBackend } from "./backend.ts";
import {
  createIssue,
  deleteIssue,
  linkIssues,
  readEpic,
  transitionIssue,
  updateIssue,
} from "./operations.ts";
import {
  changeSchema,
  commentSchema,
  countSchema,
  foundPersonSchema,
  issueSchema,
  linkChangeSchema,
  projectSchema,
  searchSchema,
  summarySchema,
} from "./schemas.ts";
import {
  changeText,
  commentText,
  countText,
  epicText,
  issueText,
  peopleText,
  projectsText,
  searchText,
  summaryLine,
} from "./text.ts";

const summaryArgument = argument(
  word
    .min(1)
    .max(255)
    .regex(/^[^\r\n]*$/, { error: "expected one line" }),
  "The title, one line of up to 255 characters",
  ["Printer on fire"],
);

const bodyArgument = argument(
  z.string().refine((text) => text.trim() !== "", { error: "expected some text" }),
  "The text of the comment, in Markdown",
  ["Fixed in release 4.13."],
);

const assigneeArgument = argument(
  word,
  'Who works on it: a name, a part of a name, an id, "me", or "unassigned" for nobody',
  ["me", "Ana Lindqvist", "ben", "unassigned"],
);

const dryRunArgument = z
  .boolean()
  .default(false)
  .describe("true: change nothing, only say what would change (before and after)");

const typeArgument = argument(z.string(), "The kind of issue", ["Bug", "Story", "Task", "Epic"]);

const priorityArgument = argument(z.string(), "How urgent it is", [
  "Highest",
  "High",
  "Medium",
  "Low",
  "Lowest",
]);

const descriptionArgument = argument(z.string(), "The full text, in Markdown", [
  "## Steps\n1. Open the page",
]);

/** Small models fill optional arguments with empty strings; those mean nothing. */
function nonEmptyText(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

function callContext(context: ServerContext): CallContext {
  return { signal: context.mcpReq.signal, progress: progressOf(context) };
}

/** The tools that change nothing. */
export function registerReadTools(server: McpServer, jira: JiraBackend): void {
  const annotations = { readOnlyHint: true, openWorldHint: jira.kind === "rest" };

  server.registerTool(
    "get_jira_issue",
    {
      title: "Get a Jira issue",
      description:
        "Show one Jira issue (ticket, bug, story, task) by its key: summary, status, assignee, description, comments, links, labels and history. Use it to open, read or look up an issue such as DEMO-1.",
      inputSchema: z.strictObject({ issue_key: keyArgument("The key of the issue", "DEMO-1") }),
      outputSchema: issueSchema,
      annotations,
    },
    async ({ issue_key }, context) => {
      const issue = await jira.issue(issue_key, callContext(context));
      return toolResult(issue, issueText(issue));
    },
  );

  server.registerTool(
    "search_issues",
    {
      title: "Search Jira issues",
      description:
        "Find and list Jira issues (tickets, bugs, stories, tasks) by words, project, type, status, priority, labels, person, epic, creation, change or due date, in any order. Use it for questions such as: find issues about login, which bugs are open, what is assigned to me, unassigned tickets, overdue issues, what is due this week, the newest bugs. Without any condition it lists all issues, last changed first.",
      inputSchema: searchArguments,
      outputSchema: searchSchema,
      annotations,
    },
    async (request, context) => {
      const result = await jira.search(request, callContext(context));
      return toolResult(result, searchText(result));
    },
  );

  server.registerTool(
    "count_issues",
    {
      title: "Count Jira issues",
      description:
        "Count Jira issues: how many there are, by the same conditions as search_issues, in groups if wanted. Use it for: how many bugs are open, number of overdue tickets, how many issues per person, open bugs by priority.",
      inputSchema: countArguments,
      outputSchema: countSchema,
      annotations,
    },
    async ({ group_by, ...filter }, context) => {
      const result = await jira.count(filter, group_by, callContext(context));
      return toolResult(result, countText(result));
    },
  );

  server.registerTool(
    "get_epic",
    {
      title: "Get an epic with its issues",
      description:
        "Show a Jira epic with all its child issues (stories, tasks, bugs) and its progress: how many are to do, in progress and done. Use it for: how far is the epic DEMO-10, what is in the epic.",
      inputSchema: z.strictObject({ epic_key: keyArgument("The key of the epic", "DEMO-10") }),
      outputSchema: z.object({
        epic: issueSchema,
        children: z.array(summarySchema),
        progress: z.object({
          todo: z.number(),
          in_progress: z.number(),
          done: z.number(),
          total: z.number(),
        }),
      }),
      annotations,
    },
    async ({ epic_key }, context) => {
      const epic = await readEpic(jira, epic_key, callContext(context));
      return toolResult(epic, epicText(epic));
    },
  );

  server.registerTool(
    "list_projects",
    {
      title: "List Jira projects",
      description:
        "List the Jira projects with key, name, lead and number of issues. Use it for: which projects are there, who leads a project.",
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ projects: z.array(projectSchema) }),
      annotations,
    },
    async (_, context) => {
      const projects = await jira.projects(callContext(context));
      return toolResult({ projects }, projectsText(projects));
    },
  );

  server.registerTool(
    "find_people",
    {
      title: "Find people in Jira",
      description:
        "Find who has a Jira account by a name, a part of a name or an e-mail address: their account id, name and e-mail address. Not for issues: those of a person are found by search_issues.",
      inputSchema: z.strictObject({
        query: argument(word.max(200), "A name, a part of one, an id or an e-mail address", [
          "Okafor",
          "ben@acme.example.com",
        ]),
      }),
      outputSchema: z.object({ people: z.array(foundPersonSchema) }),
      annotations,
    },
    async ({ query }, context) => {
      const people = await jira.people(query, callContext(context));
      return toolResult({ people }, peopleText(people));
    },
  );

  server.registerTool(
    "export_issues",
    {
      title: "Export a project's issues",
      description:
        "Export every issue of one Jira project, ordered by key, with progress while it runs. Slow on large projects; to find some issues use search_issues.",
      inputSchema: z.strictObject({ project: projectArgument }),
      outputSchema: z.object({ project: z.string(), issues: z.array(summarySchema) }),
      annotations,
    },
    async ({ project }, context) => {
      const result = await jira.exportIssues(project, callContext(context));
      const lines = result.issues.map(summaryLine).join("\n");
      return toolResult(result, `${result.issues.length} issues of ${result.project}:\n${lines}`);
    },
  );
}

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
        due_date: dateArgument("When it is due").optional(),
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: adds,
    },
    async ({ dry_run, ...input }, context) => {
      const cleaned = {
        ...input,
        type: nonEmptyText(input.type),
        assignee: nonEmptyText(input.assignee),
        description: nonEmptyText(input.description),
        priority: nonEmptyText(input.priority),
        labels: input.labels?.length === 0 ? undefined : input.labels,
      };
      const { key, ...change } = await createIssue(jira, cleaned, dry_run, callContext(context));
      const would = `Would create an issue in ${input.project}`;
      return toolResult(change, changeText(change, `Created ${key ?? "nothing"}`, would));
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
        fields: argument(
          z.strictObject({
            summary: summaryArgument.optional(),
            description: descriptionArgument.optional(),
            priority: priorityArgument.optional(),
            labels: labelsArgument.optional(),
            type: typeArgument.optional(),
            assignee: assigneeArgument.nullable().optional(),
            epic_key: keyArgument("The epic it belongs to, null for none", "DEMO-10").nullable().optional(),
            due_date: dateArgument("When it is due").nullable().optional(),
          }),
          "The fields to change with their new values",
          [{ priority: "High" }, { summary: "A better title", labels: ["login"] }],
        ),
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: replaces,
    },
    async ({ issue_key, fields, dry_run }, context) => {
      const change = await updateIssue(jira, issue_key, fields, dry_run, callContext(context));
      return toolResult(change, changeText(change, `Updated ${issue_key}`, `Would update ${issue_key}`));
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
        status: argument(word.min(1), "The new status, as the project names it", [
          "To Do",
          "In Progress",
          "In Review",
          "Done",
          "Won't Do",
          "Backlog",
        ]),
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: replaces,
    },
    async ({ issue_key, status, dry_run }, context) => {
      const change = await transitionIssue(jira, issue_key, status, dry_run, callContext(context));
      return toolResult(change, changeText(change, `Moved ${issue_key}`, `Would move ${issue_key}`));
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
      const comment = await jira.comment(issue.key, signed(body, context, jira.self), call);
      return toolResult(
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
        dry_run: dryRunArgument,
      }),
      outputSchema: changeSchema,
      annotations: replaces,
    },
    async ({ issue_key, assignee, dry_run }, context) => {
      const change = await updateIssue(jira, issue_key, { assignee }, dry_run, callContext(context));
      const line = summaryLine(change.issue);
      return toolResult(change, dry_run ? `Would assign: ${line}` : `Assigned: ${line}`);
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
        type: argument(word.min(1), "What the first issue is to the second", [
          "blocks",
          "is blocked by",
          "relates to",
          "duplicates",
          "causes",
        ]),
        dry_run: dryRunArgument,
      }),
      outputSchema: linkChangeSchema,
      annotations: { ...adds, idempotentHint: true },
    },
    async ({ from_key, to_key, type, dry_run }, context) => {
      const link = await linkIssues(jira, from_key, to_key, type, callContext(context), dry_run);
      const text = `${link.from_key} ${link.type} ${link.to_key}`;
      return toolResult(link, dry_run ? `Would link: ${text}` : text);
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
      const change = await deleteIssue(jira, issue_key, dry_run, callContext(context));
      const what = change.issue === null ? issue_key : summaryLine(change.issue);
      return toolResult(change, changeText(change, `Deleted ${what}`, `Would delete ${what}`));
    },
  );
}
