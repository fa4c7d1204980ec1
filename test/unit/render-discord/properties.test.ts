import { ComponentType } from "discord-api-types/v10";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonWindow, logWindow } from "#adapters/chat/windows.ts";
import { costOf, renderCard } from "#adapters/discord/render/card.ts";
import { EMBEDS_BUDGET } from "#adapters/discord/render/embeds.ts";
import { LEAST_BUDGET } from "#adapters/discord/render/limits.ts";
import { renderTurn } from "#adapters/discord/render/turn.ts";
import { renderTurn as renderSlackTurn } from "#adapters/slack/render/turn.ts";
import type { Card } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import type { TurnView } from "#contract/present.ts";
import { amount } from "#test/amount.ts";
import { buildApproval, buildToolResult } from "#test/builders.ts";
import { cards } from "#test/unit/render-chat/arbitrary.ts";
import { bare, wordsOf } from "#test/unit/render-chat/words.ts";

import { discord } from "./arbitrary.ts";
import { embedProblemsOf, problemsOf, readTexts } from "./checks.ts";
import { everythingOf, windowPages } from "./shown.ts";

function missing(words: readonly string[], shown: string): string[] {
  return words.filter((word) => !shown.includes(word));
}

function scalarsOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(scalarsOf);
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => [JSON.stringify(key), ...scalarsOf(item)]);
  }
  return [typeof value === "string" ? JSON.stringify(value) : String(value)];
}

describe("every card", () => {
  it("[discord.embeds] [view.limits] is valid, within limits, complete and inert, on each page", () => {
    fc.assert(
      fc.property(discord.card, (card) => {
        const { messages, words } = everythingOf(card);
        for (const message of messages) {
          expect(problemsOf(message)).toEqual([]);
          expect(readTexts(message.components).active).toEqual([]);
        }
        expect(missing(wordsOf(card), words)).toEqual([]);
      }),
      { numRuns: amount(40, 13) },
    );
  });

  it("[view.limits] keeps to the least budget it may be given", () => {
    fc.assert(
      fc.property(discord.card, (card) => {
        const { parts } = renderCard(card, { ref: "r", budget: LEAST_BUDGET });
        const cost = costOf(parts);
        expect(cost.chars).toBeLessThanOrEqual(LEAST_BUDGET.chars);
        expect(cost.components).toBeLessThanOrEqual(LEAST_BUDGET.components);
      }),
      // A card of which there is only the title.
      {
        numRuns: amount(40, 13),
        examples: [[{ kind: "result", title: "<Long> ".repeat(300), elements: [] }]],
      },
    );
  });
});

it("[llm.budget] results stand above the status while a model takes its time over what it says of them", () => {
  const rows = Array.from({ length: 400 }, (_, at) => [`K-${at}`, "word ".repeat(20)]);
  const elements: Card["elements"] = [
    { type: "table", columns: [{ label: "Key" }, { label: "Summary" }], rows },
  ];
  const result = buildToolResult({ card: { kind: "result", title: "Found four hundred", elements } });
  const running = {
    ...fc.sample(discord.turnView, { numRuns: 1, seed: 1 })[0],
    isSettled: false,
    approvals: [],
    results: [result, result, result],
  };
  const drawn = (phase: "planning" | "executing_tools"): ReturnType<typeof renderTurn> =>
    renderTurn({ ...(running as TurnView), phase }, cards);
  for (const phase of ["planning", "executing_tools"] as const) expect(problemsOf(drawn(phase))).toEqual([]);
  expect(JSON.stringify(drawn("planning").components)).toContain("K-0");
  expect(JSON.stringify(drawn("executing_tools").components)).not.toContain("K-0");
});

it("[card.statement] [discord.approve] what still waits keeps its buttons while another call runs", () => {
  const [sample] = fc.sample(discord.turnView, { numRuns: 1, seed: 1 });
  const approvals = [
    buildApproval({ id: "appr_1", state: "executing" }),
    buildApproval({ id: "appr_2", state: "pending" }),
  ];
  const running = { ...sample, isSettled: false, canStop: true, approvals, questions: [], results: [] };
  const text = JSON.stringify(renderTurn({ ...(running as TurnView), phase: "executing_tools" }, cards));
  for (const button of ["cs:approve:appr_2", "cs:deny:appr_2", "cs:stop"]) expect(text).toContain(button);
});

