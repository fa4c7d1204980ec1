import { ApplicationCommandOptionType as O, ComponentType as C, MessageFlags } from "discord.js";
import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

import { request } from "./raw.ts";

let discord: FakeDiscord;

beforeEach(async () => {
  discord = await startFakeDiscord();
});

afterEach(async () => {
  await discord.close();
});

const register = (...commands: object[]): ReturnType<typeof request> =>
  request(discord, "PUT", `/applications/${discord.app.id}/commands`, commands);
const post = async (body: object): Promise<Message> => {
  const answer = await request(discord, "POST", `/channels/${discord.channel("general").id}/messages`, body);
  const message = discord.message(String(answer.body.id));
  if (message === undefined) throw new Error(JSON.stringify(answer.body));
  return message;
};
/** The payload of what a person just did; the app answers it with `type`. */
const answered = async (
  deed: Promise<unknown>,
  type = 6,
  data: object = {},
): Promise<Record<string, unknown>> => {
  const interaction = [...discord.world.interactions.values()].at(-1);
  if (interaction === undefined) throw new Error("expected an interaction");
  const path = `/interactions/${interaction.id}/${interaction.token}/callback`;
  expect((await request(discord, "POST", path, { type, data })).status).toBe(204);
  await deed;
  return interaction.payload;
};

it("fills options as Discord's form does, with what they mean resolved", async () => {
  const option = (type: O, name: string, more: object = {}): object => ({
    type,
    name,
    description: "d",
    ...more,
  });
  const kinds = [
    option(O.String, "text", { required: true, max_length: 3 }),
    option(O.Integer, "count", { min_value: 1 }),
    option(O.Boolean, "now"),
    option(O.User, "who"),
    option(O.Role, "group"),
    option(O.Channel, "where"),
    option(O.Attachment, "file"),
    option(O.String, "size", { choices: [{ name: "Large", value: "l" }] }),
  ];
  await register({ name: "make", description: "d", options: kinds });
  const ana = discord.user("ana");
  const file = { name: "a.txt", content: "x" };
  const values = {
    text: "abc",
    count: 2,
    now: true,
    who: "ben",
    group: "leads",
    where: "engineering",
    file,
    size: "Large",
  };
  const { data } = await answered(ana.slash("make", values), 5);
  const [who, where] = [discord.user("ben").id, discord.channel("engineering").id];
  const { options, resolved } = data as {
    options: { name: string; value: unknown }[];
    resolved: Record<string, object>;
  };
  expect(options.map(({ name, value }) => [name, value]).slice(0, 4)).toEqual([
    ["text", "abc"],
    ["count", 2],
    ["now", true],
    ["who", who],
  ]);
  expect(options.at(-1)).toMatchObject({ name: "size", value: "l" });
  expect(Object.keys(resolved)).toEqual(["members", "users", "roles", "channels", "attachments"]);
  expect(resolved.channels).toHaveProperty(where);

  await expect(ana.slash("make", {})).rejects.toThrow('does not send make without "text"');
  await expect(ana.slash("make", { text: "abcd" })).rejects.toThrow("0 to 3 characters");
  await expect(ana.slash("make", { text: "a", count: 0 })).rejects.toThrow("at least 1");
  await expect(ana.slash("make", { text: "a", size: "Small" })).rejects.toThrow('expected one of "Large"');
  await expect(ana.slash("make", { tekst: "a" })).rejects.toThrow('got "tekst"');
  await expect(ana.slash("made")).rejects.toThrow('expected one of the commands "make"');
});

it("offers commands only where and to whom they are meant", async () => {
  await register(
    { name: "here", description: "d", contexts: [0] },
    { name: "admins", description: "d", default_member_permissions: "8" },
  );
  const emi = discord.user("emi");
  await expect(emi.slash("here", {}, "dm")).rejects.toThrow("not offered here");
  await expect(emi.slash("admins")).rejects.toThrow('emi may not use "admins"');
  discord.permit("emi", "general", { deny: ["UseApplicationCommands"] });
  await expect(emi.slash("here")).rejects.toThrow('emi may not use "here"');
  const { context, member } = await answered(discord.user("ana").slash("admins"), 5);
  expect([context, (member as { user: { username: string } }).user.username]).toEqual([0, "ana"]);
});

