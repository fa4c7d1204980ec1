import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect } from "vitest";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";

import { answerTo, says } from "./slack-support.ts";

const server = fileURLToPath(import.meta.resolve("../fakes/mcp-desk.ts"));

/** The desk server alone, planned by commands, with a rule for each way in which people decide. */
export function deskConfig(folder: string, more: object = {}): object {
  const set = (name: string, rule: object): object => ({
    tools: ["desk.set"],
    when: [{ arg: "name", equals: name }],
    decision: "ask",
    approvers: ["channel"],
    ...rule,
  });
  return {
    model: { provider: "builtin" },
    servers: [
      {
        name: "desk",
        command: ["node", server],
        env: { DESK_FOLDER: folder },
        use_persistent_session: true,
        trust_annotations: true,
      },
    ],
    policy: {
      rules: [
        set("two", { exclude_requester: true, quorum: 2 }),
        set("leads", { approvers: ["group:leads"] }),
        set("reasoned", { reason_required: true }),
        set("brief", { ttl: "1s" }),
        set("urgent", { approvers: ["group:leads", "requester"], quorum: 2, ttl: "60s", remind: "59s" }),
        {
          tools: ["desk.set"],
          decision: "ask",
          approvers: ["channel"],
          lookup: { tool: "desk.found", args: { name: "{name}" } },
        },
        {
          tools: ["desk.found"],
          when: [{ arg: "name", equals: "guarded" }],
          decision: "ask",
          approvers: ["channel"],
        },
        {
          tools: ["desk.note"],
          decision: "ask",
          approvers: ["channel"],
          grants: { max_ttl: "30m", max_uses: 2, vary: ["body"] },
        },
      ],
    },
    commands: {
      desk: {
        server: "desk",
        subcommands: { set: "set", note: "note", found: "found", rows: "rows", wait: "wait", hang: "hang" },
      },
    },
    slack: {
      bot_token: "${SLACK_BOT_TOKEN}",
      app_token: "${SLACK_APP_TOKEN:-}",
      signing_secret: "${SLACK_SIGNING_SECRET:-}",
      api_url: "${SLACK_API_URL}",
    },
    ...more,
  };
}

/** What took effect, one line a change. */
export function effects(folder: string): string[] {
  const file = join(folder, "effects.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Somebody asks for a change; resolves to the message once it shows the card. */
export async function askChange(
  slack: FakeSlack,
  command: string,
  by = "ana",
  channel: Parameters<ReturnType<FakeSlack["user"]>["mention"]>[0] = "general",
): Promise<Message> {
  const question = slack.user(by).mention(channel, command);
  return answerTo(slack, question, "cs:approve");
}

/** The message shows how it ended, with no button left that decides. */
export function ended(slack: FakeSlack, card: Message, words: string | RegExp): Promise<unknown> {
  return slack.until(
    () => !/cs:(?:approve|deny|settle)/.test(JSON.stringify(card.blocks)) && says(card.blocks, words),
  );
}

/** The newest that only this person was told beside a message. */
export function told(
  slack: FakeSlack,
  name: string,
  card: Message,
  words: string | RegExp,
): Promise<Message> {
  return slack.until(() =>
    slack
      .ephemerals(name)
      .find(
        ({ text, blocks, thread_ts }) =>
          thread_ts === card.thread_ts && (says(text, words) || says(blocks, words)),
      ),
  );
}

/** Opens the window behind a button of a message and sends what is to be filled in. */
export async function fillIn(
  slack: FakeSlack,
  { by, card, button }: { by: string; card: Message; button: string },
  values: Record<string, unknown>,
): Promise<void> {
  await slack.user(by).click(card.ts, button);
  const form = await slack.until(() => slack.modal(by));
  expect(await slack.user(by).submit(form, values)).toMatchObject({ result: "closed" });
}
