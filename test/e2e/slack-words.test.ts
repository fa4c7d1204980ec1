import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { answers, answerTo, channelApproves, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll } from "./support.ts";

let slack: FakeSlack;
let ollama: FakeOllama;
const said = Promise.withResolvers<void>();

beforeAll(async () => {
  const show = {
    commands: [{ command: "QUERY", tool: "jira.get_jira_issue", args: { issue_key: "DEMO-1" } }],
  };
  const words = "It is about the login page [source 1]. Happy to help!";
  ollama = await startFakeOllama(({ body }) =>
    body.format === undefined
      ? { do: "answer", text: words, after: said.promise }
      : { do: "answer", text: "", json: show },
  );
  slack = await startSlackWorkspace();
  const model = {
    anchored: "model",
    provider: "ollama",
    ollama: { base_url: ollama.url },
    budget: { response_time: "50s" },
  };
  await startBot(slack, { config: { ...channelApproves(), model } });
});
afterAll(async () => {
  await cleanUpAll();
  await ollama.stop();
});

it("[llm.budget] the card stands in the message of the turn while the model has said nothing, and its words come into it", async () => {
  const question = slack.user("ana").mention("general", "what is DEMO-1 about?");
  const early = await answerTo(slack, question, "DEMO-1");
  expect(says(early.blocks, "cs:stop")).toBe(true);
  await vi.waitUntil(() => ollama.requests.length === 2, { timeout: 60_000 });
  said.resolve();
  const late = await answerTo(slack, question, "It is about the login page");
  expect(late.ts).toBe(early.ts);
  expect(says(late.blocks, "cs:stop")).toBe(false);
  expect(answers(slack, question)).toHaveLength(1);
});
