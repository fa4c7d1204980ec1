import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Delivery } from "#test/fakes/slack/delivery.ts";
import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import { acme, allScopes } from "#test/fakes/slack/world.ts";

import { health, launchBot } from "./slack-install-support.ts";
import {
  answers,
  answerTo,
  channelApproves,
  says,
  startBot,
  startOwnBot,
  startSlackWorkspace,
} from "./slack-support.ts";
import { cleanUp, isReady, type LogLine, type HostedProduct, refusalOf, say } from "./support.ts";

const isConnected = (line: LogLine): boolean => String(line.msg).startsWith("Slack is connected");

describe("[slack.transports] a Slack that does not answer", () => {
  it("[slack.transports] does not keep the product from starting, and is taken up once it answers", async () => {
    const before = await startFakeSlack();
    const port = Number(new URL(before.url).port);
    await before.stop();

    const product = await launchBot(before, { SLACK_SIGNING_SECRET: "" });
    await product.line((line) => line.code === "unreachable");
    await product.line(isReady);
    expect(await health(product)).toMatchObject({
      status: "degraded",
      surfaces: {
        slack: { status: "down", code: "unreachable", error: expect.stringContaining("does not answer") },
      },
    });
    const { status, body } = await say(product, "show me DEMO-1");
    expect([status, body.reply]).toEqual([200, expect.stringContaining("DEMO-1")]);

    const slack = await startSlackWorkspace({ port });
    // The token is made anew by each fake.
    slack.team().botToken = before.environment.SLACK_BOT_TOKEN;
    await product.line(isConnected);
    expect((await health(product)).surfaces).toEqual({ slack: { status: "up" } });
    const question = slack.user("ana").mention("general", "show me DEMO-1");
    await answerTo(slack, question, "DEMO-1");
    expect(await product.stop()).toBe(0);
  });

  it("[slack.transports] is left at once when the product is stopped", async () => {
    const gone = await startFakeSlack();
    await gone.stop();
    const product = await launchBot(gone, { SLACK_SIGNING_SECRET: "" });
    await product.line(isReady);
    expect(await product.stop()).toBe(0);
  });

  it("[slack.transports] is connected to again after it closes the socket, and after the line is cut", async () => {
    const slack = await startSlackWorkspace();
    const product = await startBot(slack);
    await slack.until(() => slack.connections.length === 1);
    const times = (): number => product.log.filter(isConnected).length;
    for (const [count, cut] of [
      [2, () => slack.disconnect("refresh_requested")],
      [3, () => slack.dropConnections()],
    ] as const) {
      cut();
      await product.line(() => times() === count);
      const question = slack.user("ana").mention("general", `show me DEMO-${count}`);
      await answerTo(slack, question, `DEMO-${count}`);
    }
    expect(slack.connections.filter(({ open }) => open)).toHaveLength(1);

    slack.disconnect("link_disabled");
    const line = await product.line(({ code }) => code === "link_disabled");
    expect(line).toMatchObject({ level: "error", msg: expect.stringContaining("switch Socket Mode on") });
  });
});

describe("[slack.transports] tokens that Slack does not take", () => {
  const cases: [name: string, env: Record<string, string>, code: string, cure: RegExp][] = [
    ["a wrong bot token", { SLACK_BOT_TOKEN: "xoxb-wrong" }, "invalid_auth", /copy the token anew.*xoxb-/],
    ["a wrong app token", { SLACK_APP_TOKEN: "xapp-wrong" }, "invalid_auth", /SLACK_APP_TOKEN with xapp-/],
  ];
  it.each(cases)("[slack.transports] says what is wrong: %s", async (_, env, code, cure) => {
    const slack = await startSlackWorkspace();
    const product = await launchBot(slack, { SLACK_SIGNING_SECRET: "", ...env });
    const line = await product.line((one) => one.code === code);
    expect(line).toMatchObject({ level: "error", msg: expect.stringMatching(cure) });
    expect(Number(line.retry_in_ms)).toBeGreaterThanOrEqual(60_000);
    await product.line(isReady);
    expect(await health(product)).toMatchObject({
      status: "degraded",
      surfaces: { slack: { status: "down", code, error: expect.stringMatching(cure) } },
    });
    for (const one of product.log) {
      for (const token of Object.values(env)) expect(JSON.stringify(one)).not.toContain(token);
    }
    expect(await product.stop()).toBe(0);
  });

  it("[slack.transports] works with a token that lacks a scope, and says which", async () => {
    const scopes = [...allScopes, "mpim:history", "mpim:read"].filter((scope) => scope !== "files:write");
    const slack = await startSlackWorkspace({ teams: [{ ...acme, scopes }] });
    const product = await startBot(slack);
    await product.line(isConnected);
    expect((await health(product)).surfaces).toEqual({
      slack: { status: "up", error: expect.stringContaining("lacks files:write") },
    });
  });
});

