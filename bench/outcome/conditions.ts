import { z } from "zod";

import { dayOf, type DemoData, type DemoIssue } from "./demo-data.ts";

/** One value or several of which one has to hold. */
const some = z.union([z.string(), z.array(z.string())]);

/** Days from today, or a day of the running week or month (weeks begin on Monday). */
const day = z.union([z.int(), z.enum(["monday", "sunday", "month_start", "month_end"])]);

/** Both ends count. */
const span = z.strictObject({ from: day.optional(), to: day.optional() });

/** What issues of the demo have to be; everything that is named holds. */
export const conditionSchema = z.strictObject({
  project: some.optional(),
  type: some.optional(),
  status: some.optional(),
  category: z.enum(["open", "todo", "in_progress", "done"]).optional(),
  priority: some.optional(),
  /** All of them. */
  labels: z.array(z.string()).optional(),
  /** A person's id, or `none`. */
  assignee: some.optional(),
  reporter: some.optional(),
  epic: z.string().optional(),
  /** The beginnings of words that all stand in the summary. */
  title: z.string().optional(),
  /** The beginnings of words that all stand somewhere in it. */
  text: z.string().optional(),
  due: span.optional(),
  created: span.optional(),
  updated: span.optional(),
});

export type Condition = z.infer<typeof conditionSchema>;

/** The issues that satisfy it, in the order of the seed files. */
export function select(demo: DemoData, condition: Condition): DemoIssue[] {
  const tests = testsOf(demo, condition);
  return demo.issues.filter((issue) => tests.every((test) => test(issue)));
}

type Test = (issue: DemoIssue) => boolean;

function testsOf(demo: DemoData, condition: Condition): Test[] {
  const tests: Test[] = [];
  const { category, labels, epic, title, text } = condition;
  for (const field of ["project", "type", "status", "priority", "assignee", "reporter"] as const) {
    const wanted = condition[field];
    if (wanted !== undefined) tests.push((issue) => [wanted].flat().includes(issue[field] ?? "none"));
  }
  if (category === "open") tests.push((issue) => issue.category !== "done");
  else if (category !== undefined) tests.push((issue) => issue.category === category);
  if (labels !== undefined) tests.push((issue) => labels.every((label) => issue.labels.includes(label)));
  if (epic !== undefined) tests.push((issue) => issue.epic === epic);
  if (title !== undefined) tests.push((issue) => holdsWords(issue.summary, title));
  if (text !== undefined) tests.push((issue) => holdsWords(issue.text, text));
  for (const field of ["due", "created", "updated"] as const) {
    const wanted = condition[field];
    if (wanted === undefined) continue;
    const from = wanted.from === undefined ? "" : dateOf(demo.now, wanted.from);
    const to = wanted.to === undefined ? "9999" : dateOf(demo.now, wanted.to);
    tests.push((issue) => {
      const own = issue[field]?.slice(0, 10);
      return own !== undefined && own >= from && own <= to;
    });
  }
  return tests;
}

/** The date that a day of a condition is, `YYYY-MM-DD` in UTC. */
export function dateOf(now: Date, wanted: z.infer<typeof day>): string {
  if (typeof wanted === "number") return dayOf(now, wanted);
  const sinceMonday = (now.getUTCDay() + 6) % 7;
  if (wanted === "monday") return dayOf(now, -sinceMonday);
  if (wanted === "sunday") return dayOf(now, 6 - sinceMonday);
  const month = wanted === "month_start" ? 0 : 1;
  const at = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, 1 - month);
  return new Date(at).toISOString().slice(0, 10);
}

function holdsWords(text: string, words: string): boolean {
  const have = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return fold(words)
    .split(/\s+/)
    .every((word) => have.some((own) => own.startsWith(word)));
}

/** Without case and accents. */
export function fold(text: string): string {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}
