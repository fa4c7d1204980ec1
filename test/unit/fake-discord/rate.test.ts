import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import { manualClock } from "#test/fakes/slack/clock.ts";
import type { ManualClock } from "#test/fakes/slack/clock.ts";

import { startBot } from "./bot.ts";
import { request } from "./raw.ts";

let clock: ManualClock;
let discord: FakeDiscord;

beforeEach(async () => {
  clock = manualClock();
  discord = await startFakeDiscord({ clock, rateLimits: "real" });
});

afterEach(async () => {
  await discord.close(/^rate limit: .*before retry_after/);
});

const path = (name = "general"): string => `/channels/${discord.channel(name).id}/messages`;
const post = (name?: string): ReturnType<typeof request> =>
  request(discord, "POST", path(name), { content: "x" });

it("counts by route and channel, and says so in its headers", async () => {
  const first = await post();
  const header = (name: string): string | null => first.headers.get(`x-ratelimit-${name}`);
  expect([header("limit"), header("remaining"), header("reset-after")]).toEqual(["5", "4", "5.000"]);
  expect(header("bucket")).toMatch(/^[0-9a-f]{32}$/);
  for (let i = 0; i < 4; i += 1) expect((await post()).status).toBe(200);
  clock.advance(2000);
  const turned = await post();
  expect(turned).toMatchObject({ status: 429, body: { retry_after: 3, global: false } });
  expect([turned.headers.get("retry-after"), turned.headers.get("x-ratelimit-scope")]).toEqual(["3", "user"]);
  expect((await post("engineering")).status).toBe(200);
  expect(discord.violations).toEqual([]);
  await post();
  expect(discord.violations).toMatchObject([{ kind: "rate limit" }]);
  clock.advance(3000);
  expect((await post()).status).toBe(200);
  expect(discord.invalidRequests()).toBe(2);
});

it("counts fifty a second in all, interactions aside", async () => {
  for (let i = 0; i < 50; i += 1) await request(discord, "GET", "/users/@me");
  const turned = await request(discord, "GET", "/users/@me");
  expect(turned).toMatchObject({ status: 429, body: { global: true } });
  expect(turned.headers.get("x-ratelimit-scope")).toBe("global");
  expect((await request(discord, "POST", "/interactions/1/2/callback", { type: 4 })).body).toMatchObject({
    code: 10_062,
  });
  clock.advance(1000);
  expect((await request(discord, "GET", "/users/@me")).status).toBe(200);
  await discord.close(/Unknown interaction/);
  discord = await startFakeDiscord();
});

it("lets messages that are older than an hour be changed less often", async () => {
  const { body } = await post();
  clock.advance(3_600_001);
  const edit = (): ReturnType<typeof request> =>
    request(discord, "PATCH", `${path()}/${String(body.id)}`, { content: "y" });
  for (let i = 0; i < 3; i += 1) expect((await edit()).status).toBe(200);
  expect(await edit()).toMatchObject({ status: 429, body: { code: 30_046 } });
});

it("lets a thread be renamed twice in ten minutes, and opened again as often as need be", async () => {
  const { id } = discord.user("ana").startThread(discord.user("ana").say("general", "x"), "t");
  const change = (body: object): ReturnType<typeof request> =>
    request(discord, "PATCH", `/channels/${id}`, body);
  for (let i = 0; i < 3; i += 1) expect((await change({ archived: false })).status).toBe(200);
  discord.permit("bot", "general", { allow: ["ManageThreads"] });
  expect([(await change({ name: "a" })).status, (await change({ name: "b" })).status]).toEqual([200, 200]);
  expect(await change({ name: "c" })).toMatchObject({ status: 429, body: { retry_after: 600 } });
});

it("turns away and fails as it is told", async () => {
  const route = "POST /channels/:id/messages";
  discord.turnAway(route, { retryAfterMs: 1500, scope: "shared" });
  expect((await post()).body).toMatchObject({ retry_after: 1.5 });
  expect(discord.invalidRequests()).toBe(0);
  discord.fail(route, { status: 503 });
  await expect(post()).rejects.toThrow("not valid JSON");
  expect(discord.messages("general")).toEqual([]);
  discord.fail(route, { status: 0, after: true });
  await expect(post()).rejects.toThrow("fetch failed");
  expect(discord.messages("general")).toHaveLength(1);
});

it("is obeyed by discord.js: everything arrives, in order, without a second 429", async () => {
  await discord.close();
  discord = await startFakeDiscord({
    rateLimits: { "POST /channels/:id/messages": { limit: 2, perMs: 150 } },
  });
  const bot = await startBot(discord);
  const channel = await bot.client.channels.fetch(discord.channel("general").id);
  if (channel?.isSendable() !== true) throw new Error("expected a channel");
  await Promise.all(["a", "b", "c", "d", "e"].map((text) => channel.send(text)));
  expect(discord.messages("general").map(({ content }) => content)).toEqual(["a", "b", "c", "d", "e"]);
  expect(discord.violations).toEqual([]);
  await bot.stop();
});
