import { z } from "zod";

import { dateText, lenientArguments } from "#servers/kit/arguments.ts";

// The arguments of the tools. Descriptions and examples are read by people in forms, by models and by a
// planner that matches words.

export function argument<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  examples: unknown[],
): Schema {
  return schema.meta({ description, examples });
}

/** An issue key with what it is for. */
export function keyArgument(description: string, example: string): z.ZodType<string, string> {
  const key = z
    .string()
    .trim()
    .regex(/^[A-Za-z][A-Za-z0-9_]*-[0-9]+$/, { error: "expected an issue key such as DEMO-12" })
    .toUpperCase();
  return argument(key, `${description}, such as ${example}. Upper or lower case.`, [example]);
}

export const word: z.ZodString = z.string().trim();

export const projectArgument: z.ZodString = argument(word, "The project: its key such as DEMO, or its name", [
  "DEMO",
  "OPS",
  "MOB",
]);

export const labelsArgument: z.ZodArray<z.ZodString> = argument(
  z.array(word.regex(/^\S+$/, { error: "a label has no spaces" })),
  "Labels, without spaces",
  [["login", "customer"]],
);

export function dateArgument(description: string): z.ZodString {
  return argument(dateText, description, ["2026-11-30"]);
}

const filterShape = {
  query: argument(word, "Words to look for in the title, description and comments; all must be there", [
    "login",
    "checkout button",
  ]).optional(),
  project: projectArgument.optional(),
  type: argument(word, "Bug, story, task or epic; several with commas", [
    "Bug",
    "Story",
    "Bug, Task",
  ]).optional(),
  status: argument(
    word,
    'A status such as "In Progress"; several with commas. "open" is any that is not done, "closed" any that is',
    ["To Do", "In Progress", "In Review", "Done", "open", "closed"],
  ).optional(),
  status_category: argument(
    z.enum(["open", "todo", "in_progress", "done"]),
    "How far it is: open (not done, unresolved), todo (not started), in_progress, done (closed, resolved)",
    ["open"],
  ).optional(),
  priority: argument(word, "How urgent it is; several with commas", ["High", "High, Highest"]).optional(),
  labels: labelsArgument.meta({ description: "Labels (tags) it has, all of them" }).optional(),
  assignee: argument(
    word,
    'Who works on it: a name, a part of a name, an id, "me", or "none" for unassigned issues',
    ["me", "Ana Lindqvist", "ben", "none"],
  ).optional(),
  reporter: argument(word, 'Who reported (created, filed) it: a name, a part of a name, an id, or "me"', [
    "me",
    "chloe",
  ]).optional(),
  epic: keyArgument("The epic it belongs to", "DEMO-10").optional(),
  created_after: dateArgument("Created on or after this date: new, recent, newest issues").optional(),
  created_before: dateArgument("Created on or before this date: old, oldest issues").optional(),
  updated_after: dateArgument("Last changed on or after this date: recently updated issues").optional(),
  updated_before: dateArgument("Last changed on or before this date: stale, forgotten issues").optional(),
  due_after: dateArgument("Due date on or after this date").optional(),
  due_before: dateArgument(
    "Due date on or before this date; for overdue (late) issues yesterday, with status_category open",
  ).optional(),
  jql: argument(word, "A query in Jira's query language, instead of all other conditions", [
    'project = DEMO AND status in ("To Do", "In Progress") AND assignee = currentUser() ORDER BY created DESC',
    "type = Bug AND priority >= High AND created >= -7d",
  ]).optional(),
};

const orderShape = {
  order_by: argument(
    z.enum(["created", "updated", "due", "priority", "key", "status"]),
    "What to sort by: created (newest first), updated (last changed first), due (due soonest first), priority (most urgent first), key or status",
    ["created"],
  ).optional(),
  order: argument(z.enum(["asc", "desc"]), "The direction: asc (oldest, lowest first) or desc", [
    "desc",
  ]).optional(),
};

export const groupings = [
  "status",
  "status_category",
  "type",
  "priority",
  "assignee",
  "reporter",
  "project",
  "label",
  "epic",
] as const;

export const searchArguments = lenientArguments({
  ...filterShape,
  ...orderShape,
  limit: argument(z.int().min(1).max(100).default(20), "How many issues at most, 1 to 100", [10]),
  cursor: z
    .string()
    .optional()
    .describe("next_cursor of an earlier search, for its next page; nothing else is needed then"),
});

export const countArguments = lenientArguments({
  ...filterShape,
  group_by: argument(z.enum(groupings), "Count per status, type, person and so on: how many each", [
    "status",
    "assignee",
  ]).optional(),
});

/** Which issues: all conditions must hold. `jql` stands alone. */
export const filterSchema = z.strictObject({ ...filterShape, ...orderShape });

export type IssueFilter = z.infer<typeof filterSchema>;
export type Grouping = (typeof groupings)[number];
