import type { Case, Expectation } from "./cases.ts";
import { type DemoData, readDemo } from "./demo-data.ts";

/**
 * Every issue and page of the demo, shown first and then spoken of: whatever is proposed has to be about exactly
 * that record. Then rows of a list, by their place and by a word that only one of them has. With `everyWording`
 * each wish comes in each wording, else the records share them.
 */
export function referentCases({ everyWording }: { everyWording: boolean }): Case[] {
  const demo = readDemo(new Date());
  const records = [...issuesOf(demo), ...pagesOf(demo)];
  return [
    ...records.flatMap((one, at) =>
      one.words
        .filter((_, nth) => everyWording || nth === at % one.words.length)
        .flatMap((word) =>
          one.wishes(word).map((wish) => toCase(one.name, one.kind, [one.show, wish[0]], wish[1])),
        ),
    ),
    ...rowCases(demo),
  ];
}

interface Spoken {
  name: string;
  kind: string;
  show: string;
  words: string[];
  wishes: (word: string) => [string, Expectation][];
}

const COMMENT = "looks good";

function issuesOf({ issues }: DemoData): Spoken[] {
  return issues.map(({ key, category }) => ({
    name: key,
    kind: "issue",
    show: `show me ${key}`,
    words: ["it", "this", "that one", "the ticket"],
    // Closing what is closed needs no change: to say so is as good.
    wishes: (word) => [
      [`comment on ${word}: ${COMMENT}`, proposes("add_comment", { issue_key: key, body: COMMENT })],
      [`assign ${word} to ben`, proposes("assign_issue", { issue_key: key, assignee: "ben" })],
      [`close ${word}`, category === "done" ? { one_of: [close(key), { says: ["already"] }] } : close(key)],
      [`delete ${word}`, proposes("delete_issue", { issue_key: key })],
    ],
  }));
}

function close(key: string): Expectation {
  return proposes("transition_issue", { issue_key: key, status: "Done" });
}

function pagesOf({ pages }: DemoData): Spoken[] {
  return pages.map(({ id, title }) => ({
    name: id,
    kind: "page",
    show: `open the wiki page ${title}`,
    words: ["it", "this", "that one", "the page"],
    wishes: (word) => [
      [`comment on ${word}: ${COMMENT}`, proposes("add_page_comment", { page_id: id, body: COMMENT })],
      [`delete ${word}`, proposes("delete_page", { page_id: id })],
    ],
  }));
}

/** A case that proposes exactly this call. */
export function proposes(tool: string, args: Record<string, unknown>): Expectation {
  return { calls: [{ tool, args }] };
}

/** A case that assigns an issue; to nobody with null. */
export function assigns(key: string, assignee: string | null): Expectation {
  return proposes("assign_issue", { issue_key: key, assignee });
}

/** A case that sets fields of an issue. */
export function sets(key: string, fields: Record<string, unknown>): Expectation {
  return proposes("update_issue", { issue_key: key, fields });
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

function rowCases({ issues }: DemoData): Case[] {
  return ["DEMO", "OPS", "MOB"].flatMap((project) => {
    const ask = `show me the open bugs in ${project}`;
    const bugs = issues.filter(
      (one) => one.project === project && one.type === "Bug" && one.category !== "done",
    );
    const places = [...ORDINALS.slice(0, bugs.length).entries()].map(([at, word]) => [word, at + 1] as const);
    const byPlace = [...places, ["last", -1] as const].map(([word, row]) =>
      toCase(project, "row", [ask, `the ${word} one`], { row }),
    );
    const byWord = bugs.flatMap(({ key, summary }) => {
      const others = new Set(bugs.filter((one) => one.key !== key).flatMap((one) => wordsOf(one.summary)));
      const [word] = wordsOf(summary)
        .filter((one) => one.length > 4 && !others.has(one))
        .toSorted((a, b) => b.length - a.length);
      return word === undefined ? [] : [toCase(project, "word", [ask, `the ${word} one`], { keys: [key] })];
    });
    return [...byPlace, ...byWord];
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}

export function toCase(name: string, kind: string, turns: string[], expect: Expectation): Case {
  return { id: `${name}: ${turns.at(-1)}`, class: kind, turns, as: "ana", expect, changesBefore: false };
}