it("[card.statement] [discord.approve] several changes that were made are each told in full, in the order asked, as Slack has it", () => {
  const [sample] = fc.sample(discord.turnView, { numRuns: 1, seed: 1 });
  const votes = [{ actor: "discord:1:2", decision: "approve", at: 1_790_000_000_000 } as const];
  const names = ["one", "two", "three", "four"];
  const approvals = names.map((summary, at) =>
    buildApproval({ id: `appr_${at}`, state: "done", args: { summary }, votes }),
  );
  const settled = { ...sample, isSettled: true, approvals, questions: [], results: [], log: [], next: [] };
  const message = renderTurn(settled as TurnView, cards);
  expect(problemsOf(message)).toEqual([]);
  for (const text of [message.components, renderSlackTurn(settled as TurnView, cards).blocks].map((all) =>
    JSON.stringify(all),
  )) {
    expect(text.match(/Approved by /g)).toHaveLength(4);
    const places = names.map((name) => text.indexOf(name));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  }
});

it("[card.statement] [discord.approve] how a message was read stands beside the request, as on Slack", () => {
  const [sample] = fc.sample(discord.turnView, { numRuns: 1, seed: 1 });
  const remarks = "I read “tick it off” as: move OPS-4 to Done.";
  const { error: _, ...bare } = sample as TurnView;
  const settled = { ...bare, isSettled: true, questions: [], results: [], log: [], next: [], remarks };
  const view: TurnView = { ...settled, approvals: [buildApproval({ id: "appr_1", state: "pending" })] };
  const drawn = [renderTurn(view, cards).components, renderSlackTurn(view, cards).blocks];
  for (const text of drawn.map((all) => JSON.stringify(all))) expect(text).toContain("tick it off");
  expect(problemsOf(renderTurn(view, cards))).toEqual([]);
});

it("[discord.embeds] a list of requests goes on in another box between two of them", () => {
  const [sample] = fc.sample(discord.turnView, { numRuns: 1, seed: 1 });
  const approvals = [1, 2, 3, 4].map((at) => buildApproval({ id: `appr_${at}`, args: { summary: `${at}` } }));
  const view = { ...sample, isSettled: true, approvals, questions: [], results: [], log: [], next: [] };
  const { components } = renderTurn(view as TurnView, cards);
  const boxes = components.filter(({ type }) => type === ComponentType.Container);
  expect(boxes.length).toBeGreaterThan(1);
  // Each request's buttons are in the box that names it.
  for (const box of boxes.map((one) => JSON.stringify(one)))
    for (const at of [1, 2, 3, 4])
      expect(box.includes(`cs:approve:appr_${at}`)).toBe(box.includes(`**Create issue ${at}**`));
  expect(JSON.stringify(boxes)).not.toContain("cs:page_next");
});

describe("every result", () => {
  it("[discord.embeds] [view.limits] is complete through the real views: card, pages, files, JSON", () => {
    fc.assert(
      fc.property(discord.callResult, (result) => {
        const { messages, words } = everythingOf(result.card, result.data);
        for (const message of messages) {
          expect([...problemsOf(message), ...readTexts(message.components).active]).toEqual([]);
        }
        expect(missing(wordsOf(result.card), words)).toEqual([]);

        const pages = windowPages(jsonWindow({ turnId: "turn_1", results: [{ ...result, ok: true }] }));
        for (const page of pages) {
          expect([...problemsOf(page), ...readTexts(page.components).active]).toEqual([]);
        }
        const json = pages.map(({ components }) =>
          readTexts(components).seen.replaceAll(/Page \d+ of \d+/g, ""),
        );
        expect(missing(scalarsOf(result.data).map(bare), bare(json.join("")))).toEqual([]);
      }),
      { numRuns: amount(40, 13) },
    );
  });
});

describe("every turn", () => {
  it("[discord.progress] [view.limits] is one valid message, whatever it holds and whichever page is open", () => {
    fc.assert(
      fc.property(discord.turnView, fc.nat(5), (view, page) => {
        const refs = [
          ...view.results.map((_, index) => `r:${index}:turn_1`),
          ...view.approvals.map(({ id }) => `a:${id}`),
        ];
        const message = renderTurn(view, cards, {
          pages: Object.fromEntries(refs.map((ref) => [ref, page])),
        });
        expect(problemsOf(message)).toEqual([]);
        expect(readTexts(message.components).active).toEqual([]);
        expect(new Set(message.files.map((file) => file.filename)).size).toBe(message.files.length);
        const old = renderTurn(view, cards, { budget: EMBEDS_BUDGET });
        expect(embedProblemsOf(old)).toEqual([]);
        for (const pages of [windowPages(logWindow(view)), windowPages(jsonWindow(view))]) {
          for (const one of pages) expect(problemsOf(one)).toEqual([]);
        }
      }),
      { numRuns: amount(40, 13) },
    );
  });
});