describe("[slack.transports] a store that cannot write", () => {
  it.each(["socket", "http"] as const)(
    "[slack.transports] leaves an event unacknowledged over %s, and Slack's next try starts one turn",
    async (over) => {
      const slack = await startSlackWorkspace({ ackMs: 1_000, speed: 30 });
      // Of its own: whoever waits for a locked store lets nobody else of its process go on.
      const product = await startOwnBot(slack, { over });
      if (over === "http") {
        const { slack_url: url } = await product.line((line) => typeof line.slack_url === "string");
        slack.overHttp(String(url));
      }
      await product.line(isConnected);

      const cases: [key: string, hasFailed: (delivery: Delivery) => Promise<unknown>][] = [
        // Slow: the product still waits for the store when Slack has given up waiting.
        ["DEMO-1", ({ attempts }) => slack.until(() => attempts.length > 0)],
        // Failing: the product has given up as well, or has lost the connection over its waiting.
        [
          "DEMO-2",
          ({ attempts }) =>
            Promise.race([
              product.line(({ msg }) => String(msg).includes("was not taken")),
              slack.until(() => attempts.length > 2),
            ]),
        ],
      ];
      for (const [key, hasFailed] of cases) {
        const release = lockStore(product);
        const question = slack.user("ana").mention("general", `show me ${key}`);
        const delivery = await slack.until(() => slack.deliveries.find(({ payload }) => isOf(payload, key)));
        await hasFailed(delivery);
        expect(delivery.attempts[0]?.outcome).toMatchObject({ ok: false });
        expect(answers(slack, question)).toEqual([]);
        release();

        const isAnswered = (): boolean => answers(slack, question).some(({ blocks }) => says(blocks, key));
        await slack.until(() => delivery.state === "acknowledged" && isAnswered(), 40_000);
        await slack.settled();
        expect(answers(slack, question)).toHaveLength(1);
      }
      expect(product.log.filter(({ msg }) => msg === "turn ran")).toHaveLength(2);
    },
    120_000,
  );
});

function isOf({ event }: Record<string, unknown>, key: string): boolean {
  const { type, text } = event as { type?: unknown; text?: unknown };
  return type === "app_mention" && String(text).includes(key);
}

/** Another writer that does not let go. */
function lockStore({ dataDir }: HostedProduct): () => void {
  const db = new DatabaseSync(join(dataDir, "countersign.db"), { timeout: 10_000 });
  db.exec("BEGIN IMMEDIATE");
  const release = (): void => {
    if (!db.isOpen) return;
    db.exec("ROLLBACK");
    db.close();
  };
  cleanUp(async () => release());
  return release;
}

it("[slack.transports] ends at once, and says what to do, where its address is taken", async () => {
  const slack = await startSlackWorkspace();
  const { port } = new URL(slack.url);
  const base = channelApproves() as { slack: object };
  const refusal = await refusalOf({
    config: { ...base, slack: { ...base.slack, port: Number(port) } },
    env: { ...slack.environment, SLACK_APP_TOKEN: "" },
  });
  expect(refusal).toMatch(/EADDRINUSE.*slack\.port.*\[slack_failed\]/s);
});
