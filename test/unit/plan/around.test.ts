import { beforeAll, expect, it } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";

import { demoTools, named, peopleAndStates, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
const known = [
  ...peopleAndStates,
  ...["DEMO", "MOB", "OPS"].map((id) => named("project", id, `Project ${id}`)),
];
let tools: Tool[];

beforeAll(async () => {
  tools = await demoTools();
});

const MESSAGES = [
  "show me DEMO-1",
  "close DEMO-4",
  "assign DEMO-4 to Ben and make it high",
  "OPS-8 is Done. OPS-9 can go to To Do",
  "DEMO-12 is blocked by DEMO-6, link them",
  "move DEMO-4 and MOB-3 to In Review",
  "open bugs in OPS, highest priority first",
  "how many stories does Emi have in MOB?",
  "what is overdue?",
  "create a bug in DEMO, logo is blurry on retina screens, high, for Emi",
  "add OPS-19 to the epic OPS-10",
  "compare MOB-12 and MOB-14",
  "the due date of DEMO-2 should be Dec 20",
  "unassign MOB-4",
];

const KEY = /\b[A-Z]{2,5}-\d+\b/g;
/** What people put around a message, or around the keys in it. */
const WAYS: Readonly<Record<string, (message: string) => string>> = {
  "in code": (message) => message.replace(KEY, "`$&`"),
  "in bold": (message) => message.replace(KEY, "*$&*"),
  "as links": (message) => message.replace(KEY, "https://jira.example.com/browse/$&"),
  "as links with a text": (message) => message.replace(KEY, "[$&](https://jira.example.com/browse/$&)"),
  "with a number sign": (message) => message.replace(KEY, "#$&"),
  "in small letters": (message) => message.replace(KEY, (key) => key.toLowerCase()),
  "behind a mention": (message) => `@Countersign ${message}`,
  "behind a hesitation": (message) => `ok so ${message}`,
  "before thanks": (message) => `${message}${message.endsWith("?") ? "" : ","} thanks!`,
  "before a picture": (message) => `${message} 🙏`,
  "with a bang": (message) => `${message}!`,
  "trailing off": (message) => (message.endsWith("?") ? message : `${message}...`),
  "between spaces": (message) => `  ${message}  \n`,
  "above a name": (message) => `${message}\n– Ben`,
  "above thanks": (message) => `${message}\n\nThanks,\nEmi`,
};

it.each(Object.entries(WAYS))("[plan.anchors] a message %s is planned as without it", (_, change) => {
  const planOf = (message: string): unknown => {
    const { text, further = [] } = planner.plan(planInput(message, tools, { known }));
    return [text, ...further];
  };
  const plans = MESSAGES.map((message) => ({ message, plan: planOf(message) }));
  expect(MESSAGES.map((message) => ({ message, plan: planOf(change(message)) }))).toEqual(plans);
});
