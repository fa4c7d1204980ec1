import type { KnownBlock } from "@slack/types";
import { describe, expect, it } from "vitest";

import { approvalRef, readFoldValue, readRef, resultRef, turnRef } from "#adapters/chat/actions.ts";
import { detailsWindow, jsonWindow, logWindow, replyWindow, resultWindow } from "#adapters/chat/windows.ts";
import { renderHome } from "#adapters/slack/render/home.ts";
import { renderTurn } from "#adapters/slack/render/turn.ts";
import { readModalState, renderWindow } from "#adapters/slack/render/window.ts";
import type { Approval } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { TurnView } from "#contract/present.ts";
import type { ToolCallResult } from "#contract/turn.ts";
import { cards } from "#test/unit/render-chat/arbitrary.ts";
import { bare } from "#test/unit/render-chat/words.ts";
import { buildApproval, buildToolResult } from "#test/builders.ts";

import { activePartsOf, buttonsOf, nodesOf, ofType, problemsOf, textOf } from "./checks.ts";

function view(more: Partial<TurnView> = {}): TurnView {
  return {
    turnId: "turn_1",
    conversationId: "c",
    channel: "c",
    actor: "slack:T1:U1",
    message: "find login",
    phase: "done",
    elapsedMs: 3200,
    planner: "ollama",
    results: [],
    approvals: [],
    log: [{ atMs: 40, stage: "plan", message: "planned one call", durationMs: 1500 }],
    isSettled: true,
    canStop: false,
    ...more,
  };
}

function call(
  card: Partial<Card> & Pick<Card, "elements">,
  data: ToolCallResult["data"] = {},
): ToolCallResult {
  return buildToolResult({
    toolId: "server.read",
    server: "server",
    args: { q: "x" },
    data,
    card: { kind: "result", title: "Some result", ...card },
    durationMs: 5,
  });
}

function request(state: Approval["state"], more: Partial<Approval> = {}): Approval {
  return buildApproval({
    toolId: "server.change",
    toolDescription: "Changes a thing.",
    args: { key: "DEMO-1", status: "Done" },
    state,
    rule: "rule 1",
    votes: state === "pending" ? [] : [{ actor: "slack:T1:U2", decision: "approve", at: 1_790_000_000_000 }],
    ...more,
  });
}

function draw(more: Partial<TurnView>, pages?: Record<string, number>): ReturnType<typeof renderTurn> {
  const drawn = renderTurn(view(more), cards, pages === undefined ? {} : { pages });
  expect(problemsOf(drawn.blocks)).toEqual([]);
  expect(activePartsOf(drawn.blocks)).toEqual([]);
  return drawn;
}

function actionsOf(blocks: readonly KnownBlock[]): string[] {
  return buttonsOf(blocks).map((item) => `${item.action_id} ${item.value}`);
}

function menuOf(blocks: readonly KnownBlock[]): string[] {
  const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  return elements.flatMap((one) => (one.type === "overflow" ? one.options.map(({ text }) => text.text) : []));
}

const table = (rows: number): Card["elements"] => [
  {
    type: "table",
    columns: [{ label: "Key" }, { label: "Summary" }],
    rows: Array.from({ length: rows }, (_, index) => [`K-${index}`, `summary of ${index}`]),
  },
];

