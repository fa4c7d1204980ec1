import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";

import { request } from "./raw.ts";

let discord: FakeDiscord;

beforeEach(async () => {
  discord = await startFakeDiscord();
});

afterEach(async () => {
  await discord.close();
});

const channelPath = (name: string): string => `/channels/${discord.channel(name).id}`;
const post = (name: string, body: unknown): ReturnType<typeof request> =>
  request(discord, "POST", `${channelPath(name)}/messages`, body);

it("shows the bot only what it may see", async () => {
  expect((await post("random", { content: "x" })).body).toEqual({ message: "Missing Access", code: 50_001 });
  expect((await request(discord, "GET", channelPath("random"))).status).toBe(403);
  expect((await request(discord, "GET", "/channels/1")).body).toMatchObject({ code: 10_003 });
  const guild = await request(discord, "GET", `/guilds/${discord.guild().id}/channels`);
  expect((guild.body as unknown as { name: string }[]).map(({ name }) => name)).toEqual([
    "general",
    "engineering",
    "ops-private",
  ]);
});

it("asks for the permission of each thing", async () => {
  const missing = { message: "Missing Permissions", code: 50_013 };
  const deny = async (...names: NonNullable<Parameters<typeof discord.permit>[2]["deny"]>): Promise<void> =>
    discord.permit("bot", "general", { deny: names });
  await deny("SendMessages");
  expect((await post("general", { content: "x" })).body).toEqual(missing);
  await deny("EmbedLinks");
  expect((await post("general", { embeds: [{ title: "x" }] })).body).toEqual(missing);
  expect((await post("general", { content: "x" })).status).toBe(200);
  await deny("AttachFiles");
  const form = new FormData();
  form.set("payload_json", "{}");
  form.set("files[0]", new Blob(["x"]), "x.txt");
  expect((await post("general", form)).body).toEqual(missing);
  await deny("ReadMessageHistory");
  expect((await request(discord, "GET", `${channelPath("general")}/messages`)).body).toEqual([]);
  await deny("CreatePublicThreads");
  const { id } = discord.user("ana").say("general", "x");
  const thread = `${channelPath("general")}/messages/${id}/threads`;
  expect((await request(discord, "POST", thread, { name: "t" })).body).toEqual(missing);
  await deny("SendMessagesInThreads");
  expect((await request(discord, "POST", thread, { name: "t" })).status).toBe(200);
  expect((await request(discord, "POST", `/channels/${id}/messages`, { content: "x" })).body).toEqual(
    missing,
  );
});

it("lets nobody change another's message or write with a wrong token", async () => {
  const { id } = discord.user("ana").say("general", "x");
  const path = `${channelPath("general")}/messages/${id}`;
  expect((await request(discord, "PATCH", path, { content: "y" })).body).toMatchObject({ code: 50_005 });
  expect((await request(discord, "DELETE", path)).body).toMatchObject({ code: 50_013 });
  expect((await request(discord, "GET", path, undefined, "wrong")).status).toBe(401);
  expect(discord.invalidRequests()).toBe(3);
});

it("holds people to their permissions as well", () => {
  expect(() => discord.user("emi").say("ops-private", "x")).toThrow("emi does not see ops-private");
  discord.addRole("emi", "oncall");
  expect(discord.user("emi").say("ops-private", "x").content).toBe("x");
  discord.removeRole("emi", "oncall");
  expect(() => discord.user("emi").say("ops-private", "x")).toThrow("does not see");
});

it("starts one thread from a message, and a message opens an archived one again", async () => {
  const { id } = discord.user("ana").say("general", "x");
  const path = `${channelPath("general")}/messages/${id}/threads`;
  expect(
    (await request(discord, "POST", path, { name: "talk", auto_archive_duration: 60 })).body,
  ).toMatchObject({ id, name: "talk" });
  expect((await request(discord, "POST", path, { name: "talk" })).body).toMatchObject({ code: 160_004 });
  const thread = discord.threadOf(id);
  if (thread === undefined) throw new Error("expected a thread");
  discord.archive(thread);
  expect((await request(discord, "PATCH", `/channels/${id}`, { name: "new" })).body).toMatchObject({
    code: 50_083,
  });
  expect((await request(discord, "POST", `/channels/${id}/messages`, { content: "x" })).status).toBe(200);
  expect(thread.archived).toBe(false);
  discord.archive(thread, true);
  expect((await request(discord, "POST", `/channels/${id}/messages`, { content: "x" })).body).toMatchObject({
    code: 50_083,
  });
  expect(() => discord.user("ana").say(thread, "x")).toThrow("may not write");
});

it("takes files, keeps those an edit lists, and refuses too large ones", async () => {
  const form = (payload: object, ...files: [string, Uint8Array<ArrayBuffer>][]): FormData => {
    const data = new FormData();
    data.set("payload_json", JSON.stringify(payload));
    for (const [index, [name, content]] of files.entries())
      data.set(`files[${index}]`, new Blob([content]), name);
    return data;
  };
  const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
  const described = { attachments: [{ id: 0, filename: "a.txt", description: "all of it" }] };
  const { body } = await post("general", form(described, ["x.txt", bytes("hello")]));
  const { id, attachments } = body as { id: string; attachments: { id: string; url: string }[] };
  expect(attachments).toMatchObject([{ filename: "a.txt", description: "all of it", size: 5 }]);
  expect(await (await fetch(attachments[0]?.url ?? "")).text()).toBe("hello");

  const path = `${channelPath("general")}/messages/${id}`;
  const kept = form({ attachments: [{ id: attachments[0]?.id }, { id: 0 }] }, ["b.txt", bytes("more")]);
  const edited = await request(discord, "PATCH", path, kept);
  expect(edited.body).toMatchObject({ attachments: [{ filename: "a.txt" }, { filename: "b.txt" }] });
  const dropped = await request(discord, "PATCH", path, { content: "x", attachments: [] });
  expect(dropped.body).toMatchObject({ attachments: [] });

  const shown = { flags: 1 << 15, components: [{ type: 13, file: { url: "attachment://c.csv" } }] };
  const v2 = await post("general", form(shown, ["c.csv", bytes("a,b")]));
  expect(v2.body).toMatchObject({
    components: [{ type: 13, id: 1, file: { url: expect.stringMatching(/\/c\.csv$/) as unknown } }],
  });

  const large = await post("general", form({}, ["large.bin", new Uint8Array(10 * 1024 * 1024 + 1)]));
  expect(large).toMatchObject({ status: 413, body: { code: 40_005 } });
  await discord.close(/Request entity too large/);
  discord = await startFakeDiscord();
});
