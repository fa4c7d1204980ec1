import type { ContainerBlock, KnownBlock } from "@slack/types";
import { describe, expect, it } from "vitest";

import { renderCard } from "#adapters/slack/render/card.ts";
import { renderContainer } from "#adapters/slack/render/container.ts";
import { MESSAGE_BUDGET } from "#adapters/slack/render/limits.ts";
import { renderTurn } from "#adapters/slack/render/turn.ts";
import type { Card, CardElement } from "#contract/card.ts";
import type { TurnView } from "#contract/present.ts";
import { buildApproval, buildToolResult } from "#test/builders.ts";
import { cards } from "#test/unit/render-chat/arbitrary.ts";

import { activePartsOf, buttonsOf, ofType, problemsOf, textOf } from "./checks.ts";

const header: CardElement = {
  type: "header",
  text: "Assign DEMO-4 to Ben Okafor?",
  href: "https://jira.example.com/browse/DEMO-4",
  eyebrow: "Export fails on Safari",
  badges: [{ text: "needs approval", tone: "warn" }],
};
const buttons: CardElement = {
  type: "actions",
  items: [
    { id: "approve", label: "Assign DEMO-4", style: "primary", value: "appr_1" },
    { id: "deny", label: "Deny", value: "appr_1" },
  ],
};
const changes: CardElement = {
  type: "changes",
  items: [
    { label: "Assignee", before: null, after: "Ben Okafor" },
    { label: "Status", before: "To Do", after: "In Progress" },
  ],
};

function ask(...elements: CardElement[]): Card {
  return { kind: "approval", title: "Assign DEMO-4 to Ben Okafor?", elements };
}

function container(card: Card): ContainerBlock | undefined {
  const drawn = renderContainer(card, { ref: "a:appr_1", budget: MESSAGE_BUDGET });
  if (drawn !== undefined) expect([...problemsOf([drawn]), ...activePartsOf([drawn])]).toEqual([]);
  return drawn;
}

function table(rows: number, more: Partial<Extract<CardElement, { type: "table" }>> = {}): Card {
  const cells = Array.from({ length: rows }, (_, at) => [`DEMO-${at}`, at, at === 1 ? null : "x"]);
  const columns = [{ label: "Key" }, { label: "Points" }, { label: "Note" }];
  return {
    kind: "result",
    title: "Issues about login",
    elements: [{ type: "table", columns, rows: cells, ...more }],
  };
}

function blocksOf(card: Card): KnownBlock[] {
  const { blocks } = renderCard(card, { ref: "r", native: true });
  expect([...problemsOf(blocks), ...activePartsOf(blocks)]).toEqual([]);
  return blocks;
}

const view: TurnView = {
  turnId: "turn_1",
  conversationId: "c",
  channel: "c",
  actor: "slack:T1:U1",
  message: "assign DEMO-4 to Ben",
  phase: "done",
  elapsedMs: 10,
  results: [],
  approvals: [],
  log: [],
  isSettled: true,
  canStop: false,
};