describe("a turn that runs", () => {
  it("[view.limits] names at most six of many requests, and says how many more there are", () => {
    const args = { text: "x".repeat(2_000) };
    const many = Array.from({ length: 12 }, (_, at) => request("unknown", { id: `appr_${at}`, args }));
    const { blocks } = draw({ approvals: many });
    const shown = new Set(actionsOf(blocks).flatMap((action) => /appr_\d+/.exec(action) ?? []));
    const [, hidden = "0"] =
      /(\d+) more requests?: see \/countersign approvals/.exec(JSON.stringify(blocks)) ?? [];
    expect(Number(hidden)).toBeGreaterThan(0);
    expect(shown.size + Number(hidden)).toBe(many.length);
  });

  it("[slack.progress] shows the phase, what is called, how far it is, the time and a button to stop", () => {
    const { blocks, text } = draw({
      isSettled: false,
      canStop: true,
      phase: "executing_tools",
      elapsedMs: 65_000,
      progress: { message: "Reading issues", tool: "server.export", progress: 10, total: 40 },
    });
    expect(textOf(ofType(blocks, "rich_text"))).toBe(
      "⚙️ Working\nReading issues\n█████░░░░░░░░░░░░░░░  10 of 40",
    );
    expect(textOf(ofType(blocks, "context"))).toBe("1 min 5 s");
    expect(actionsOf(blocks)).toEqual(["cs:stop turn_1"]);
    expect(text).toBe("Working: Reading issues");
  });

  it("[slack.progress] [llm.budget] shows results while a model takes its time over what it says of them", () => {
    const running = { isSettled: false, canStop: true, results: [call({ elements: table(2) })] };
    for (const phase of ["planning", "summarizing"] as const) {
      const { blocks } = draw({ ...running, phase });
      expect(ofType(blocks, "table")[0]?.rows).toHaveLength(3);
      expect(actionsOf(blocks)).toContain("cs:stop turn_1");
    }
    expect(ofType(draw({ ...running, phase: "executing_tools" }).blocks, "table")).toEqual([]);
  });

  it("[slack.progress] shows no button when it cannot be stopped, and the decision that it goes on from", () => {
    const { blocks } = draw({
      isSettled: false,
      phase: "executing_tools",
      approvals: [request("executing")],
    });
    expect(actionsOf(blocks)).toEqual([]);
    expect(textOf(blocks)).toContain("Change DEMO-1 to “Done” (running)");
  });

  it("[card.statement] [slack.approve] keeps the buttons of what still waits while another call runs", () => {
    const waiting = request("pending", { id: "appr_2" });
    const running = { isSettled: false, canStop: true, phase: "executing_tools" } as const;
    const { blocks } = draw({ ...running, approvals: [request("executing"), waiting] });
    expect(actionsOf(blocks)).toEqual(expect.arrayContaining(["cs:approve appr_2", "cs:deny appr_2"]));
    expect(actionsOf(blocks).at(-1)).toBe("cs:stop turn_1");
    const third = request("pending", { id: "appr_3" });
    const several = draw({ ...running, approvals: [request("executing"), waiting, third] });
    expect(actionsOf(several.blocks).join(" ")).toContain("cs:approve_all");
  });
});

