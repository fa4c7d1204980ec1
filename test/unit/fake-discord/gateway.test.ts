import { Client, Events, GatewayIntentBits } from "discord.js";
import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import { acme } from "#test/fakes/discord/world.ts";

import { startBot } from "./bot.ts";
import type { Bot } from "./bot.ts";
import { connect, identify } from "./raw.ts";
import type { RawGateway } from "./raw.ts";

let discord: FakeDiscord;
const bots: Bot[] = [];

const start = async (...args: Parameters<typeof startFakeDiscord>): Promise<void> => {
  await discord.stop();
  discord = await startFakeDiscord(...args);
};
const login = async (options?: Parameters<typeof startBot>[1]): Promise<Bot> => {
  const bot = await startBot(discord, options);
  bots.push(bot);
  return bot;
};

beforeEach(async () => {
  discord = await startFakeDiscord();
});

afterEach(async () => {
  await Promise.all(bots.splice(0).map((bot) => bot.stop()));
  await discord.close(/more than 120 sends/);
});

it.each<[string, (gateway: FakeDiscord["gateway"]) => void]>([
  ["a close", (gateway) => gateway.drop()],
  ["a cut", (gateway) => gateway.cut()],
  ["a silence", (gateway) => gateway.dropSilently()],
  ["being asked to", (gateway) => gateway.reconnect()],
])("lets discord.js resume after %s, and replays what it missed, once", async (_, fault) => {
  await start({ heartbeatMs: 300 });
  const { seen } = await login();
  const first = discord.user("ana").say("general", "before");
  await discord.until(() => seen.includes(first.id));
  fault(discord.gateway);
  const missed = discord.user("ana").say("general", "meanwhile");
  await discord.until(() => discord.gateway.connections.some(({ resumed }) => resumed));
  const last = discord.user("ana").say("general", "after");
  await discord.until(() => seen.includes(last.id));
  expect(seen).toEqual([first.id, missed.id, last.id]);
  expect(discord.gateway.sessions).toHaveLength(1);
});

it("makes a client begin anew when it refuses to resume, and what happened meanwhile is lost", async () => {
  const first = await connect(discord);
  first.send(2, identify(discord));
  const ready = await discord.until(() => first.frames.find(({ t }) => t === "READY"));
  discord.gateway.refuseResume();
  discord.gateway.drop();
  expect(await first.closed).toBe(4000);
  discord.user("ana").say("general", "meanwhile");
  const second = await connect(discord);
  second.send(6, { token: discord.app.token, session_id: ready.d.session_id, seq: 2 });
  await discord.until(() => second.frames.some(({ op, d }) => op === 9 && (d as unknown) === false));
  second.send(2, identify(discord));
  await discord.until(() => second.frames.some(({ t }) => t === "GUILD_CREATE"));
  const last = discord.user("ana").say("general", "after");
  await discord.until(() => second.frames.some(({ d }) => d?.id === last.id));
  expect(second.frames.filter(({ t }) => t === "MESSAGE_CREATE")).toHaveLength(1);
});

it("tells of guilds that the bot comes into and is thrown out of", async () => {
  const { client } = await login();
  const joined = new Promise<string>((resolve) =>
    client.once(Events.GuildCreate, ({ name }) => resolve(name)),
  );
  discord.invite({ ...acme, name: "Globex" });
  expect(await joined).toBe("Globex");
  const left = new Promise<string>((resolve) => client.once(Events.GuildDelete, ({ name }) => resolve(name)));
  discord.expel("Globex");
  expect(await left).toBe("Globex");
});

it("can replay more than was missed, send twice, late, and in another order", async () => {
  const { gateway } = discord;
  const first = await connect(discord);
  first.send(2, identify(discord));
  const ready = await discord.until(() => first.frames.find(({ t }) => t === "READY"));
  const heard = ({ frames }: RawGateway): unknown[] =>
    frames.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d.id);
  const say = (text: string): string => discord.user("ana").say("general", text).id;
  const one = say("one");
  await discord.until(() => heard(first).length === 1);
  gateway.overlap(1);
  gateway.cut();
  expect(await first.closed).toBe(1006);
  const second = await connect(discord);
  second.send(6, { token: discord.app.token, session_id: ready.d.session_id, seq: 3 });
  await discord.until(() => second.frames.some(({ t }) => t === "RESUMED"));
  gateway.duplicate(2);
  const two = say("two");
  gateway.calm();
  gateway.reorder(2);
  const [three, four] = [say("three"), say("four")];
  gateway.calm();
  gateway.replay("MESSAGE_CREATE", two);
  gateway.delay(1);
  const five = say("five");
  gateway.delay(0);
  const six = say("six");
  await discord.until(() => heard(second).length === 8);
  expect(heard(second)).toEqual([one, two, two, four, three, two, six, five]);
});

