import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";

import { problems, request } from "./raw.ts";

let discord: FakeDiscord;

beforeAll(async () => {
  discord = await startFakeDiscord();
});

afterAll(async () => {
  await discord.stop();
});

const post = (body: unknown): Promise<Awaited<ReturnType<typeof request>>> =>
  request(discord, "POST", `/channels/${discord.channel("general").id}/messages`, body);

const V2 = 1 << 15;
const text = (content: string): object => ({ type: 10, content });
const button = (custom_id: string, more: object = {}): object => ({
  type: 2,
  style: 1,
  label: "x",
  custom_id,
  ...more,
});
const row = (...components: object[]): object => ({ type: 1, components });
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const option = (i: number): object => ({ label: `${i}`, value: `${i}` });
const select = (more: object = {}): object => ({
  type: 3,
  custom_id: "s",
  options: many(25, option),
  ...more,
});
const field = { name: "n", value: "v" };

describe("a message", () => {
  it.each<[string, object]>([
    ["2000 characters", { content: "x".repeat(2000) }],
    ["ten embeds of 6000 characters", { embeds: many(10, () => ({ description: "x".repeat(600) })) }],
    ["25 fields", { embeds: [{ fields: many(25, () => field) }] }],
    ["five rows of five buttons", { components: many(5, (r) => row(...many(5, (c) => button(`${r}${c}`)))) }],
    ["a menu of 25", { components: [row(select())] }],
    ["40 components", { flags: V2, components: [{ type: 17, components: many(39, () => text("x")) }] }],
    ["4000 characters of text", { flags: V2, components: [text("x".repeat(3999)), text("x")] }],
    [
      "a section with a button",
      { flags: V2, components: [{ type: 9, components: [text("a")], accessory: button("b") }] },
    ],
    ["a custom_id of 100", { components: [row(button("x".repeat(100)))] }],
    ["a link", { components: [row({ type: 2, style: 5, label: "x", url: "https://example.org/" })] }],
  ])("may have %s", async (_, body) => {
    expect((await post(body)).body).toMatchObject({ author: { id: discord.app.id } });
  });

  it.each<[string, object, string]>([
    ["2001 characters", { content: "x".repeat(2001) }, "content: BASE_TYPE_MAX_LENGTH"],
    ["nothing", { content: " " }, "50006"],
    ["a number as content", { content: 7 }, "content: STRING_TYPE_CONVERT"],
    ["eleven embeds", { embeds: many(11, () => ({ title: "x" })) }, "embeds: BASE_TYPE_MAX_LENGTH"],
    [
      "embeds of 6001 characters",
      { embeds: [{ description: "x".repeat(4000) }, { description: "x".repeat(2001) }] },
      "embeds: MAX_EMBED_SIZE_EXCEEDED",
    ],
    [
      "a description of 4097",
      { embeds: [{ description: "x".repeat(4097) }] },
      "embeds.0.description: BASE_TYPE_MAX_LENGTH",
    ],
    ["a title of 257", { embeds: [{ title: "x".repeat(257) }] }, "embeds.0.title: BASE_TYPE_MAX_LENGTH"],
    ["26 fields", { embeds: [{ fields: many(26, () => field) }] }, "embeds.0.fields: BASE_TYPE_MAX_LENGTH"],
    [
      "a field without a value",
      { embeds: [{ fields: [{ name: "n", value: "" }] }] },
      "embeds.0.fields.0.value: BASE_TYPE_BAD_LENGTH",
    ],
    [
      "a field of 1025",
      { embeds: [{ fields: [{ name: "n", value: "x".repeat(1025) }] }] },
      "embeds.0.fields.0.value: BASE_TYPE_BAD_LENGTH",
    ],
    ["a strange address", { embeds: [{ url: "javascript:1" }] }, "embeds.0.url: URL_TYPE_INVALID_SCHEME"],
    ["six rows", { components: many(6, (i) => row(button(`${i}`))) }, "components: BASE_TYPE_MAX_LENGTH"],
    [
      "six buttons in a row",
      { components: [row(...many(6, (i) => button(`${i}`)))] },
      "components.0.components: BASE_TYPE_BAD_LENGTH",
    ],
    ["an empty row", { components: [row()] }, "components.0.components: BASE_TYPE_BAD_LENGTH"],
    [
      "a button beside a menu",
      { components: [row(select(), button("b"))] },
      "components.0.components: COMPONENT_LAYOUT_WIDTH_EXCEEDED",
    ],
    [
      "a menu of 26",
      { components: [row(select({ options: many(26, option) }))] },
      "components.0.components.0.options: BASE_TYPE_BAD_LENGTH",
    ],
    [
      "an option twice",
      { components: [row(select({ options: [option(1), option(1)] }))] },
      "components.0.components.0.options.1.value: SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
    ],
    [
      "a custom_id of 101",
      { components: [row(button("x".repeat(101)))] },
      "components.0.components.0.custom_id: BASE_TYPE_BAD_LENGTH",
    ],
    [
      "a custom_id twice",
      { components: [row(button("a"), button("a"))] },
      "components.0.components.1.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED",
    ],
    [
      "a button without custom_id",
      { components: [row({ type: 2, style: 1, label: "x" })] },
      "components.0.components.0.custom_id: BASE_TYPE_REQUIRED",
    ],
    [
      "a label of 81",
      { components: [row(button("a", { label: "x".repeat(81) }))] },
      "components.0.components.0.label: BASE_TYPE_MAX_LENGTH",
    ],
    [
      "a button with nothing on it",
      { components: [row({ type: 2, style: 1, custom_id: "a" })] },
      "components.0.components.0: BUTTON_COMPONENT_INVALID_LABEL",
    ],
    [
      "a container without V2",
      { components: [{ type: 17, components: [text("x")] }] },
      "components.0.type: UNION_TYPE_CHOICES",
    ],
    [
      "content with V2",
      { flags: V2, content: "x", components: [text("x")] },
      "content: MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
    ],
    [
      "embeds with V2",
      { flags: V2, embeds: [{ title: "x" }], components: [text("x")] },
      "embeds: MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
    ],
    [
      "41 components",
      { flags: V2, components: [{ type: 17, components: many(40, () => text("x")) }] },
      "components: COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
    ],
    [
      "4001 characters of text",
      { flags: V2, components: [text("x".repeat(4000)), text("x")] },
      "components: COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
    ],
    [
      "a container in a container",
      { flags: V2, components: [{ type: 17, components: [{ type: 17, components: [text("x")] }] }] },
      "components.0.components.0.type: UNION_TYPE_CHOICES",
    ],
    [
      "a section of four texts",
      { flags: V2, components: [{ type: 9, components: many(4, () => text("x")), accessory: button("b") }] },
      "components.0.components: BASE_TYPE_BAD_LENGTH",
    ],
    [
      "a section without accessory",
      { flags: V2, components: [{ type: 9, components: [text("x")] }] },
      "components.0.accessory: BASE_TYPE_REQUIRED",
    ],
    [
      "a file that is not there",
      { flags: V2, components: [{ type: 13, file: { url: "attachment://a.txt" } }] },
      "components.0.file.url: UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
    ],
    [
      "eleven pictures",
      {
        flags: V2,
        components: [{ type: 12, items: many(11, () => ({ media: { url: "https://example.org/" } })) }],
      },
      "components.0.items: BASE_TYPE_BAD_LENGTH",
    ],
    [
      "mentions both ways",
      { content: "x", allowed_mentions: { parse: ["users"], users: ["1"] } },
      "allowed_mentions: MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
    ],
  ])("may not have %s", async (_, body, problem) => {
    const before = discord.messages("general").length;
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(problems(answer)).toContain(problem);
    expect(discord.messages("general")).toHaveLength(before);
    expect(discord.violations.at(-1)).toMatchObject({ kind: "form", where: "POST /channels/:id/messages" });
  });

  it("keeps what Discord ignores as a violation", async () => {
    const body = {
      content: "x",
      colour: 1,
      components: [row(button("a", { confirm: {} }))],
      embeds: [{ titel: "x", title: "y" }],
    };
    expect((await post(body)).status).toBe(200);
    expect(discord.violations.slice(-3)).toEqual(
      ["colour", "embeds.0.titel", "components.0.components.0.confirm"].map((problem) => ({
        kind: "unknown field",
        where: "POST /channels/:id/messages",
        problem,
      })),
    );
  });

  it("becomes V2 for good, and only without what V2 forbids", async () => {
    const { id } = (await post({ content: "x" })).body as { id: string };
    const path = `/channels/${discord.channel("general").id}/messages/${id}`;
    const switched = { flags: V2, components: [text("y")] };
    expect(problems(await request(discord, "PATCH", path, switched))).toContain(
      "content: MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
    );
    expect((await request(discord, "PATCH", path, { ...switched, content: null })).body).toMatchObject({
      flags: V2,
    });
    const back = await request(discord, "PATCH", path, { content: "z", flags: 0, components: [] });
    expect(problems(back)).toContain("content: MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2");
  });

  it("notifies those only whom allowed_mentions lets through", async () => {
    const { ana, ben } = { ana: discord.user("ana").id, ben: discord.user("ben").id };
    const oncall = [...discord.guild().roles.values()].find(({ name }) => name === "oncall")?.id ?? "";
    const content = `<@${ana}> <@${ben}> <@&${oncall}> @everyone`;
    const sent = async (allowed?: object): Promise<unknown> => {
      const { body } = await post(
        allowed === undefined ? { content } : { content, allowed_mentions: allowed },
      );
      const { mentions, mention_roles, mention_everyone } = body as {
        mentions: { id: string }[];
        mention_roles: string[];
        mention_everyone: boolean;
      };
      return [mentions.map(({ id }) => id), mention_roles, mention_everyone];
    };
    // The bot may not mention everyone, so it does not, whatever is allowed.
    expect(await sent()).toEqual([[ana, ben], [oncall], false]);
    expect(await sent({ parse: [] })).toEqual([[], [], false]);
    expect(await sent({ parse: ["roles"], users: [ben] })).toEqual([[ben], [oncall], false]);
  });

  it("is posted once for a nonce that is enforced", async () => {
    const body = { content: "x", nonce: "n-1", enforce_nonce: true };
    const [first, second] = [await post(body), await post(body)];
    expect(second.body.id).toBe(first.body.id);
    expect((await post({ ...body, nonce: "n-2" })).body.id).not.toBe(first.body.id);
  });
});