describe("a turn that has settled", () => {
  it("[slack.progress] becomes the answer, with the JSON and the run log in one menu", () => {
    const { blocks, text } = draw({ reply: "Found **two**.", results: [call({ elements: table(2) })] });
    expect(textOf(blocks)).toContain("Found two.");
    expect(ofType(blocks, "table")[0]?.rows).toHaveLength(3);
    expect(textOf(blocks)).not.toContain("Planned by");
    expect(actionsOf(blocks)).toEqual([]);
    expect(menuOf(blocks)).toEqual(["Show JSON", "Run log", "👍 Helpful", "👎 Not helpful"]);
    expect(text).toBe("Found ∗∗two∗∗.");
  });

  it("[slack.progress] says who planned once", () => {
    const reply = "Found.\n\n_Planned by the built-in planner, without a model._";
    const { blocks } = draw({ planner: "builtin", reply });
    expect(textOf(blocks)).not.toContain("Planned by");
    const log = logWindow(view({ reply, planner: "builtin" }));
    expect(JSON.stringify(log.card).match(/Planned by the built-in planner/g)).toHaveLength(1);
  });

  it("[slack.approve] shows a request with its four buttons, and its end without them", () => {
    const pending = draw({ reply: "Please approve.", approvals: [request("pending")] });
    expect(actionsOf(pending.blocks)).toEqual([
      "cs:approve appr_1",
      "cs:deny appr_1",
      "cs:edit appr_1",
      "cs:details appr_1",
    ]);
    expect(textOf(pending.blocks)).not.toContain("Please approve.");
    expect(pending.text).toBe("Change DEMO-1 to “Done”?");
    for (const state of ["approved", "executing", "done", "failed", "denied", "expired", "void"] as const) {
      const ended = draw({ approvals: [request(state)] });
      expect(actionsOf(ended.blocks)).toEqual([]);
      expect(menuOf(ended.blocks)).toEqual(["Details: Change DEMO-1", "Run log"]);
      expect(ofType(ended.blocks, "header")).toHaveLength(1);
    }
  });

  it("[card.statement] tells a change once: its request takes over what was found when it was read back", () => {
    const done = request("done", {
      statement: {
        verb: "Move",
        past: "Moved",
        object: { kind: "issue", label: "DEMO-1" },
        rest: "to Done",
        changes: [{ label: "Status", before: "To Do", after: "Done" }],
        isDestructive: false,
      },
    });
    const receipt = (more: Card["elements"] = []): ReturnType<typeof call> =>
      call({
        title: "Moved DEMO-1 to Done",
        elements: [
          { type: "header", text: "Moved DEMO-1 to Done", badges: [{ text: "verified", tone: "good" }] },
          ...more,
          { type: "changes", items: [{ label: "Status", before: "To Do", after: "Done" }] },
        ],
      });
    const shown = (results: TurnView["results"]): string[] => {
      const { blocks } = draw({ approvals: [done], results });
      return ofType(blocks, "header").map((block) => textOf(block));
    };
    const { blocks } = draw({ approvals: [done], results: [receipt()] });
    expect(shown([receipt()])).toEqual(["Moved DEMO-1 to Done"]);
    expect(textOf(blocks)).toContain("verified");
    expect(textOf(blocks)).toContain("Approved by");
    // What was not applied is more than the request says.
    expect(shown([receipt([{ type: "error", message: "Not as asked." }])])).toHaveLength(2);
  });

  it("[slack.approve] asks in three buttons when nobody knows whether it happened", () => {
    const lookup = { tool: "server.read", args: {} };
    expect(actionsOf(draw({ approvals: [request("unknown", { lookup })] }).blocks).slice(0, 3)).toEqual([
      "cs:settle_happened appr_1",
      "cs:settle_did_not appr_1",
      "cs:lookup appr_1",
    ]);
    expect(actionsOf(draw({ approvals: [request("unknown")] }).blocks)).not.toContain("cs:lookup appr_1");
  });

  it("[view.limits] lays the changes of a request on pages that all have its buttons", () => {
    const body = Array.from({ length: 2500 }, (_, index) => `line ${index}`).join("\n");
    const changes = Array.from({ length: 9 }, (_, at) => ({
      label: `Text ${at}`,
      before: "",
      after: body.slice(0, 500),
    }));
    const statement = { verb: "Change", past: "Changed", changes, isDestructive: false };
    const approvals = [request("pending", { args: { body }, statement })];
    const first = draw({ approvals, reply: "Please approve." });
    expect(textOf(first.blocks)).toMatch(/Page 1 of \d+/);
    const last = draw({ approvals, reply: "Please approve." }, { [approvalRef("appr_1")]: 99 });
    expect(textOf(last.blocks)).not.toBe(textOf(first.blocks));
    for (const { blocks } of [first, last]) expect(actionsOf(blocks)).toContain("cs:approve appr_1");
  });

  it("[view.limits] shows the first results in full and the rest by a button each", () => {
    const results = [
      call({ elements: table(40) }),
      call({ title: "Second", elements: table(60) }),
      call({ title: "Third", elements: table(80) }),
    ];
    const open = Object.fromEntries(results.map((_, at) => [resultRef("turn_1", at), 0]));
    const { blocks } = draw({ reply: "Three.", results }, open);
    expect(ofType(blocks, "table")).toHaveLength(1);
    expect(actionsOf(blocks)).toContain(`cs:show_result ${resultRef("turn_1", 1)}`);
    expect(actionsOf(blocks)).toContain(`cs:show_result ${resultRef("turn_1", 2)}`);
    const modal = renderWindow(resultWindow(view({ results }), 1));
    expect(problemsOf(modal.blocks as KnownBlock[], "modal")).toEqual([]);
    expect(textOf(modal.blocks)).toContain("summary of 59");
  });

  it("[view.limits] shows five rows of a list, each as a title and three facts, and opens the rest", () => {
    const columns = ["Key", "Summary", "Status", "Priority", "Assignee", "Updated"].map((label) => ({
      label,
    }));
    const rows = Array.from({ length: 20 }, (_, at) => [
      { text: `K-${at}`, href: `https://jira.example/K-${at}` },
      `a_snake_case *thing* ${at}`,
      { text: "Open", tone: "info" as const },
      "High",
      null,
      "21 Nov 2026",
    ]);
    const elements: Card["elements"] = [
      { type: "header", text: "20 of 500 issues" },
      { type: "table", columns, rows, total: 500 },
      { type: "footer", text: "JQL: x" },
    ];
    const next: NonNullable<TurnView["next"]> = [
      { kind: "more", title: "Show 20 more", tool: "jira.search", args: {}, fields: [] },
    ];
    const results = [call({ elements })];
    const { blocks } = draw({ results, next });
    expect(textOf(blocks)).toMatch(
      /K-4 a_snake_case \*thing\* 4\S+ {2}🔵 Open {2}· {2}High {2}· {2}21 Nov 2026/,
    );
    expect(textOf(blocks)).not.toMatch(/K-5|JQL/);
    expect(actionsOf(blocks)).toEqual([`cs:page_next ${resultRef("turn_1", 0)}|0`]);
    const opened = draw({ results, next }, { [resultRef("turn_1", 0)]: 0 });
    expect(textOf(opened.blocks)).toContain("K-19");
    expect(actionsOf(opened.blocks)).toEqual(["cs:next turn_1|0"]);
    const direct = renderTurn(view({ results, next, channel: "slack:T1:D1" }), cards);
    expect(textOf(direct.blocks)).toContain("K-19");
  });

  it("[view.limits] pages a result of 500 rows and attaches all of it", () => {
    const data = Array.from({ length: 500 }, (_, index) => ({ key: `K-${index}` }));
    const results = [call({ elements: table(500) }, data)];
    const first = draw({ results });
    const opened = draw({ results }, { [resultRef("turn_1", 0)]: 0 });
    const second = draw({ results }, { [resultRef("turn_1", 0)]: 1 });
    expect(JSON.stringify(first.blocks)).toContain("Show all 500");
    expect(textOf(opened.blocks)).toContain("Page 1 of");
    expect(textOf(second.blocks)).toContain("Page 2 of");
    expect(first.attachments.map((file) => file.filename)).toEqual(["some-result.csv", "some-result.json"]);
    expect(first.attachments[0]?.content).toContain("K-499");
    expect(JSON.parse(first.attachments[1]?.content ?? "")).toEqual(data);
    expect(second.attachments).toEqual(first.attachments);
  });

  it("[view.limits] shows how a long reply begins and opens the rest", () => {
    const reply = Array.from({ length: 900 }, (_, index) => `Sentence number ${index}.`).join("\n\n");
    const { blocks } = draw({ reply });
    const fold = buttonsOf(blocks).find((item) => item.action_id === "cs:show_all");
    expect(readFoldValue(fold?.value ?? "")).toEqual({ ref: turnRef("turn_1"), path: "reply" });
    const modal = renderWindow(replyWindow(view({ reply })));
    expect(problemsOf(modal.blocks as KnownBlock[], "modal")).toEqual([]);
    expect(bare(textOf(modal.blocks))).toBe(bare(reply));
  });

  it("[slack.progress] says kindly that it failed, and plainly that it was stopped", () => {
    expect(
      textOf(draw({ error: { code: "model_timeout", message: "No answer in 60 s." } }).blocks),
    ).toContain("Sorry, that did not work.\nNo answer in 60 s.");
    const stopped = draw({ error: { code: "stopped", message: "Stopped by Ana." } });
    expect(textOf(stopped.blocks)).toContain("Stopped by Ana.");
    expect(textOf(stopped.blocks)).not.toContain("Sorry");
    expect(stopped.text).toBe("Stopped by Ana.");
  });

  it("[slack.blocks] names the sources of results that it does not show", () => {
    const href = "https://jira.example.com/browse/DEMO-1";
    const hidden = call({
      elements: [...table(90), { type: "links", items: [{ label: "Open DEMO-1", href }] }],
    });
    const { blocks } = draw({ results: [call({ elements: table(90) }), hidden] });
    expect(nodesOf(blocks).flatMap((node) => node["url"] ?? [])).toEqual([href]);
  });
});

