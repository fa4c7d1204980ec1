import { describe, expect, it } from "vitest";

import { de } from "#src/base/words/de.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

/** Each sentence with where it stands; functions are given marks to put in. */
function sentences(words: object, path = ""): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([key, value]: [string, unknown]) => {
      const at = `${path}${key}`;
      if (typeof value === "string") return [[at, value] as const];
      if (typeof value === "function")
        return STRUCTURED.test(at) ? [] : [[at, filled(value as Template, at)] as const];
      return typeof value === "object" && value !== null ? [...sentences(value, `${at}.`)] : [];
    }),
  );
}

/** What does not take texts and numbers alone; test/unit/words/german.test.ts looks at these. */
const STRUCTURED =
  /^(?:and|or|day|moment|duration|statement\.(?:ask|done|button|order|together|already|goesOn))$/;
/** Kinds of records, which are words of ours. */
const NOUN = /^search\.|^statement\.moreOf$/;

const MARKS = ["<1>", "<2>", "<3>", "<4>", "<5>"];

type Template = (...values: string[]) => string;

function filled(template: Template, at: string): string {
  const marks = MARKS.map((mark, index) => (NOUN.test(at) && isNoun(at, index) ? "issue" : mark));
  // Amounts are looked up by the rules of plurals, which take a mark for none of them.
  return template(...marks);
}

function isNoun(at: string, index: number): boolean {
  if (at === "search.someOf") return index === 2;
  return at === "statement.moreOf" ? index === 1 : index === 0;
}

function marksIn(text: string): string[] {
  return [...new Set(text.match(/<\d>/g) ?? [])].toSorted();
}

/** What reads the same in both. */
const SAME: ReadonlySet<string> = new Set(
  "grouped value statement.question buttons.details buttons.detailsOf buttons.onRecord notices.done search.forWhat windows.json windows.ok reply.changedBy about.status about.labels.name about.labels.version sisense.name".split(
    " ",
  ),
);

describe("the words of a language", () => {
  it("puts every sentence otherwise than English does, or is known to be the same", () => {
    const german = sentences(de);
    const same = [...sentences(en)].filter(([at, text]) => german.get(at) === text).map(([at]) => at);
    expect(same.filter((at) => !SAME.has(at))).toEqual([]);
  });

  it("names in each sentence what English names there", () => {
    const german = sentences(de);
    const lost = [...sentences(en)].filter(
      ([at, text]) => !LESS.has(at) && marksIn(text).join() !== marksIn(german.get(at) ?? "").join(),
    );
    expect(lost.map(([at]) => at)).toEqual([]);
  });

  it("is found by its name and by its code, and English stands in for all others", () => {
    for (const name of ["German", "Deutsch", "de", "de-AT", "DE", "German (Austria)"])
      expect(wordsOf(name)).toBe(de);
    for (const name of [undefined, "English", "en-GB", "French", "Danish", "Dezember", ""])
      expect(wordsOf(name)).toBe(en);
  });
});

/** German says what is known there anyway. */
const LESS = new Set([
  "recorded.onlyPendingEdited",
  "recorded.onlyUnknownSettled",
  "recorded.onlyUnknownLookedUp",
]);

describe("sentences that are kept in English", () => {
  it("are read in a person's language, with what they name, also within each other", () => {
    const why = en.recorded.cannotUndo("Delete issue", en.recorded.notBroughtBack());
    expect(recordedText(why, de)).toBe(
      "„Delete issue“ kann ich nicht rückgängig machen. Was gelöscht ist, lässt sich von hier aus nicht wiederherstellen.",
    );
    expect(recordedText(why, en)).toBe(why);
    // Of a choice of two sites each sentence stands in its line.
    const { siteUsedAsSource, siteUsedAsTarget } = en.recorded;
    const both = [siteUsedAsSource("old", "jira"), siteUsedAsTarget("new", "jira")].join("\n");
    expect(recordedText(both, de)).toBe(
      [de.recorded.siteUsedAsSource("old", "jira"), de.recorded.siteUsedAsTarget("new", "jira")].join("\n"),
    );
  });

  it("leave what people and servers say as it is", () => {
    for (const text of [
      "Friday is a holiday",
      "",
      "no such transition: Done",
      "nobody decided in time, sadly",
    ])
      expect(recordedText(text, de)).toBe(text);
  });

  it("are each known again, whatever they name", () => {
    const values = ["DEMO-1", "jira (2)", "3 s", "a.b*c"];
    const unknown = Object.entries<Template>(en.recorded).filter(([, template]) => {
      const said = template(...values);
      return recordedText(said, de) === said;
    });
    expect(unknown.map(([key]) => key)).toEqual([]);
  });

  it("take no long time over a text that is like many of them", () => {
    const text = "There is no could not be reached: stopped responding during : ".repeat(30);
    expect(recordedText(text, de)).toBe(text);
  });
});
