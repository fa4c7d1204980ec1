import { expect, it } from "vitest";

import { turnArticle } from "#adapters/http/page/turn.ts";

import { createTurn } from "./fake-core.ts";
import { createCards } from "#views/cards/cards.ts";

const cards = { ...createCards(), approval: () => ({ kind: "approval" as const, title: "", elements: [] }) };
const nasty = '<img src=x onerror="alert(1)"> & "quotes"';

it("[http.playground] whatever people or tools wrote stays text on the page", async () => {
  const turn = createTurn({
    message: nasty,
    state: "done",
    result: {
      reply: `${nasty}\n\n[a](javascript:alert(1))`,
      planner: "builtin",
      toolResults: [
        {
          toolId: `x.${nasty}`,
          server: "x",
          args: {},
          ok: true,
          data: { [nasty]: nasty },
          view: "GenericView",
          card: { kind: "result", title: nasty, elements: [{ type: "text", text: nasty }] },
          durationMs: 1,
        },
      ],
      log: [{ atMs: 0, stage: "plan", message: nasty }],
      timings: { queuedMs: 0, planningMs: 0, toolsMs: 0, summarizingMs: 0, totalMs: 0 },
    },
  });
  const markup = String(await turnArticle(turn, [], cards, { mode: "open" }));
  expect(markup).not.toContain("<img");
  expect(markup).not.toContain('javascript:alert(1)"');
  expect(markup).not.toMatch(/ style=| on[a-z]+="/);
  expect(markup).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp;");
});

it("[http.playground] a failed turn says what happened and what to do", async () => {
  const turn = createTurn({
    state: "failed",
    error: { code: "model_unreachable", message: "Nobody answers." },
  });
  const markup = String(await turnArticle(turn, [], cards, { mode: "open" }));
  expect(markup).toContain("Nobody answers.");
  expect(markup).toContain("model.provider");
});