describe("modals", () => {
  it("[slack.blocks] hold the JSON of every call, the log and the details, with what turns their pages", () => {
    const results = [call({ elements: [] }, { a: [1, "<!channel>"] })];
    const json = renderWindow(jsonWindow(view({ results })));
    expect(textOf(json.blocks)).toContain('"<!channel>"');
    expect(readModalState(json.private_metadata ?? "")).toEqual({ view: "json", ref: turnRef("turn_1") });
    expect(textOf(renderWindow(logWindow(view())).blocks)).toBe(
      "Planned by Ollama  ·  3.2 s40 ms  plan  planned one call (1.5 s)",
    );
    const details = renderWindow(detailsWindow(request("pending"), cards.approval(request("pending"))));
    expect(textOf(details.blocks)).toContain("ab".repeat(32));
    expect(buttonsOf(details.blocks)).toEqual([]);
    for (const modal of [json, details])
      expect(problemsOf(modal.blocks as KnownBlock[], "modal")).toEqual([]);
  });

  it("[view.limits] page what is long", () => {
    const results = [
      call(
        { elements: [] },
        Array.from({ length: 20_000 }, (_, index) => index),
      ),
    ];
    const first = renderWindow(jsonWindow(view({ results })));
    const last = renderWindow(jsonWindow(view({ results })), { page: 99 });
    expect(textOf(first.blocks)).toMatch(/Page 1 of \d+/);
    expect(textOf(last.blocks)).toContain("19999");
    for (const modal of [first, last]) expect(problemsOf(modal.blocks as KnownBlock[], "modal")).toEqual([]);
  });

  it("[slack.blocks] and messages are told apart by their references", () => {
    expect([turnRef("t:1"), resultRef("t:1", 3), approvalRef("a:1"), "nothing"].map(readRef)).toEqual([
      { kind: "turn", turnId: "t:1" },
      { kind: "result", turnId: "t:1", index: 3 },
      { kind: "approval", approvalId: "a:1" },
      undefined,
    ]);
  });
});

