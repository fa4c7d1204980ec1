import { describe, expect, it } from "vitest";

import { taint } from "#src/base/tainted.ts";
import { shownIn } from "#src/base/records.ts";
import { withPeople } from "#src/plan/builtin/people.ts";
import type { Referents } from "#src/plan/builtin/refer.ts";
import { withComment } from "#src/plan/builtin/told.ts";
import { createVerbs } from "#src/plan/builtin/verbs.ts";

const known = [
  { kind: "person", id: "ana", name: "Ana Lindqvist", server: "jira" },
  { kind: "person", id: "ben", name: "Ben Okafor", server: "jira" },
  { kind: "person", id: "emi", name: "Emi Tanaka", server: "jira" },
  { kind: "epic", id: "DEMO-10", name: "Checkout redesign", server: "jira" },
];
const nothing: Referents = { rows: [], source: { from: "history" }, noun: "", recent: [] };
const said = (...messages: string[]) => messages.map((message) => ({ message, reply: taint(""), calls: [] }));
const issue = (people: { role: string; name: string }[]): Referents => ({
  ...nothing,
  thing: { id: "DEMO-1", people, source: { from: "result", ref: "jira.get_jira_issue" } },
});
const ben = { role: "assignee", name: "Ben Okafor" };
const emi = { role: "reporter", name: "Emi Tanaka" };
const textOf = (message: string, history: string[], screen = nothing): string =>
  withPeople(message, { known, history: said(...history), actorName: "ana" }, screen).text;

describe("[llm.builtin] him and her", () => {
  it.each([
    [
      "who was spoken of",
      "give DEMO-3 to him",
      ["what is ben working on"],
      nothing,
      "give DEMO-3 to Ben Okafor",
    ],
    ["in the sentence", "ask Emi, then give it to her", [], nothing, "ask Emi, then give it to Emi Tanaka"],
    ["on the screen", "tell him it is done", [], issue([ben]), "tell Ben Okafor it is done"],
    ["who has it not yet", "hand it to her", [], issue([ben, emi]), "hand it to Emi Tanaka"],
    [
      "what somebody has",
      "what does she have open",
      ["who is emi"],
      nothing,
      "what does Emi Tanaka have open",
    ],
    ["of two nobody", "tell him it is done", [], issue([ben, emi]), "tell him it is done"],
    ["of two that were named", "give it to him", ["what do ben and emi do"], nothing, "give it to him"],
    ["nobody at all", "give it to her", [], nothing, "give it to her"],
    ["not the one who asks", "give it to her", ["what does ana have"], nothing, "give it to her"],
    [
      "not what is quoted",
      'comment "give it to him"',
      ["what is ben on"],
      nothing,
      'comment "give it to him"',
    ],
    ["whose it is", "show her tickets", ["who is emi?"], nothing, "show Emi's tickets"],
  ])("%s", (_, message, history, screen, text) => {
    expect(textOf(message, history, screen)).toBe(text);
  });

  it("knows who is on the record that is shown", () => {
    const data = {
      key: "DEMO-1",
      summary: "Login",
      assignee: { id: "ben", name: "Ben Okafor" },
      reporter: null,
    };
    expect(shownIn(data).record).toEqual({ id: "DEMO-1", title: "Login", people: [ben] });
  });
});

describe("[llm.builtin] what is told is written on the record", () => {
  it.each([
    ["close DEMO-3 and say it shipped", "close DEMO-3; add a comment to DEMO-3: it shipped"],
    ["close it and tell them that it is fixed in 2.1", "close it; add a comment to it: it is fixed in 2.1"],
    ["tell Ben we have begun", "add a comment to it: Ben, we have begun"],
    ["tell her that the fix is on staging", "add a comment to it: the fix is on staging"],
    ["show DEMO-3 and say it shipped", "show DEMO-3 and say it shipped"],
    ["close DEMO-3 and tell me who reported it", "close DEMO-3 and tell me who reported it"],
    ["close DEMO-3 and say why", "close DEMO-3 and say why"],
    ["tell Berlin we have begun", "tell Berlin we have begun"],
    ["tell Ben on DEMO-11 that it folds", "add a comment to DEMO-11: Ben, it folds"],
    ["comment on DEMO-3: tell Ben we are done", "comment on DEMO-3: tell Ben we are done"],
  ])("%s", (message, text) => {
    expect(withComment(message, known, true, createVerbs())).toBe(text);
  });
});

describe("[llm.builtin] what somebody is told in a comment", () => {
  it.each([
    ["let ben know on DEMO-4 that it runs", "add a comment to DEMO-4: ben, it runs"],
    ["let ben know in a comment on DEMO-4 that it runs", "add a comment to DEMO-4: ben, it runs"],
    ["tell emi in a comment on DEMO-4 that it runs", "add a comment to DEMO-4: emi, it runs"],
    ["remind ben on DEMO-4 to call them, as a comment", "add a comment to DEMO-4: ben, call them"],
  ])("%s", (message, comment) => {
    expect(withComment(message, known, false, createVerbs())).toBe(comment);
  });
});
