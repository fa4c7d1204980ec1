import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { permitIf, taint } from "#src/base/tainted.ts";
import { sourcesOf, type SourceContext } from "#src/plan/sources.ts";

import { makeTool, objectSchema, observed, pastTurn } from "./tools.ts";

const create = makeTool("jira", {
  name: "create_issue",
  inputSchema: objectSchema({
    limit: { type: "integer", default: 10 },
    type: { type: "string", default: "Task" },
  }),
});

/** What is said of these arguments of a model's plan. */
function sources(args: JsonObject, more: Partial<SourceContext> = {}): Record<string, unknown> {
  const context = {
    message: "",
    actorName: "ana",
    history: [],
    observations: [],
    planner: "ollama" as const,
  };
  return sourcesOf({ args }, { ...context, tool: create, ...more });
}

describe("the sources of a call that a model planned", () => {
  it("are the message and what it quotes, whatever the case, the white space and the punctuation", () => {
    const message = "Move  ops-9 to in progress,\nlabels: heat and Smoke; top 5, for me";
    const args = {
      issue_key: "OPS-9",
      status: "in_progress",
      labels: ["heat", "smoke"],
      limit: 5,
      assignee: "ana",
      comment: "It smells",
    };
    const quote = { text: "it   smells.", author: "ben" };
    const expected = Object.keys(args).map((name) => [name, { from: "message" }]);
    expect(sources(args, { message, quote })).toEqual(Object.fromEntries(expected));
  });

  it("are the model's own where nobody said them, also when a part of them was said", () => {
    const message = "file that printing does not work in DEMO";
    const args = {
      project: "DEM",
      limit: 5,
      labels: ["printing", "urgent"],
      assignee: "ana",
      notify: true,
      parent: null,
      description: "",
      fields: { components: [] },
    };
    const expected = Object.keys(args).map((name) => [name, { from: "model" }]);
    expect(sources(args, { message })).toEqual(Object.fromEntries(expected));
  });

  it("are the tool's default only where the message does not say the same", () => {
    const args = { limit: 10, type: "Task" };
    expect(sources(args, { message: "open a task" })).toEqual({
      limit: { from: "default" },
      type: { from: "message" },
    });
  });

  it("are the newest earlier message that has the value, in its words or in its calls", () => {
    const history = [
      pastTurn("show OPS-9"),
      pastTurn("and the other one", { calls: [{ tool: "jira.get", args: { key: "OPS-9" }, derived: true }] }),
      pastTurn("thanks"),
    ];
    expect(sources({ key: "OPS-9" }, { message: "close it", history })).toEqual({
      key: { from: "history", ref: "and the other one" },
    });
  });

  it("name an earlier message without the secrets that were typed in it, and not at length", () => {
    const args = { user: "ana", password: "hunter2-hunter2" };
    const message = `/desk sign_in user=ana password=hunter2-hunter2 ${"x".repeat(500)}`;
    const history = [pastTurn(message, { calls: [{ tool: "desk.sign_in", args, derived: false }] })];
    const { ref = "" } = sources({ user: "ana" }, { actorName: "", history }).user as { ref?: string };
    expect(ref).toContain("/desk sign_in user=ana password=[redacted]");
    expect(ref.length).toBeLessThanOrEqual(120);
  });

  it("are the tool that brought the value, now or before; short values only where they stand alone", () => {
    const data = { issues: [{ key: "OPS-9", summary: "Login fails on Safari 17", votes: 3 }] };
    const observations = [observed("jira.search_issues", {}, { data })];
    const shown = taint({ rows: [{ id: "1009", title: "Runbook" }] });
    const calls = [{ tool: "wiki.search", args: {}, derived: false }];
    const history = [pastTurn("what is there", { calls, shown, reply: "The runbook is by Emi Sato." })];
    const args = {
      key: "OPS-9",
      words: "login fails",
      votes: 3,
      version: 17,
      page: "1009",
      owner: "Emi Sato",
    };
    expect(sources(args, { message: "close the first", observations, history })).toEqual({
      key: { from: "result", ref: "jira.search_issues" },
      words: { from: "result", ref: "jira.search_issues" },
      votes: { from: "result", ref: "jira.search_issues" },
      version: { from: "model" },
      page: { from: "result", ref: "wiki.search" },
      owner: { from: "result", ref: "wiki.search" },
    });
  });

  it("[privacy.mode] tell nothing from data that the turn may not show", () => {
    const observations = [observed("jira.get_issue", {}, { data: { key: "OPS-9" }, isOpen: false })];
    const shown = taint({ rows: [{ id: "OPS-9" }] });
    const { permit: _, ...hidden } = pastTurn("what is there", { shown, reply: "OPS-9" });
    expect(sources({ key: "OPS-9" }, { observations, history: [hidden] })).toEqual({
      key: { from: "model" },
    });
    const recalled = [
      { tool: "jira.get_issue", text: taint("OPS-9"), permit: permitIf(true).permit ?? never() },
    ];
    expect(sources({ key: "OPS-9" }, { recalled })).toEqual({
      key: { from: "result", ref: "jira.get_issue" },
    });
  });
});

function never(): never {
  throw new Error("expected a permit");
}

describe("the sources of a call that was planned without a model", () => {
  it("are what the built-in planner says of them, and else the message, however it wrote them", () => {
    const history = [
      pastTurn("show OPS-9", { calls: [{ tool: "jira.get_issue", args: { key: "OPS-9" }, derived: false }] }),
    ];
    const given = {
      key: { from: "result", ref: "jira.get_issue" },
      old: { from: "history" },
      other: { from: "history", ref: "nobody said this" },
    } as const;
    const args = { key: "OPS-9", old: "OPS-9", other: "x", due: "2026-11-27" };
    expect(sources(args, { message: "by friday", planner: "builtin", given, history })).toEqual({
      key: { from: "result", ref: "jira.get_issue" },
      old: { from: "history", ref: "show OPS-9" },
      other: { from: "history" },
      due: { from: "message" },
    });
  });

  it("are the form, but for what the configuration sets; what the product fills in is named as well", () => {
    const tool = {
      ...create,
      filled: [
        { name: "token", required: true },
        { name: "site", required: false },
      ],
    };
    const given = { project: { from: "fixed" } } as const;
    expect(sources({ project: "DEMO", constructor: "x" }, { planner: "command", given, tool })).toEqual({
      project: { from: "fixed" },
      constructor: { from: "form" },
      token: { from: "credential" },
    });
  });
});
