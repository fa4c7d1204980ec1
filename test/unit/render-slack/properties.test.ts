import type { KnownBlock } from "@slack/types";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { renderCard } from "#adapters/slack/render/card.ts";
import { LEAST_BUDGET } from "#adapters/slack/render/limits.ts";
import { jsonWindow, logWindow } from "#adapters/chat/windows.ts";
import { renderWindow } from "#adapters/slack/render/window.ts";
import { escapeText, splitText, costOf, weigh } from "#adapters/slack/render/text.ts";
import { renderTurn } from "#adapters/slack/render/turn.ts";
import type { Card } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import type { TurnView } from "#contract/present.ts";

import { amount } from "#test/amount.ts";
import { cards } from "#test/unit/render-chat/arbitrary.ts";
import { callResult, slackCard, slackHostile, turnView } from "./arbitrary.ts";
import { bare } from "#test/unit/render-chat/words.ts";
import { activePartsOf, markupOf, problemsOf, textOf } from "./checks.ts";
import { wordsOf } from "#test/unit/render-chat/words.ts";
import { everythingOf, pageCount } from "./shown.ts";

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

/** Its last button stands in the window of the folded section alone. */
const foldedButtons: Card = {
  kind: "result",
  title: "Open",
  elements: [
    {
      type: "section",
      title: "More",
      folded: true,
      elements: [
        {
          type: "actions",
          items: ["first", "second", "third"].map((word) => ({
            id: "prompt",
            label: `${word} of several suggestions that go on for a while`,
            value: word,
          })),
        },
      ],
    },
  ],
};

describe("every card", () => {
  it("[slack.blocks] [view.limits] is valid, within limits, complete and inert, on each page", () => {
    fc.assert(
      fc.property(slackCard, fc.boolean(), (card, native) => {
        const { messages, views, words } = everythingOf(card, undefined, native);
        for (const blocks of messages) {
          expect(problemsOf(blocks)).toEqual([]);
          expect(activePartsOf(blocks)).toEqual([]);
        }
        for (const blocks of views) {
          expect(problemsOf(blocks, "modal")).toEqual([]);
          expect(activePartsOf(blocks)).toEqual([]);
        }
        expect(missing(wordsOf(card), words)).toEqual([]);
        expect(markupOf(renderCard(card).text)).toEqual([]);
      }),
      { numRuns: amount(80, 27), examples: [[foldedButtons, false]] },
    );
  });

  it("[view.limits] keeps to the least budget it may be given", () => {
    fc.assert(
      fc.property(slackCard, fc.boolean(), (card, native) => {
        const { blocks } = renderCard(card, { ref: "r", budget: LEAST_BUDGET, native });
        expect(weigh(blocks)).toBeLessThanOrEqual(LEAST_BUDGET.chars);
        expect(blocks.length).toBeLessThanOrEqual(LEAST_BUDGET.blocks);
      }),
      { numRuns: amount(60, 20) },
    );
  });
});

describe("every result", () => {
  it("[slack.blocks] [view.limits] is complete through the real views: card, pages, files, JSON", () => {
    fc.assert(
      fc.property(callResult, fc.boolean(), (result, native) => {
        const { messages, views, words } = everythingOf(result.card, result.data, native);
        for (const blocks of messages) expect([...problemsOf(blocks), ...activePartsOf(blocks)]).toEqual([]);
        for (const blocks of views)
          expect([...problemsOf(blocks, "modal"), ...activePartsOf(blocks)]).toEqual([]);
        expect(missing(wordsOf(result.card), words)).toEqual([]);

        const view: TurnView = { ...viewOf(), results: [{ ...result, ok: true }] };
        const first = renderWindow(jsonWindow(view)).blocks as KnownBlock[];
        const pages = Array.from(
          { length: pageCount(first) },
          (_, page) => renderWindow(jsonWindow(view), { page }).blocks as KnownBlock[],
        );
        for (const blocks of pages)
          expect([...problemsOf(blocks, "modal"), ...activePartsOf(blocks)]).toEqual([]);
        const json = pages.flatMap((blocks) => blocks.filter((block) => block.type === "rich_text"));
        expect(missing(scalarsOf(result.data).map(bare), bare(textOf(json)))).toEqual([]);
      }),
      { numRuns: amount(60, 20) },
    );
  });
});

describe("every turn", () => {
  it("[slack.progress] [view.limits] is one valid message, whatever it holds and whichever page is open", () => {
    fc.assert(
      fc.property(turnView, fc.nat(5), fc.boolean(), (view, page, native) => {
        const pages = Object.fromEntries(
          [
            ...view.results.map((_, index) => `r:${index}:turn_1`),
            ...view.approvals.map(({ id }) => `a:${id}`),
          ].map((ref) => [ref, page]),
        );
        const { blocks, text, attachments } = renderTurn(view, cards, { pages, native });
        expect(problemsOf(blocks)).toEqual([]);
        expect(activePartsOf(blocks)).toEqual([]);
        expect(markupOf(text)).toEqual([]);
        expect(text).not.toBe("");
        expect(new Set(attachments.map((file) => file.filename)).size).toBe(attachments.length);
        for (const modal of [renderWindow(logWindow(view)), renderWindow(jsonWindow(view))]) {
          expect(problemsOf(modal.blocks as KnownBlock[], "modal")).toEqual([]);
        }
      }),
      { numRuns: amount(60, 20) },
    );
  });
});

describe("text", () => {
  it("[view.limits] is split without a loss, in pieces that cost no more than allowed", () => {
    fc.assert(
      fc.property(slackHostile, fc.integer({ min: 12, max: 60 }), (text, max) => {
        const pieces = splitText(text, max);
        expect(pieces.join("")).toBe(text);
        expect(pieces.filter((piece) => costOf(piece) > max)).toEqual([]);
      }),
    );
  });

  it("[view.neutral] of a notification holds no markup", () => {
    expect(escapeText("<!channel> <https://a.example|x> *b* _i_ ~s~ `c` :tada: a_b 10:30 > q")).toBe(
      "&lt;!channel&gt; &lt;https∶//a.example|x&gt; ∗b∗ ＿i＿ ∼s∼ ˋcˋ ∶tada: a_b 10:30 &gt; q",
    );
    expect(escapeText("> quote")).toBe("› quote");
  });
});

function viewOf(): TurnView {
  return {
    turnId: "turn_1",
    conversationId: "C1",
    channel: "C1",
    actor: "slack:T1:U1",
    message: "m",
    phase: "done",
    elapsedMs: 1,
    results: [],
    approvals: [],
    log: [],
    isSettled: true,
    canStop: false,
  };
}
