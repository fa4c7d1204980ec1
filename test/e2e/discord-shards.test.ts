import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import { acme } from "#test/fakes/discord/world.ts";
import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

import {
  answers,
  answerTo,
  askChange,
  discordSettings,
  ended,
  startBot,
  startDiscord,
  told,
} from "./discord-support.ts";
import { deskConfig, effects } from "./slack-desk.ts";
import { cleanUpAll, temporaryFolder } from "./support.ts";

const other = { name: "Other", people: { gil: { name: "Gil Amar" } }, roles: {}, channels: { lobby: {} } };

let server: PostgresServer;
let discord: FakeDiscord;
let folder: string;

beforeAll(async () => {
  server = await joinPostgres();
  const databaseUrl = await server.createDatabase();
  const secret = randomBytes(32).toString("base64");
  discord = await startDiscord({ guilds: [acme, other] });
  folder = await temporaryFolder();
  for (const id of [0, 1]) {
    await startBot(discord, {
      config: {
        ...deskConfig(folder, discordSettings({ shards: { total: 2, ids: [id] } })),
        store: { url: "${DATABASE_URL}" },
      },
      env: { DATABASE_URL: databaseUrl, COUNTERSIGN_SECRET_KEY: secret },
    });
  }
}, 120_000);

afterAll(async () => {
  await cleanUpAll();
  await server.stop();
});

it("[discord.approve] [discord.mention] each of two replicas serves the guilds of its shard", async () => {
  expect(discord.connected(2)).toBe(true);
  expect(new Set(discord.gateway.sessions.map(({ shard }) => shard[0]))).toEqual(new Set([0, 1]));
  const card = await askChange(discord, "/desk set name=two value=sharded");
  await discord.user("ben").click(card, "cs:approve");
  await told(discord, "ben", "1 of 2");
  await discord.user("chloe").click(card, "cs:approve");
  await ended(discord, card, "Approved by");
  const there = discord.user("gil").mention("lobby", "/desk found name=two");
  await answerTo(discord, there, "two=sharded");
  expect(answers(discord, card.channel)).toHaveLength(1);
  expect(answers(discord, there.id)).toHaveLength(1);
  expect(effects(folder)).toEqual(["two=sharded"]);
});
