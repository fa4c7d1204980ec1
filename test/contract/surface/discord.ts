import { expect } from "vitest";

import { startOwnBot } from "#test/e2e/discord-support.ts";
import { cleanUpAll } from "#test/e2e/support.ts";
import { type FakeDiscord, startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Channel, Message } from "#test/fakes/discord/types.ts";

import { readMarkup } from "./discord-text.ts";
import { contractConfig, holds, PATIENCE_MS } from "./product.ts";
import { run } from "./running.ts";
import type { Read } from "./slack-text.ts";
import type { Said, Surface } from "./surface.ts";

const settings = { discord: { token: "${DISCORD_TOKEN}", api_url: "${DISCORD_API_URL}" } };

/** Discord over the gateway: mentions in a channel, answered in threads of their own. */
export const discordSurface: Surface = {
  name: "Discord",
  has: ["redelivery", "people", "forms"],
  async open() {
    const discord = await startFakeDiscord();
    const running = await run(
      (options) => startOwnBot(discord, options),
      (folder) => contractConfig(folder, [], settings),
    );
    const questions = new WeakMap<Said, Message>();
    const { effects, kill, restart, stop } = running;
    return {
      effects,
      kill,
      restart,
      stop,
      async say(who, text, { in: before, times = 1 } = {}) {
        const root = before === undefined ? undefined : questions.get(before);
        discord.gateway.duplicate(times);
        const place = root === undefined ? "general" : placeOf(discord, root).id;
        const question = discord.user(who).mention(place, text);
        discord.gateway.calm();
        const said = saidOf(discord, question);
        questions.set(said, question);
        return said;
      },
      async redeliver(said) {
        discord.gateway.replay("MESSAGE_CREATE", questions.get(said)?.id ?? "");
      },
      async close() {
        await cleanUpAll();
        // Throws where something that was sent broke a rule of Discord's.
        await discord.close();
      },
    };
  },
};

/** The thread that a message stands in or that hangs on it. */
function placeOf(discord: FakeDiscord, question: Message): Channel {
  return discord.threadOf(question) ?? discord.channel(question.channel);
}

function saidOf(discord: FakeDiscord, question: Message): Said {
  const all = (): Message[] =>
    discord.messages(placeOf(discord, question)).filter(({ author }) => author === discord.app.id);
  const mine = (): Message[] => all().filter(({ id }) => BigInt(id) > BigInt(question.id));
  const nameOf = (id: string): string => discord.world.users.get(id)?.name ?? id;
  const read = (message: Message): Read => readMarkup(discord.textOf(message), nameOf);
  const text = (): string =>
    mine()
      .map((message) => read(message).text)
      .join("\n");
  const withButton = (action: string): Message | undefined =>
    mine().findLast(({ components }) => idOf(components, action) !== undefined);
  const until = <T>(find: () => T): Promise<Exclude<T, undefined | null | false>> =>
    discord.until(find, PATIENCE_MS);
  const press = async (who: string, action: string): Promise<void> => {
    const message = await until(() => withButton(action));
    const button = idOf(message.components, action) ?? "";
    expect(await discord.user(who).click(message, button)).toMatchObject({ ok: true });
  };
  const submit = async (who: string, values: Record<string, string>): Promise<void> => {
    expect(await discord.user(who).submit(values)).toMatchObject({ ok: true });
  };
  return {
    text,
    async live() {
      const notified = mine().flatMap(({ mentions, mentionRoles, mentionEveryone }) => [
        ...mentions.map((id) => `notifies @${nameOf(id)}`),
        ...mentionRoles,
        ...(mentionEveryone ? ["notifies everyone"] : []),
      ]);
      return [...notified, ...mine().flatMap((message) => read(message).live)];
    },
    answers: () => all().length,
    until: async (words) => void (await until(() => holds(text(), words))),
    waits: async () => void (await until(() => withButton("approve"))),
    isOver: async () =>
      void (await until(
        () =>
          mine().length > 0 &&
          ["stop", "approve", "deny"].every((action) => withButton(action) === undefined),
      )),
    async approve(...people) {
      const message = await until(() => withButton("approve"));
      const button = idOf(message.components, "approve") ?? "";
      const clicks = people.map((who) => discord.user(who).click(message, button));
      for (const outcome of await Promise.all(clicks)) expect(outcome).toMatchObject({ ok: true });
    },
    async deny(who, reason) {
      await press(who, "deny");
      await submit(who, { Reason: reason });
    },
    told: async (who, words) =>
      void (await until(() =>
        discord
          .ephemerals(who)
          .filter(({ channel }) => channel === placeOf(discord, question).id)
          .some((message) => holds(read(message).text, words)),
      )),
    stop: (who) => press(who, "stop"),
    async fill(who, values) {
      await press(who, "fill_in");
      await submit(who, values);
    },
    async whole() {
      const files = mine().flatMap(({ attachments }) => attachments);
      if (files.length > 0) return files.map(({ content }) => String(content)).join("\n");
      // What is shown fits the message, and all of the data stands behind a button, page by page.
      const before = discord.ephemerals("chloe").length;
      await press("chloe", "menu");
      const menu = await until(() => discord.ephemerals("chloe")[before]);
      await discord.user("chloe").click(menu, "Show JSON");
      const window = await until(() => discord.ephemerals("chloe")[before + 1]);
      const last = Number(/Page 1 of (\d+)/.exec(read(window).text)?.[1] ?? 1);
      const pages = [read(window).text];
      for (let page = 2; page <= last; page += 1) {
        await discord.user("chloe").click(window, "Next →");
        await until(() => read(window).text.includes(`Page ${page} of ${last}`));
        pages.push(read(window).text);
      }
      return pages.join("\n");
    },
  };
}

/** The custom_id of the button that does this. */
function idOf(components: unknown, action: string): string | undefined {
  return new RegExp(`"custom_id":"(cs:${action}\\b[^"]*)"`).exec(JSON.stringify(components))?.[1];
}
