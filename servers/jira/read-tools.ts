import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

import { progressOf } from "#servers/kit/progress.ts";

import { assigneeArgument, given, keyArgument, projectArgument } from "./arguments.ts";
import type { CallContext, JiraBackend } from "./backend.ts";
import { readEpic } from "./operations.ts";
import { issueSchema, projectSchema, searchSchema, summarySchema } from "./schemas.ts";
import { epicText, issueText, projectsText, searchText, summaryLine } from "./text.ts";

export function callContext(context: ServerContext): CallContext {
  return { signal: context.mcpReq.signal, progress: progressOf(context) };
}

/** Structured content with the same in words beside it. */
export function answer(structured: object, text: string): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...structured } };
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
      return answer(issue, issueText(issue));
    },
  );

  server.registerTool(
    "search_issues",
    {
      title: "Search Jira issues",
      description:
        "Find and list Jira issues (tickets, bugs, stories, tasks) by words, or by a JQL query, and by project, status or assignee. Use it for questions such as: find issues about login, which bugs are open, what is assigned to me, my tickets. Without any condition it lists all issues, last changed first.",
      inputSchema: z.strictObject({
        query: z
          .string()
          .optional()
          .meta({
            description:
              "Words to look for in key, summary, description and comments; all of them must be there",
            examples: ["login", "checkout button"],
          }),
        jql: z
          .string()
          .optional()
          .meta({
            description: "A query in Jira's query language",
            examples: [
              'project = DEMO AND status in ("To Do", "In Progress") AND assignee = currentUser() ORDER BY created DESC',
              "type = Bug AND priority >= High AND created >= -7d",
            ],
          }),
        project: projectArgument.optional(),
        status: z
          .string()
          .optional()
          .meta({
            description: 'A status such as "In Progress", or "open" (not done) or "closed" (done)',
            examples: ["To Do", "In Progress", "In Review", "Done", "open", "closed"],
          }),
        assignee: assigneeArgument.optional(),
        limit: z
          .int()
          .min(1)
          .max(100)
          .default(20)
          .meta({ description: "How many issues at most, 1 to 100", examples: [10] }),
        cursor: z
          .string()
          .optional()
          .describe("next_cursor of an earlier search, for its next page; nothing else is needed then"),
      }),
      outputSchema: searchSchema,
      annotations,
    },
    async ({ limit, ...conditions }, context) => {
      const request = Object.fromEntries(
        Object.entries(conditions).map(([name, text]) => [name, given(text)]),
      );
      const result = await jira.search({ ...request, limit }, callContext(context));
      return answer(result, searchText(result));
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
      return answer(epic, epicText(epic));
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
      return answer({ projects }, projectsText(projects));
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
      return answer(result, `${result.issues.length} issues of ${result.project}:\n${lines}`);
    },
  );
}