it("presses buttons and chooses in menus, as far as they can be used", async () => {
  const row = (component: object): object => ({ type: C.ActionRow, components: [component] });
  const message = await post({
    flags: MessageFlags.IsComponentsV2,
    components: [
      {
        type: C.Container,
        components: [
          {
            type: C.Section,
            components: [{ type: C.TextDisplay, content: "x" }],
            accessory: { type: C.Button, style: 1, label: "Go", custom_id: "go" },
          },
          row({ type: C.Button, style: 1, label: "Off", custom_id: "off", disabled: true }),
          row({ type: C.Button, style: 5, label: "Docs", url: "https://example.org/" }),
          row({
            type: C.StringSelect,
            custom_id: "size",
            placeholder: "Size",
            options: [
              { label: "Large", value: "l" },
              { label: "Small", value: "s" },
            ],
          }),
          row({ type: C.UserSelect, custom_id: "who", max_values: 2 }),
        ],
      },
    ],
  });
  const ana = discord.user("ana");
  const go = await answered(ana.click(message, "Go"));
  expect(go).toMatchObject({
    data: { custom_id: "go", component_type: C.Button },
    message: { id: message.id },
  });
  expect((await answered(ana.click(message, "Size", "Small"))).data).toMatchObject({
    custom_id: "size",
    values: ["s"],
  });
  const [ben, emi] = [discord.user("ben").id, discord.user("emi").id];
  const { data } = await answered(ana.click(message, "who", ["ben", "emi"]));
  expect(data).toMatchObject({ values: [ben, emi], resolved: { users: { [ben]: { username: "ben" } } } });
  await expect(ana.click(message, "Off")).rejects.toThrow('"Off" is disabled');
  await expect(ana.click(message, "Docs")).rejects.toThrow("is a link");
  await expect(ana.click(message, "size", "Huge")).rejects.toThrow('"Large", "Small", got "Huge"');
  await expect(ana.click(message, "who", ["ben", "emi", "ana"])).rejects.toThrow("1 to 2 choices, got 3");
  await expect(ana.click(message, "Stop")).rejects.toThrow('"Go", "Off", "Docs", "Size", "who", got "Stop"');
});

it("fills every kind of input of a form", async () => {
  await register({ name: "form", description: "d" });
  const ana = discord.user("ana");
  const label = (text: string, component: object): object => ({ type: C.Label, label: text, component });
  const options = ["a", "b", "c"].map((value) => ({ label: value.toUpperCase(), value }));
  const components = [
    label("One", { type: C.RadioGroup, custom_id: "one", options }),
    label("Some", { type: C.CheckboxGroup, custom_id: "some", options, required: false }),
    label("Sure", { type: C.Checkbox, custom_id: "sure" }),
    label("Files", { type: C.FileUpload, custom_id: "files" }),
    label("Where", { type: C.ChannelSelect, custom_id: "where", required: false }),
  ];
  await answered(ana.slash("form"), 9, { custom_id: "f", title: "Form", components });
  await expect(ana.submit({ Files: [{ name: "a.txt", content: "x" }] })).rejects.toThrow(
    "1 to 1 choices, got 0",
  );
  await expect(ana.submit({ One: "A" })).rejects.toThrow('while "Files" is empty');
  const given = {
    One: "B",
    Some: ["A", "C"],
    Sure: true,
    Files: [{ name: "a.txt", content: "x" }],
    Where: "general",
  };
  const { data } = await answered(ana.submit(given), 4, { content: "thanks" });
  const parts = (data as { components: { component: { value?: unknown; values?: unknown } }[] }).components;
  expect(parts.map(({ component: { value, values } }) => value ?? values)).toEqual([
    "b",
    ["a", "c"],
    true,
    [expect.any(String)],
    [discord.channel("general").id],
  ]);
  const [file = ""] = (parts[3]?.component.values ?? []) as string[];
  expect(data).toMatchObject({
    resolved: {
      attachments: { [file]: { filename: "a.txt" } },
    },
  });
});
