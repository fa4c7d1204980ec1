import { readFileSync } from "node:fs";

import { expect } from "vitest";
import { parse } from "yaml";

import { startFakeSlack, type FakeSlack, type FakeSlackOptions } from "#test/fakes/slack/slack.ts";
import type { Manifest, Message } from "#test/fakes/slack/types.ts";
import { violationsOf } from "#test/fakes/slack/violations.ts";

import {
  cleanUp,
  type HostedProduct,
  jiraOnly,
  type ProductOptions,
  type RunningProduct,
  startHosted,
  startProduct,
} from "./support.ts";

const manifest = parse(readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8")) as Manifest;

/** Anybody of the channel may approve. */
export function channelApproves(delayMs = 0, slackSettings: object = {}): object {
  const rules = [
    { tools: ["jira.create_issue"], decision: "ask", approvers: ["channel"] },
    {
      tools: ["jira.delete_issue"],
      decision: "ask",
      approvers: ["channel"],
      quorum: 2,
      reason_required: true,
    },
  ];
  return {
    ...jiraOnly({ delayMs, policy: { rules } }),
    slack: {
      bot_token: "${SLACK_BOT_TOKEN}",
      app_token: "${SLACK_APP_TOKEN:-}",
      signing_secret: "${SLACK_SIGNING_SECRET:-}",
      api_url: "${SLACK_API_URL}",
      ...slackSettings,
    },
  };
}

/** A workspace with the app of manifest.yml, so that the app gets no more than that. */
export async function startSlackWorkspace(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const slack = await startFakeSlack({ manifest, ...options });
  cleanUp(async () => {
    await slack.stop();
    // Every message, edit, window and home of every test is of a form that Slack takes.
    expect(violationsOf(slack.sent)).toEqual([]);
  });
  return slack;
}

type BotOptions = ProductOptions & { over?: "socket" | "http" };

/** The product against this workspace, connected to it, in the process that tests share; it ends with the test. */
export function startBot(slack: FakeSlack, options: BotOptions = {}): Promise<HostedProduct> {
  return connected(slack, startHosted, options);
}

/** The same in a process of its own, which may be killed. */
export function startOwnBot(slack: FakeSlack, options: BotOptions = {}): Promise<RunningProduct> {
  return connected(slack, startProduct, options);
}

async function connected<Product extends HostedProduct>(
  slack: FakeSlack,
  start: (options: ProductOptions) => Promise<Product>,
  { over = "socket", ...options }: BotOptions,
): Promise<Product> {
  const off = over === "socket" ? { SLACK_SIGNING_SECRET: "" } : { SLACK_APP_TOKEN: "" };
  const product = await start({
    config: channelApproves(),
    ...options,
    env: { ...slack.environment, ...off, ...options.env },
  });
  // The product is ready without Slack; what people do before it is connected may go elsewhere.
  await product.line(({ msg }) => String(msg).startsWith("Slack is connected"));
  return product;
}

/** The bot's message in the thread of `question`, once its blocks contain `words`. */
export function answerTo(slack: FakeSlack, question: Message, words: string | RegExp): Promise<Message> {
  return slack.until(() =>
    slack
      .thread(question.ts)
      .find(({ ts, bot_id, blocks }) => ts !== question.ts && bot_id !== undefined && says(blocks, words)),
  );
}

export function says(blocks: unknown, words: string | RegExp): boolean {
  const text = JSON.stringify(blocks ?? "");
  return typeof words === "string" ? text.includes(words) : words.test(text);
}

/** Messages of the bot in the thread of `question`. */
export function answers(slack: FakeSlack, question: Message): Message[] {
  return slack.thread(question.ts).filter(({ bot_id }) => bot_id !== undefined);
}