describe("the app home", () => {
  it("[slack.commands] shows status, prompts, waiting requests and privacy, within limits", () => {
    const home = renderHome({
      health: {
        status: "degraded",
        version: "0.1.0",
        model: { provider: "ollama", model: "qwen3:4b", reachable: false, reason: "refused" },
        servers: [
          { name: "one", status: "up", tools: 11 },
          { name: "two", status: "retrying", tools: 0, error: "exited" },
        ],
        store: { kind: "sqlite", ok: true },
      },
      prompts: [{ title: "Find login", message: "find issues about login" }],
      inbox: {
        groups: [
          {
            items: Array.from({ length: 12 }, (_, index) => ({
              approval: request("pending", { id: `appr_${index}` }),
              link: "https://slack.example.com/archives/C1/p1",
            })),
            buttons: [
              { action: "approve_alike", label: "Approve these 10", value: "0123456789ab|slack:T1:" },
              { action: "deny_alike", label: "Deny these 10", value: "0123456789ab|slack:T1:" },
            ],
          },
        ],
        rest: 18,
        recent: [{ approval: request("done", { id: "appr_old", decidedAt: 1 }) }],
      },
      channels: Array.from({ length: 60 }, (_, index) => ({
        id: `C${index}`,
        name: `chan${index}`,
        privacy: index === 0,
      })),
    });
    const blocks = home.blocks as KnownBlock[];
    expect(problemsOf(blocks, "home")).toEqual([]);
    expect(activePartsOf(blocks)).toEqual([]);
    const text = textOf(blocks);
    for (const part of ["two: retrying, exited", "11 tools of 1 server", "and 18 more", "and 35 more"]) {
      expect(text).toContain(part);
    }
    expect(actionsOf(blocks)).toContain("cs:prompt find issues about login");
    expect(actionsOf(blocks)).toContain("cs:details appr_0");
    expect(actionsOf(blocks)).toContain("cs:approve_alike 0123456789ab|slack:T1:");
    expect(actionsOf(blocks)).toContain("cs:deny_alike 0123456789ab|slack:T1:");
    expect(text).toContain("Recently decided");
    expect(actionsOf(blocks)).toContain("cs:privacy C0|off");
    expect(actionsOf(blocks)).toContain("cs:privacy C1|on");
  });
});