it("is deduplicated by discord.js as far as its cache goes", async () => {
  const { seen } = await login();
  discord.gateway.duplicate(2);
  const [one, two] = [discord.user("ana").say("general", "x").id, discord.user("ana").say("general", "y").id];
  await discord.until(() => seen.includes(two));
  expect(seen).toEqual([one, two]);
});

it("gives each shard its guilds, and direct messages to the first", async () => {
  await start({ guilds: [acme, { ...acme, name: "Globex" }] });
  const [zero, one] = [
    await login({ shards: [0], shardCount: 2 }),
    await login({ shards: [1], shardCount: 2 }),
  ];
  expect(zero.client.guilds.cache.map(({ name }) => name)).toEqual(["Acme"]);
  expect(one.client.guilds.cache.map(({ name }) => name)).toEqual(["Globex"]);
  const globex = [...discord.world.channels.values()].find(
    ({ guild, name }) => guild === discord.guild("Globex").id && name === "general",
  );
  const here = discord.user("ana").say("general", "x").id;
  const there = discord.user("ana").say(globex?.id ?? "", "x").id;
  const direct = discord.user("ana").say("dm", "x").id;
  await discord.until(() => zero.seen.includes(direct) && one.seen.includes(there));
  expect(zero.seen).toEqual([here, direct]);
  expect(one.seen).toEqual([there]);
});

it("refuses intents that are not switched on, wrong tokens and impossible shards", async () => {
  await start({ privileged: { messageContent: false } });
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
  const closing = async (more: object): Promise<number> => {
    const gateway = await connect(discord);
    gateway.send(2, identify(discord, more));
    return gateway.closed;
  };
  expect(await closing({ intents: Guilds | GuildMessages | MessageContent })).toBe(4014);
  expect(await closing({ intents: 1 << 30 })).toBe(4013);
  expect(await closing({ token: "wrong" })).toBe(4004);
  expect(await closing({ shard: [2, 2] })).toBe(4010);
  const client = new Client({ intents: [], rest: { api: discord.apiUrl }, shardCount: 1 });
  await expect(client.login("wrong")).rejects.toThrow("invalid token");
  await client.destroy();
});

it("numbers events, acknowledges heartbeats, and closes on what comes too early or too often", async () => {
  const early = await connect(discord);
  early.send(8, { guild_id: discord.guild().id, query: "", limit: 0 });
  expect(await early.closed).toBe(4003);

  const gateway = await connect(discord);
  gateway.send(2, identify(discord));
  await discord.until(() => gateway.frames.some(({ t }) => t === "GUILD_CREATE"));
  discord.user("ana").say("general", "x");
  gateway.send(1, 2);
  await discord.until(() => gateway.frames.some(({ op }) => op === 11));
  const dispatched = gateway.frames.filter(({ op }) => op === 0);
  expect(dispatched.map(({ s, t }) => [s, t])).toEqual([
    [1, "READY"],
    [2, "GUILD_CREATE"],
    [3, "MESSAGE_CREATE"],
  ]);
  gateway.send(2, identify(discord));
  expect(await gateway.closed).toBe(4005);

  const busy = await connect(discord);
  for (let i = 0; i <= 120; i += 1) busy.send(1, null);
  expect(await busy.closed).toBe(4008);
});

it("does not resume a session that was closed in order", async () => {
  const first = await connect(discord);
  first.send(2, identify(discord));
  const ready = await discord.until(() => first.frames.find(({ t }) => t === "READY"));
  first.socket.close(1000);
  await first.closed;
  await discord.until(() => discord.gateway.sessions[0]?.alive === false);
  const second = await connect(discord);
  second.send(6, { token: discord.app.token, session_id: ready.d.session_id, seq: 1 });
  const invalid = await discord.until(() => second.frames.find(({ op }) => op === 9));
  expect(invalid.d).toBe(false);
});

it("tells the client about threads and lets it answer there", async () => {
  const { client } = await login();
  const made = new Promise<string>((resolve) =>
    client.once(Events.ThreadCreate, ({ name }) => resolve(name)),
  );
  const thread = discord.user("ana").startThread(discord.user("ana").say("general", "x"), "lamps");
  expect(await made).toBe("lamps");
  discord.user("ana").mention(thread, "hello");
  await discord.until(() => discord.messages(thread).some(({ content }) => content === "May I?"));
  expect(thread.members).toContain(discord.app.id);
});
