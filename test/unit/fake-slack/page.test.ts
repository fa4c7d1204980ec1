import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { startBot } from "./bot.ts";
import type { Bot } from "./bot.ts";

let slack: FakeSlack;
let bot: Bot;

beforeEach(async () => {
  slack = await startFakeSlack();
  bot = await startBot(slack, "socket");
});

afterEach(async () => {
  await bot.stop();
  await slack.stop();
});

async function see(
  as: string,
  place: string,
  thread = "",
): Promise<{ messages: string; thread: string; modal: { body: string } | null }> {
  const answer = await fetch(
    `${slack.url}/page/state?${new URLSearchParams({ as, place, thread }).toString()}`,
  );
  return (await answer.json()) as Awaited<ReturnType<typeof see>>;
}

async function act(deed: object): Promise<{ problem?: string }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${slack.url}/page/act`, {
    method: "POST",
    headers,
    body: JSON.stringify(deed),
  });
  return (await answer.json()) as { problem?: string };
}

it("lets a person ask, read the thread, press a button and fill a form", async () => {
  const place = slack.channel("general").id;
  await act({ do: "say", as: "ana", place, text: "@Countersign <b>hi</b> @ben" });
  const question = slack.messages("general")[0];
  expect(question?.text).toBe(
    `<@${slack.team().botUserId}> &lt;b&gt;hi&lt;/b&gt; <@${slack.user("ben").id}>`,
  );
  const answer = await slack.until(() => slack.thread(question?.ts ?? "")[1]);
  const { messages, thread } = await see("ana", place, question?.ts);
  expect(messages).toContain("1 reply");
  const [, control] = /data-control="([^"]+\/approve)"/.exec(thread) ?? [];
  expect(thread).toContain(">Approve</button>");
  expect(messages + thread).not.toContain("<b>hi</b>");
  expect(await act({ do: "click", as: "ben", place, target: answer.ts, control })).toEqual({});
  await slack.until(() => slack.message(answer.ts)?.text.startsWith("approved 7"));

  await act({ do: "say", as: "ana", place, text: "/jira create" });
  await slack.until(() => slack.modal("ana"));
  expect((await see("ana", place)).modal?.body).toContain("Summary");
  const values = { "summary/text": "No" };
  expect(await act({ do: "submit", as: "ana", place, values })).toEqual({ problem: "too short" });
  expect(await act({ do: "submit", as: "ana", place, values: { "summary/text": "A broken lamp" } })).toEqual(
    {},
  );
  expect((await see("ana", place)).modal).toBeNull();
});

it("draws numbers in tables, and what it does not know, plainly", async () => {
  const { client } = bot.app;
  const channel = slack.channel("general").id;
  const cells = [{ type: "raw_number", value: 41, text: "41" }];
  await client.apiCall("chat.postMessage", {
    channel,
    text: "x",
    blocks: [{ type: "table", rows: [cells] }],
  });
  expect((await see("ana", channel)).messages).toContain("41");
  const stray = { type: "workflow_step_of_tomorrow", secret: "<script>" };
  slack.messages("general")[0]?.blocks?.push(stray);
  expect((await see("ana", channel)).messages).toContain("&lt;script&gt;");
});

it("names nothing outside itself and obeys its own host only", async () => {
  const page = await fetch(slack.url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).not.toMatch(/(src|href)="(https?:)?\/\//);
  for (const path of ["/page/client.mjs", "/page/page.css", "/page/blocks.css"]) {
    expect((await fetch(slack.url + path)).status).toBe(200);
  }
  const plain = {
    method: "POST",
    body: JSON.stringify({ do: "say", as: "ana", place: "general", text: "x" }),
  };
  expect((await fetch(`${slack.url}/page/act`, plain)).status).toBe(415);
});
