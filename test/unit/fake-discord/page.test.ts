import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";

import { commands, startBot } from "./bot.ts";
import type { Bot } from "./bot.ts";
import { request } from "./raw.ts";

let discord: FakeDiscord;
let bot: Bot;

beforeEach(async () => {
  discord = await startFakeDiscord();
  bot = await startBot(discord);
});

afterEach(async () => {
  await bot.stop();
  await discord.close();
});

interface Seen {
  messages: string;
  thread: string;
  modal: { body: string } | null;
  commands: { name: string }[];
  places: { label: string }[];
}

async function see(as: string, place: string, thread = ""): Promise<Seen> {
  const answer = await fetch(
    `${discord.url}/page/state?${new URLSearchParams({ as, place, thread }).toString()}`,
  );
  return (await answer.json()) as Seen;
}

async function act(deed: object): Promise<{ problem?: string; choices?: object[] }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${discord.url}/page/act`, {
    method: "POST",
    headers,
    body: JSON.stringify(deed),
  });
  return (await answer.json()) as Awaited<ReturnType<typeof act>>;
}

it("lets a person ask, press a button, run commands and fill a form", async () => {
  await bot.client.application?.commands.set(commands);
  const place = discord.channel("general").id;
  const ben = discord.user("ben").id;
  await act({ do: "say", as: "ana", place, text: "@Countersign <b>hi</b> @ben" });
  expect(discord.messages("general")[0]?.content).toBe(`<@${discord.app.id}> <b>hi</b> <@${ben}>`);
  const answer = await discord.until(() => discord.messages("general")[1]);
  const { messages } = await see("ana", place);
  expect(messages).toContain("Ben Okafor");
  expect(messages).not.toContain("<b>hi</b>");
  const [, control] = /data-control="(approve)"/.exec(messages) ?? [];
  expect(await act({ do: "click", as: "ben", place, target: answer.id, control })).toEqual({});
  expect(answer.content).toBe("approved by ben");

  expect((await see("ana", place)).commands.map(({ name }) => name)).toEqual([
    "jira show",
    "jira create",
    "jira slow",
  ]);
  const completing = { do: "complete", as: "ana", place, command: "jira show", option: "key", typed: "D" };
  expect((await act(completing)).choices).toEqual([{ name: "D and more", value: "D" }]);
  await act({ do: "slash", as: "ana", place, command: "jira show", values: { key: "DEMO-1" } });
  await discord.until(() => discord.ephemerals("ana").some(({ content }) => content === "This is DEMO-1"));
  expect((await see("ana", place)).messages).toContain("only you can see this");
  expect((await see("ben", place)).messages).not.toContain("This is DEMO-1");

  await act({ do: "slash", as: "ana", place, command: "jira create" });
  expect((await see("ana", place)).modal?.body).toContain("Summary");
  expect(await act({ do: "submit", as: "ana", place, values: { summary: "" } })).toEqual({
    problem: `Discord's form is not sent while "Summary" is empty`,
  });
  expect(await act({ do: "submit", as: "ana", place, values: { summary: "A broken lamp" } })).toEqual({});
  expect((await see("ana", place)).modal).toBeNull();
  await act({ do: "menu", as: "ana", place, command: "Ask Countersign", message: answer.id });
  await discord.until(() => discord.messages("general").at(-1)?.content === 'You mean "approved by ben"');
});

it("shows threads beside their channel, and files with their address", async () => {
  const place = discord.channel("general").id;
  const first = discord.user("ana").say("general", "a lamp");
  const thread = discord.user("ana").startThread(first, "lamps");
  await act({ do: "say", as: "ben", place, thread: thread.id, text: "which one?" });
  const seen = await see("ana", place, thread.id);
  expect(seen.places.map(({ label }) => label)).toContain("lamps");
  expect(seen.thread).toContain("which one?");
  expect(seen.messages).not.toContain("which one?");

  const form = new FormData();
  form.set(
    "payload_json",
    JSON.stringify({ flags: 1 << 15, components: [{ type: 13, file: { url: "attachment://a.csv" } }] }),
  );
  form.set("files[0]", new Blob(["a,b"]), "a.csv");
  await request(discord, "POST", `/channels/${place}/messages`, form);
  const [, href = ""] = /href="(\/attachments\/[^"]+)"/.exec((await see("ana", place)).messages) ?? [];
  expect(await (await fetch(discord.url + href)).text()).toBe("a,b");
});

it("names nothing outside itself and obeys its own host only", async () => {
  const page = await fetch(discord.url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).not.toMatch(/(src|href)="(https?:)?\/\//);
  for (const path of ["/page/client.mjs", "/page/page.css", "/page/discord.css"]) {
    expect((await fetch(discord.url + path)).status).toBe(200);
  }
  const plain = {
    method: "POST",
    body: JSON.stringify({ do: "say", as: "ana", place: "general", text: "x" }),
  };
  expect((await fetch(`${discord.url}/page/act`, plain)).status).toBe(415);
});
