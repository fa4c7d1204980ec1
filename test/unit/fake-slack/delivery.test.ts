import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, it } from "vitest";

import { manualClock } from "#test/fakes/slack/clock.ts";
import { signature } from "#test/fakes/slack/signed-http.ts";
import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { FakeSlack, FakeSlackOptions } from "#test/fakes/slack/slack.ts";

import { startBot } from "./bot.ts";
import type { Bot } from "./bot.ts";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of running.splice(0).toReversed()) await part.stop();
});

async function start(options?: FakeSlackOptions): Promise<FakeSlack> {
  const slack = await startFakeSlack(options);
  running.push(slack);
  return slack;
}

async function bot(slack: FakeSlack, pingMs?: number): Promise<Bot> {
  const started = await startBot(slack, "socket", pingMs);
  running.push(started);
  return started;
}

it("brings an event twice with one id, and once more on replay", async () => {
  const slack = await start();
  const { seen } = await bot(slack);
  slack.duplicate(2);
  slack.user("ana").mention("general", "once");
  await slack.settled();
  await slack.until(() => slack.calls.filter(({ method }) => method === "chat.postMessage").length === 2);
  const [id = ""] = seen;
  expect(seen).toEqual([id, id]);
  slack.calm();
  expect((await slack.replay(id)).ok).toBe(true);
  await slack.until(() => seen.length === 3);
  expect(new Set(seen).size).toBe(1);
});

it("gives no event the id of one of an earlier Slack, which a product with the same data folder has seen", async () => {
  const ids: string[] = [];
  for (let run = 0; run < 2; run += 1) {
    const slack = await start();
    const { seen } = await bot(slack);
    slack.user("ana").mention("general", "show me DEMO-1");
    await slack.settled();
    ids.push(...seen);
  }
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
});

it("turns the order round", async () => {
  const slack = await start({ manifest: onlyMentions });
  const client = await rawClient(slack);
  slack.reorder(3);
  for (const text of ["one", "two", "three"]) slack.user("ana").mention("general", text);
  await slack.settled();
  expect(client.events).toEqual(slack.deliveries.map(({ eventId }) => eventId).toReversed());
});

it("spreads payloads over connections and can name the one", async () => {
  const slack = await start({ manifest: onlyMentions });
  const clients = [await rawClient(slack), await rawClient(slack)];
  for (const text of ["one", "two", "three", "four"]) slack.user("ana").mention("general", text);
  await slack.settled();
  expect(clients.map(({ events }) => events.length)).toEqual([2, 2]);
  slack.deliverTo(1);
  for (const text of ["five", "six"]) slack.user("ana").mention("general", text);
  await slack.settled();
  expect(slack.connections.map(({ acknowledged }) => acknowledged)).toEqual([2, 4]);
});

it("lets clients come back after a cut and after being told to", async () => {
  const slack = await start();
  const { seen } = await bot(slack, 500);
  slack.dropConnections();
  const second = await slack.until(() => slack.connections.find(({ index, open }) => index > 0 && open));
  slack.disconnect("refresh_requested");
  await slack.until(() => slack.connections.find(({ index, open }) => index > second.index && open));
  expect(slack.connections.slice(0, second.index + 1).some(({ open }) => open)).toBe(false);
  slack.user("ana").mention("general", "still there?");
  await slack.until(() => seen.length > 0);
});

it("signs requests and tries three times more, at once, after one minute and after five", async () => {
  const clock = manualClock();
  const slack = await start({ clock, manifest: onlyMentions });
  const requests: { num: string | undefined; reason: string | undefined; genuine: boolean }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const header = (name: string): string | undefined => request.headers[name]?.toString();
      const body = Buffer.concat(chunks).toString();
      const expected = signature(slack.app.signingSecret, Number(header("x-slack-request-timestamp")), body);
      requests.push({
        num: header("x-slack-retry-num"),
        reason: header("x-slack-retry-reason"),
        genuine: header("x-slack-signature") === expected,
      });
      // The first is left hanging, the others are refused.
      if (requests.length > 1) response.writeHead(500).end();
      slack.world.changed();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  running.push({
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  slack.overHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  slack.user("ana").mention("general", "hello?");
  const [delivery] = slack.deliveries;
  const tried = (count: number): Promise<unknown> =>
    slack.until(() => requests.length === count && (count === 1 || delivery?.attempts.length === count));
  await tried(1);
  clock.advance(3000);
  await tried(2);
  clock.advance(59_999);
  expect(requests).toHaveLength(2);
  clock.advance(1);
  await tried(3);
  clock.advance(300_000);
  await tried(4);
  await slack.settled();
  expect(delivery?.state).toBe("given up");
  expect(requests).toEqual([
    { num: undefined, reason: undefined, genuine: true },
    { num: "1", reason: "http_timeout", genuine: true },
    { num: "2", reason: "http_error", genuine: true },
    { num: "3", reason: "http_error", genuine: true },
  ]);
});

it("tells the person when a command is not acknowledged in time", async () => {
  const clock = manualClock();
  const slack = await start({ clock });
  await rawClient(slack, false);
  const outcome = slack.user("ana").command("/jira", "DEMO-1", "general");
  await slack.until(() => slack.connections[0]?.delivered === 1);
  clock.advance(3000);
  expect(await outcome).toEqual({ ok: false, reason: "timeout" });
});

const onlyMentions = {
  oauth_config: { scopes: { bot: ["chat:write", "app_mentions:read"] } },
  settings: { event_subscriptions: { bot_events: ["app_mention"] } },
};

/** A client without Bolt, which keeps the order of what comes and acknowledges it at once, or never. */
async function rawClient(slack: FakeSlack, acknowledges = true): Promise<{ events: string[] }> {
  const headers = { authorization: `Bearer ${slack.app.appToken}` };
  const answer = await fetch(`${slack.apiUrl}apps.connections.open`, { method: "POST", headers });
  const { url } = (await answer.json()) as { url: string };
  const socket = new WebSocket(url);
  const events: string[] = [];
  const greeted = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const { type, envelope_id, payload } = JSON.parse(String(data));
    if (type === "hello") return greeted.resolve();
    events.push(payload.event_id);
    if (acknowledges) socket.send(JSON.stringify({ envelope_id }));
  });
  await greeted.promise;
  running.push({
    stop: async () => {
      socket.close();
      await new Promise((resolve) => socket.addEventListener("close", resolve, { once: true }));
    },
  });
  return { events };
}
