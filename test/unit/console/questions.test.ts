import { describe, expect, it } from "vitest";

import type { Question } from "#contract/question.ts";
import { buildTurnResult } from "#test/builders.ts";

import { Chat } from "./chat.ts";

const common = {
  id: "ques_1",
  turnId: "turn_1",
  conversationId: "c",
  channel: "c",
  actor: "console:ana",
  server: "shop\u001b[2J",
  toolId: "shop.order",
  state: "open",
  createdAt: 0,
  expiresAt: 600_000,
} as const;

const form: Question = {
  ...common,
  kind: "form",
  message: "Which size?",
  schema: {
    type: "object",
    properties: {
      size: { type: "integer", title: "Size" },
      colour: { type: "string", enum: ["red", "blue"], default: "red" },
    },
    required: ["size"],
  },
};
const link: Question = {
  ...common,
  kind: "link",
  message: "Please sign in.",
  url: "https://shop.example.com/in",
  domain: "shop.example.com",
};

/** A chat whose first message makes a server ask. */
function chatAsking(question: Question, options: { terminal: boolean }): Chat {
  const chat: Chat = new Chat(async ({ emit }) => {
    emit({ type: "status", phase: "executing_tools", elapsedMs: 0 });
    emit({ type: "question", question });
    await chat.core.answered;
    emit({ type: "result", result: buildTurnResult("Ordered.") });
  }, options);
  chat.core.asked.set(question.id, question);
  return chat.start();
}

describe("a question of a server, at a terminal", () => {
  it("[mcp.elicit] is asked field by field, and again where the server does not take it", async () => {
    const chat = chatAsking(form, { terminal: true });
    await chat.see("countersign>");
    chat.type("order\r");
    await chat.see("asks: Which size?");
    await chat.see("Never type a password, a code or a key into it.");
    await chat.see("Type answer or decline, then Enter.");
    await chat.answer("answer");
    await chat.see("Size");
    chat.type("large\r");
    await chat.see("Colour");
    chat.type("Blue\r");
    await chat.see("Size");
    chat.type("0\r");
    await chat.see("size: must be > 0");
    await chat.see("Size");
    chat.type("3\r");
    await chat.see("Ordered.");
    expect(chat.core.answers).toEqual([
      { questionId: "ques_1", actor: "console:ana", action: "accept", content: { size: 0, colour: "blue" } },
      { questionId: "ques_1", actor: "console:ana", action: "accept", content: { size: 3, colour: "blue" } },
    ]);
    expect(chat.raw).not.toContain("shop\u001b[2J");
  });

  it("[mcp.elicit] is declined by a word", async () => {
    const chat = chatAsking(form, { terminal: true });
    await chat.see("countersign>");
    chat.type("order\r");
    await chat.answer("decline");
    await chat.see("Ordered.");
    expect(chat.core.answers).toEqual([{ questionId: "ques_1", actor: "console:ana", action: "decline" }]);
  });

  it("[mcp.elicit] shows the domain of a link before anything else of it", async () => {
    const chat = chatAsking(link, { terminal: true });
    await chat.see("countersign>");
    chat.type("order\r");
    await chat.see("Domain: shop.example.com");
    await chat.see("https://shop.example.com/in");
    await chat.answer("opened");
    await chat.see("Ordered.");
    expect(chat.core.answers).toEqual([{ questionId: "ques_1", actor: "console:ana", action: "accept" }]);
  });
});

describe("a question of a server, in a pipe", () => {
  it("[mcp.elicit] is cancelled, as nobody can be asked", async () => {
    const chat = chatAsking(form, { terminal: false });
    chat.input.end("order\n");
    await chat.ended;
    expect(chat.core.answers).toEqual([{ questionId: "ques_1", actor: "console:ana", action: "cancel" }]);
    expect(chat.raw).toContain("Ordered.");
  });
});
