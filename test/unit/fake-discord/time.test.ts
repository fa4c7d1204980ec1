import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Interaction } from "#test/fakes/discord/types.ts";
import { manualClock } from "#test/fakes/slack/clock.ts";
import type { ManualClock } from "#test/fakes/slack/clock.ts";

import { commands } from "./bot.ts";
import { connect, identify, problems, request } from "./raw.ts";
import type { RawGateway } from "./raw.ts";

let clock: ManualClock;
let discord: FakeDiscord;
let gateway: RawGateway;

beforeEach(async () => {
  clock = manualClock();
  discord = await startFakeDiscord({ clock });
  gateway = await connect(discord);
  gateway.send(2, identify(discord));
  await discord.until(() => discord.connected());
  await request(discord, "PUT", `/applications/${discord.app.id}/commands`, commands);
});

afterEach(async () => {
  gateway.socket.close(1000);
  await gateway.closed;
  await discord.stop();
});

const callback = ({ id, token }: Interaction, type: number, data: object = {}): ReturnType<typeof request> =>
  request(discord, "POST", `/interactions/${id}/${token}/callback?with_response=true`, { type, data });
const followUp = ({ token }: Interaction, body: object): ReturnType<typeof request> =>
  request(discord, "POST", `/webhooks/${discord.app.id}/${token}`, body);
const original = ({ token }: Interaction, method: string, body?: object): ReturnType<typeof request> =>
  request(discord, method, `/webhooks/${discord.app.id}/${token}/messages/@original`, body);
const newest = (): Interaction => {
  const found = [...discord.world.interactions.values()].at(-1);
  if (found === undefined) throw new Error("expected an interaction");
  return found;
};
/** A command that was deferred. */
const deferred = async (data: object = {}): Promise<Interaction> => {
  const pending = discord.user("ana").slash("jira create");
  const interaction = newest();
  expect((await callback(interaction, 5, data)).status).toBe(200);
  await pending;
  return interaction;
};

it("gives up after three seconds, and takes no answer then", async () => {
  const pending = discord.user("ana").slash("jira create");
  clock.advance(3000);
  expect(await pending).toMatchObject({ ok: false, reason: "nobody answered within 3 s" });
  clock.advance(1);
  expect((await callback(newest(), 4, { content: "late" })).body).toEqual({
    message: "Unknown interaction",
    code: 10_062,
  });
  expect(discord.messages("general")).toEqual([]);
  expect(discord.violations.map(({ kind, problem }) => [kind, problem])).toEqual([
    ["interaction", "nobody answered ApplicationCommand jira within 3 s"],
    ["interaction", "10062 Unknown interaction"],
  ]);
});

it("takes one answer", async () => {
  const interaction = await deferred();
  expect((await callback(interaction, 4, { content: "x" })).body).toMatchObject({ code: 40_060 });
  expect((await callback({ ...interaction, token: "other" }, 4)).body).toMatchObject({ code: 10_062 });
});

it("lets an answer be changed and followed for fifteen minutes", async () => {
  const interaction = await deferred();
  const [thinking] = discord.messages("general");
  expect(thinking).toMatchObject({ content: "", flags: 128 });
  clock.advance(15 * 60_000 - 1);
  expect((await original(interaction, "PATCH", { content: "done" })).body).toMatchObject({
    id: thinking?.id,
    flags: 0,
  });
  expect((await followUp(interaction, { content: "and more" })).status).toBe(200);
  clock.advance(2);
  for (const answer of [
    await original(interaction, "PATCH", { content: "x" }),
    await followUp(interaction, { content: "x" }),
  ]) {
    expect(answer).toMatchObject({ status: 401, body: { code: 50_027 } });
  }
  // By its id the message lives on.
  const path = `/channels/${discord.channel("general").id}/messages/${thinking?.id}`;
  expect((await request(discord, "PATCH", path, { content: "by id" })).body).toMatchObject({
    content: "by id",
  });
});

it("has no webhook before the answer, and makes the first follow-up the deferred answer", async () => {
  const pending = discord.user("ana").slash("jira create");
  expect((await followUp(newest(), { content: "x" })).body).toMatchObject({ code: 10_015 });
  await callback(newest(), 5);
  await pending;
  const { body } = await followUp(newest(), { content: "x" });
  expect(discord.messages("general").map(({ id, content }) => [id, content])).toEqual([[body.id, "x"]]);
  expect((await original(newest(), "DELETE")).status).toBe(204);
  expect(discord.messages("general")).toEqual([]);
  expect((await original(newest(), "GET")).body).toMatchObject({ code: 10_008 });
});