describe("commands", () => {
  const put = (list: unknown[], guild?: string): ReturnType<typeof request> =>
    request(
      discord,
      "PUT",
      `/applications/${discord.app.id}${guild === undefined ? "" : `/guilds/${guild}`}/commands`,
      list,
    );
  const command = (name: string, more: object = {}): object => ({ name, description: "d", ...more });
  const string = (name: string, more: object = {}): object => ({ type: 3, name, description: "d", ...more });

  it("are overwritten in bulk, keep their ids, and count new names only", async () => {
    const names = many(100, (i) => command(`c${i}`));
    const first = (await put(names)).body as unknown as { id: string }[];
    const second = (await put(names)).body as unknown as { id: string }[];
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    await put(many(100, (i) => command(`d${i}`)));
    expect(discord.commands()).toHaveLength(100);
    expect((await put([command("one-more")])).body).toMatchObject({ code: 30_034 });
    expect(discord.commands()).toHaveLength(100);
    expect((await put([command("here")], discord.guild().id)).status).toBe(200);
    expect(discord.commands("Acme").map(({ name }) => name)).toEqual(["here"]);
  });

  it.each<[string, object[], string]>([
    ["101 of them", many(101, (i) => command(`c${i}`)), ": APPLICATION_COMMANDS_MAX"],
    ["16 in a context menu", many(16, (i) => ({ type: 3, name: `m ${i}` })), ": APPLICATION_COMMANDS_MAX"],
    ["one name twice", [command("a"), command("a")], "1.name: APPLICATION_COMMANDS_DUPLICATE_NAME"],
    ["a name with a space", [command("a b")], "0.name: STRING_TYPE_REGEX"],
    ["a name in capitals", [command("Jira")], "0.name: APPLICATION_COMMAND_INVALID_NAME"],
    ["a name of 33", [command("x".repeat(33))], "0.name: BASE_TYPE_BAD_LENGTH"],
    ["no description", [{ name: "a" }], "0.description: BASE_TYPE_REQUIRED"],
    [
      "a description of 101",
      [command("a", { description: "x".repeat(101) })],
      "0.description: BASE_TYPE_BAD_LENGTH",
    ],
    [
      "a description in a context menu",
      [{ type: 3, name: "a", description: "d" }],
      "0.description: APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_PRESENT",
    ],
    [
      "26 options",
      [command("a", { options: many(26, (i) => string(`o${i}`)) })],
      "0.options: BASE_TYPE_MAX_LENGTH",
    ],
    [
      "a required option after another",
      [command("a", { options: [string("b"), string("c", { required: true })] })],
      "0.options.1: APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
    ],
    [
      "26 choices",
      [
        command("a", {
          options: [string("b", { choices: many(26, (i) => ({ name: `${i}`, value: `${i}` })) })],
        }),
      ],
      "0.options.0.choices: BASE_TYPE_MAX_LENGTH",
    ],
    [
      "choices and autocomplete",
      [
        command("a", {
          options: [string("b", { autocomplete: true, choices: [{ name: "x", value: "x" }] })],
        }),
      ],
      "0.options.0.autocomplete: APPLICATION_COMMAND_OPTIONS_CHOICES_AND_AUTOCOMPLETE",
    ],
    [
      "options beside subcommands",
      [command("a", { options: [{ type: 1, name: "s", description: "d" }, string("b")] })],
      "0.options.0: APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
    ],
    [
      "more than 8000 characters",
      [
        command("a", {
          options: many(4, (i) =>
            string(`o${i}`, {
              choices: many(25, (c) => ({ name: `${c}`.padEnd(100), value: `${c}`.padEnd(100) })),
            }),
          ),
        }),
      ],
      "0: APPLICATION_COMMAND_TOO_LARGE",
    ],
  ])("may not have %s", async (_, list, problem) => {
    const before = discord.commands();
    expect(problems(await put(list))).toContain(problem);
    expect(discord.commands()).toEqual(before);
  });
});
