import type { Case, Expectation } from "./cases.ts";
import { type DemoData, readDemo } from "./demo-data.ts";

/**
 * Every issue and page of the demo, shown first and then spoken of: whatever is proposed has to be about exactly
 * that record. Then rows of a list, by their place and by a word that only one of them has.
 */
export function referentCases(): Case[] {
  const demo = readDemo(new Date());
  return [...issueCases(demo), ...pageCases(demo), ...rowCases(demo)];
}

const COMMENT = "looks good";

function issueCases({ issues }: DemoData): Case[] {
  return issues.flatMap(({ key }, at) => {
    const words = ["it", "this", "that one", "the ticket"];
    const word = words[at % words.length] ?? "it";
    const done = { tool: "transition_issue", args: { issue_key: key, status: "Done" } };
    const wishes: [string, Expectation][] = [
      [
        `comment on ${word}: ${COMMENT}`,
        { calls: [{ tool: "add_comment", args: { issue_key: key, body: COMMENT } }] },
      ],
      [
        `assign ${word} to ben`,
        { calls: [{ tool: "assign_issue", args: { issue_key: key, assignee: "ben" } }] },
      ],
      // One that is closed already needs no change: to say so is as good.
      [`close ${word}`, { one_of: [{ calls: [done] }, { says: ["already"] }] }],
      [`delete ${word}`, { calls: [{ tool: "delete_issue", args: { issue_key: key } }] }],
    ];
    return wishes.map(([wish, expect], nth) =>
      toCase(`${key}:${nth}`, "issue", [`show me ${key}`, wish], expect),
    );
  });
}

function pageCases({ pages }: DemoData): Case[] {
  return pages.flatMap(({ id, title }, at) => {
    const words = ["it", "this", "that one", "the page"];
    const word = words[at % words.length] ?? "it";
    const comment = { tool: "add_page_comment", args: { page_id: id, body: COMMENT } };
    const wishes: [string, Expectation][] = [
      [`comment on ${word}: ${COMMENT}`, { calls: [comment] }],
      [`delete ${word}`, { calls: [{ tool: "delete_page", args: { page_id: id } }] }],
    ];
    return wishes.map(([wish, expect], nth) =>
      toCase(`${id}:${nth}`, "page", [`open the wiki page ${title}`, wish], expect),
    );
  });
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

function rowCases({ issues }: DemoData): Case[] {
  return ["DEMO", "OPS", "MOB"].flatMap((project) => {
    const ask = `show me the open bugs in ${project}`;
    const bugs = issues.filter(
      (one) => one.project === project && one.type === "Bug" && one.category !== "done",
    );
    const places = [
      ...ORDINALS.slice(0, bugs.length).map((word, at) => [word, at + 1] as const),
      ["last", -1] as const,
    ];
    const byPlace = places.map(([word, row]) =>
      toCase(`${project}:${word}`, "row", [ask, `the ${word} one`], { row }),
    );
    const byWord = bugs.flatMap(({ key, summary }) => {
      const others = new Set(bugs.filter((one) => one.key !== key).flatMap((one) => wordsOf(one.summary)));
      const [word] = wordsOf(summary)
        .filter((one) => one.length > 4 && !others.has(one))
        .toSorted((a, b) => b.length - a.length);
      return word === undefined
        ? []
        : [toCase(`${project}:${key}`, "word", [ask, `the ${word} one`], { keys: [key] })];
    });
    return [...byPlace, ...byWord];
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}

function toCase(id: string, name: string, turns: string[], expect: Expectation): Case {
  return { id: `referent:${id}`, class: name, turns, as: "ana", expect, changesBefore: false };
}