describe("a request for approval", () => {
  it("[slack.blocks] [slack.approve] is one container: statement, differences, buttons with the verb, a way to open it", () => {
    const drawn = container(ask(header, changes, buttons));
    expect(drawn?.title?.text).toBe("Assign DEMO-4 to Ben Okafor?");
    expect(drawn?.subtitle?.text).toBe("Export fails on Safari · 🟠 needs approval");
    const [first, ...rest] = drawn?.child_blocks ?? [];
    expect(first?.type === "section" && first.fields?.map(({ text }) => text)).toEqual([
      "Assignee",
      "none → Ben Okafor",
      "Status",
      "To Do → In Progress",
    ]);
    expect(rest.map(({ type }) => type)).toEqual(["actions"]);
    expect(buttonsOf(drawn).map(({ text }) => text)).toEqual(["Assign DEMO-4", "Deny", "Open"]);
  });

  it("[slack.blocks] folds its details behind a button, at their place in the card", () => {
    const details: CardElement = {
      type: "section",
      title: "Details",
      folded: true,
      elements: [{ type: "code", text: "{}" }],
    };
    const drawn = container(ask(header, changes, details, buttons));
    expect(buttonsOf(drawn).find(({ text }) => text === "Show all")?.value).toBe("a:appr_1|2");
  });

  it.each<[string, Card]>([
    ["its statement is longer than a title", ask({ ...header, text: "x".repeat(151) }, buttons)],
    [
      "it needs more than ten blocks",
      ask(
        header,
        ...Array.from({ length: 11 }, (_, at): CardElement => ({ type: "text", text: `line ${at}` })),
        buttons,
      ),
    ],
    ["a value is long", ask(header, { type: "text", text: "x".repeat(1300) }, buttons)],
    ["it has formatted text", ask(header, { type: "text", text: "*a*", format: "markdown" }, buttons)],
  ])("[view.limits] is drawn in plain blocks where %s", (_, card) => {
    expect(container(card)).toBeUndefined();
    expect(problemsOf(renderCard(card).blocks)).toEqual([]);
  });

  it("[slack.approve] stands first in its message, as notices read the first block, and says what the reply would", () => {
    const approvals = [buildApproval({ state: "pending" })];
    const reply = "Waiting for Ben.";
    for (const native of [true, false]) {
      const { blocks, text } = renderTurn({ ...view, approvals, reply }, cards, { native });
      expect(problemsOf(blocks)).toEqual([]);
      const [first] = blocks;
      expect(first?.type).toBe(native ? "container" : "header");
      const { title } = cards.approval(approvals[0] ?? buildApproval({}));
      expect(text).toBe(title);
      expect(title).toContain(native ? textOf((first as ContainerBlock).title) : textOf(first).slice(0, 10));
      expect(textOf(blocks)).not.toContain(reply);
    }
  });
});

describe("a list", () => {
  it("[slack.blocks] is a table that pages by itself, five rows at a time, with a caption and no empty cell", () => {
    const [block] = ofType(blocksOf(table(23)), "data_table");
    expect(block).toMatchObject({ caption: "Issues about login", page_size: 5 });
    expect(block?.rows).toHaveLength(24);
    expect(block?.rows[2]).toEqual([
      { type: "raw_text", text: "DEMO-1" },
      { type: "raw_number", value: 1, text: "1" },
      { type: "raw_text", text: "–" },
    ]);
  });

  it("[slack.blocks] says its own caption once, and how much there is elsewhere", () => {
    const blocks = blocksOf(table(3, { caption: "Open", total: 40 }));
    expect(ofType(blocks, "data_table")[0]?.caption).toBe("Open");
    expect(ofType(blocks, "rich_text")).toEqual([]);
    expect(textOf(ofType(blocks, "context"))).toBe("3 of 40 rows in all.");
  });

  it("[view.limits] is today's table where it does not fit", () => {
    const blocks = blocksOf(table(150));
    expect(ofType(blocks, "data_table")).toEqual([]);
    expect(ofType(blocks, "table")).toHaveLength(1);
  });
});

describe("progress of several steps", () => {
  const step = (title: string, ok: boolean): TurnView["results"][number] =>
    buildToolResult({ ok, card: { kind: "result", title, elements: [] } });

  it("[slack.progress] is a plan with what was done, what failed and what goes on", () => {
    const running: TurnView = {
      ...view,
      isSettled: false,
      phase: "executing_tools",
      progress: { message: "Reading DEMO-3" },
      results: [step("DEMO-1", true), step("DEMO-2", false)],
    };
    const { blocks } = renderTurn(running, cards, { native: true });
    expect(problemsOf(blocks)).toEqual([]);
    const [plan] = ofType(blocks, "plan");
    expect(plan?.title).toBe("Working · step 3");
    expect(plan?.tasks?.map((task) => [task["title"], task["status"]])).toEqual([
      ["DEMO-1", "complete"],
      ["DEMO-2", "error"],
      ["Reading DEMO-3", "in_progress"],
    ]);
    expect(ofType(renderTurn(running, cards).blocks, "plan")).toEqual([]);
  });

  it("[slack.progress] of a single step is a line", () => {
    const { blocks } = renderTurn({ ...view, isSettled: false }, cards, { native: true });
    expect(ofType(blocks, "plan")).toEqual([]);
  });
});
