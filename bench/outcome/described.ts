import type { Case, Expectation } from "./cases.ts";
import { type DemoIssue, readDemo } from "./demo-data.ts";
import { proposes, toCase } from "./referents.ts";

/** Words that stand in any title, and say nothing of it. */
const COMMON = new Set(
  "the a an of to in on for and or with is are by at from as when after before it its be not no does do than into that this up out one only every each all instead where let".split(
    " ",
  ),
);

/**
 * Orders for the issues of the demo, each named by two or three words of its title that no other title has together,
 * with and without an article, in wordings that the issues share.
 */
export function describedCases(): Case[] {
  const { issues } = readDemo(new Date());
  return issues.flatMap((issue, at) =>
    descriptionsOf(issue, issues).flatMap((words, nth) =>
      [0, 1, 2].flatMap((more) => {
        const order = ORDERS[(at * 7 + nth * 3 + more * 5) % ORDERS.length]?.(words, issue);
        return order === undefined ? [] : [toCase(issue.key, "described", [order[0]], order[1])];
      }),
    ),
  );
}

export function descriptionsOf({ summary, key }: DemoIssue, issues: readonly DemoIssue[]): string[] {
  const own = saidWords(summary).filter((word) => !COMMON.has(word));
  const runs = [own.slice(0, 2), own.slice(-2), own.slice(1, 4)];
  const isUnique = (words: string[]): boolean =>
    !issues.some(
      (other) => other.key !== key && words.every((word) => saidWords(other.summary).includes(word)),
    );
  return [
    ...new Set(runs.filter((words) => words.length > 1 && isUnique(words)).map((run) => run.join(" "))),
  ];
}

/** As people say them: "sign-on" and "2.0" are one. */
function saidWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d]+(?:[.-][\p{L}\d]+)*/gu) ?? [];
}

type Order = (words: string, issue: DemoIssue) => [order: string, expect: Expectation];

const assigned =
  (to: string, assignee: string): Order =>
  (words, { key }) => [to.replace("$", words), isSo(proposes("assign_issue", { issue_key: key, assignee }))];
const moved =
  (to: string, status: string): Order =>
  (words, { key }) => [
    to.replace("$", words),
    isSo(proposes("transition_issue", { issue_key: key, status })),
  ];
const changed =
  (to: string, fields: Record<string, unknown>): Order =>
  (words, { key }) => [to.replace("$", words), isSo(proposes("update_issue", { issue_key: key, fields }))];
const labelled =
  (to: string): Order =>
  (words, { key, labels }) => [
    to.replace("$", words),
    proposes("update_issue", { issue_key: key, fields: { labels: [...labels, "q1"] } }),
  ];
const commented =
  (to: string): Order =>
  (words, { key }) => [
    to.replace("$", words),
    proposes("add_comment", { issue_key: key, body: "we look at it on monday" }),
  ];

const DUE = { due_date: `${new Date().getFullYear() + 1}-05-11` };
const DAY = `may 11 ${new Date().getFullYear() + 1}`;
const ORDERS: readonly Order[] = [
  assigned("assign $ to emi", "emi"),
  assigned("assign the $ one to emi", "emi"),
  assigned("can you give the $ ticket to farid?", "farid"),
  assigned("I'll take $", "ana"),
  moved("move $ to done", "Done"),
  moved("mark the $ ticket as done", "Done"),
  moved("set the $ one to in review", "In Review"),
  changed("set priority of $ to highest", { priority: "Highest" }),
  changed("bump $ to highest", { priority: "Highest" }),
  changed(`set the due date of $ to ${DAY}`, DUE),
  changed('rename $ to "Something new"', { summary: "Something new" }),
  labelled("add label q1 to $"),
  labelled("tag the $ one with q1"),
  labelled("label the $ ticket q1"),
  commented("comment on $: we look at it on monday"),
  commented("leave a note on the $ ticket that we look at it on monday"),
  (words, { key }) => [`delete the ${words} ticket`, proposes("delete_issue", { issue_key: key })],
];

/** What is so already leaves nothing to ask for: to say that is as good. */
function isSo(expect: Expectation): Expectation {
  return { one_of: [expect, { says: ["already"] }] };
}