it("shows an ephemeral answer to one person, out of reach of the channel's routes", async () => {
  const interaction = await deferred({ flags: 64 });
  const { body } = await original(interaction, "PATCH", { content: "for you" });
  expect(discord.ephemerals("ana").map(({ id, content }) => [id, content])).toEqual([[body.id, "for you"]]);
  expect(discord.messages("general")).toEqual([]);
  const path = `/channels/${discord.channel("general").id}/messages/${String(body.id)}`;
  expect((await request(discord, "PATCH", path, { content: "x" })).body).toMatchObject({ code: 10_008 });
  expect(gateway.frames.some(({ t }) => t === "MESSAGE_CREATE")).toBe(false);
  await expect(discord.user("ben").click(String(body.id), "x")).rejects.toThrow("does not see");
});

it("takes only EPHEMERAL with a deferred answer, and only answers that fit", async () => {
  const pending = discord.user("ana").slash("jira create");
  expect(problems(await callback(newest(), 5, { flags: 1 << 15 }))).toEqual([
    "data.flags: MESSAGE_FLAGS_INVALID",
  ]);
  expect(problems(await callback(newest(), 7, { content: "x" }))).toEqual(["type: BASE_TYPE_CHOICES"]);
  expect(problems(await callback(newest(), 8, { choices: [] }))).toEqual(["type: BASE_TYPE_CHOICES"]);
  expect(problems(await callback(newest(), 4, { content: "x".repeat(2001) }))).toEqual([
    "data.content: BASE_TYPE_MAX_LENGTH",
  ]);
  expect((await callback(newest(), 4, { content: "x" })).status).toBe(200);
  await pending;
});

it("checks choices of an autocomplete", async () => {
  const pending = discord.user("ana").autocomplete("jira show", "key", "D");
  const choices = (count: number, length = 5): object => ({
    choices: Array.from({ length: count }, (_, i) => ({ name: `${i}`.padStart(length, "x"), value: `${i}` })),
  });
  expect(problems(await callback(newest(), 8, choices(26)))).toEqual(["data.choices: BASE_TYPE_MAX_LENGTH"]);
  expect(problems(await callback(newest(), 8, choices(1, 101)))).toEqual([
    "data.choices.0.name: BASE_TYPE_BAD_LENGTH",
  ]);
  expect((await callback(newest(), 8, choices(25))).status).toBe(200);
  expect(await pending).toHaveLength(25);
});

const input = (more: object = {}): object => ({ type: 4, style: 1, custom_id: "a", ...more });
const label = (text: string, component: object): object => ({ type: 18, label: text, component });
it.each<[string, object, string]>([
  [
    "a title of 46",
    { title: "x".repeat(46), components: [label("l", input())] },
    "data.title: BASE_TYPE_BAD_LENGTH",
  ],
  [
    "six components",
    { components: Array.from({ length: 6 }, (_, i) => label("l", input({ custom_id: `${i}` }))) },
    "data.components: BASE_TYPE_BAD_LENGTH",
  ],
  ["none", { components: [] }, "data.components: BASE_TYPE_BAD_LENGTH"],
  [
    "a label of 46",
    { components: [label("x".repeat(46), input())] },
    "data.components.0.label: BASE_TYPE_BAD_LENGTH",
  ],
  [
    "one custom_id twice",
    { components: [label("l", input()), label("m", input())] },
    "data.components.1.component.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED",
  ],
  [
    "a button",
    { components: [label("l", { type: 2, style: 1, custom_id: "b", label: "x" })] },
    "data.components.0.component.type: UNION_TYPE_CHOICES",
  ],
  [
    "a preset that is too long",
    { components: [label("l", input({ max_length: 3, value: "four" }))] },
    "data.components.0.component.value: BASE_TYPE_MAX_LENGTH",
  ],
])("opens no form with %s", async (_, form, problem) => {
  const pending = discord.user("ana").slash("jira create");
  expect(problems(await callback(newest(), 9, { custom_id: "f", title: "t", ...form }))).toContain(problem);
  expect(discord.modal("ana")).toBeUndefined();
  await callback(newest(), 5);
  await pending;
});

it("keeps a form open until somebody answers it", async () => {
  const pending = discord.user("ana").slash("jira create");
  await callback(newest(), 9, {
    custom_id: "f",
    title: "t",
    components: [label("Why", input({ value: "because" }))],
  });
  await pending;
  const first = discord.user("ana").submit({});
  clock.advance(3000);
  expect(await first).toMatchObject({ ok: false });
  const second = discord.user("ana").submit({ Why: "so" });
  const submitted = newest();
  expect(submitted.payload.data).toMatchObject({
    custom_id: "f",
    components: [{ type: 18, component: { type: 4, custom_id: "a", value: "so" } }],
  });
  // A form cannot be answered by another form.
  expect(problems(await callback(submitted, 9, {}))).toEqual(["type: BASE_TYPE_CHOICES"]);
  await callback(submitted, 4, { content: "thanks" });
  expect(await second).toMatchObject({ ok: true });
  expect(discord.modal("ana")).toBeUndefined();
});
