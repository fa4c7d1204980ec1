import { WebClient } from "@slack/web-api";
import { afterAll, beforeAll, expect, it } from "vitest";

import { createCallBudget } from "#adapters/slack/send/budget.ts";
import { clientOptions } from "#adapters/slack/install/client.ts";
import { createSessions } from "#adapters/slack/send/sessions.ts";
import type { TurnView } from "#contract/present.ts";
import { realClock } from "#test/fakes/slack/clock.ts";
import { startFakeSlack, type FakeSlack } from "#test/fakes/slack/slack.ts";

let slack: FakeSlack;
/** The time at which the clock of Slack stands still, so that nothing it counts by the minute is let through again. */
let frozen: number | undefined = Date.now();
const warnings: string[] = [];

beforeAll(async () => {
  const limit = { perMinute: 60, burst: 1, per: "team" } as const;
  slack = await startFakeSlack({
    rateLimits: { "agents.sessions.setStatus": limit },
    speed: 20,
    clock: { ...realClock, now: () => frozen ?? Date.now() },
  });
});

afterAll(() => slack.stop());

function view(more: Partial<TurnView> = {}): TurnView {
  return {
    turnId: "turn_1",
    conversationId: "c",
    channel: "slack:T:D",
    actor: "slack:T:U",
    message: "show me\nDEMO-1",
    phase: "planning",
    elapsedMs: 0,
    results: [],
    approvals: [],
    log: [],
    isSettled: false,
    canStop: true,
    ...more,
  };
}

it("[slack.agent] always gets the last state through, whatever Slack refuses meanwhile", async () => {
  const budget = createCallBudget();
  const client = new WebClient(slack.team().botToken, clientOptions({ api_url: slack.apiUrl }));
  const log = { warn: (_: object, message: string): void => void warnings.push(message) };
  const sessions = createSessions({ client: () => Promise.resolve(client), budget, log });
  const messages = ["ana", "ben", "chloe"].map((name) => slack.user(name).say("dm", "show me DEMO-1"));
  const at = messages.map(({ channel, ts }) => ({ team: slack.team().id, channel, thread: ts }));
  for (const one of at) sessions.shown(one, view());
  const stateOf = ({ channel, thread }: (typeof at)[number]): string | undefined =>
    slack.world.sessions.get(`${channel}:${thread}`)?.status;
  await slack.until(() => at.some((one) => stateOf(one) === "processing"));
  await slack.until(() => slack.calls.some(({ error }) => error === "ratelimited"));
  frozen = undefined;
  for (const one of at) sessions.shown(one, view({ isSettled: true, phase: "done" }));
  await slack.until(() => at.every((one) => stateOf(one) === "active"));
  expect([...slack.world.sessions.values()].map(({ title }) => title)).toEqual(
    at.map(() => "show me DEMO-1"),
  );
  expect(warnings).toEqual([]);
  sessions.stop();
  budget.stop();
});
