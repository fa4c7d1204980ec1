import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

import {
  cleanUp,
  type HostedProduct,
  jiraOnly,
  type ProductOptions,
  type RunningProduct,
  startHosted,
  startProduct,
} from "./support.ts";

/** Anybody of the channel may approve. */
export function channelApproves(more: { delayMs?: number; discord?: object; rules?: object[] } = {}): object {
  const rules = [
    { tools: ["jira.create_issue"], decision: "ask", approvers: ["channel"] },
    {
      tools: ["jira.delete_issue"],
      decision: "ask",
      approvers: ["channel"],
      quorum: 2,
      reason_required: true,
    },
    ...(more.rules ?? []),
  ];
  return {
    ...jiraOnly({ delayMs: more.delayMs ?? 0, policy: { rules } }),
    discord: { token: "${DISCORD_TOKEN}", api_url: "${DISCORD_API_URL}", ...more.discord },
  };
}

/** A Discord that ends with the test, which fails when the product broke a rule that `expected` does not name. */
export async function startDiscord(
  options: FakeDiscordOptions = {},
  expected: readonly RegExp[] = [],
): Promise<FakeDiscord> {
  const discord = await startFakeDiscord(options);
  cleanUp(() => discord.close(...expected));
  return discord;
}

/** The product against this Discord, logged in, in the process that tests share; it ends with the test. */
export function startBot(discord: FakeDiscord, options: ProductOptions = {}): Promise<HostedProduct> {
  return loggedIn(discord, startHosted, options);
}

/** The same in a process of its own, which may be killed. */
export function startOwnBot(discord: FakeDiscord, options: ProductOptions = {}): Promise<RunningProduct> {
  return loggedIn(discord, startProduct, options);
}

async function loggedIn<Product extends HostedProduct>(
  discord: FakeDiscord,
  start: (options: ProductOptions) => Promise<Product>,
  options: ProductOptions,
): Promise<Product> {
  const product = await start({
    config: channelApproves(),
    ...options,
    env: { ...discord.environment, ...options.env },
  });
  await product.line(({ msg }) => msg === "listening to Discord");
  return product;
}

/** The bot's message in the thread of `question`, once it says `words`. */
export async function answerTo(
  discord: FakeDiscord,
  question: Message,
  words: string | RegExp,
): Promise<Message> {
  return discord.until(() => {
    const thread = discord.threadOf(question);
    return thread === undefined
      ? undefined
      : answers(discord, thread.id).find((message) => says(message, words));
  });
}

/** Messages of the bot in a channel or thread. */
export function answers(discord: FakeDiscord, channel: string): Message[] {
  return discord.messages(channel).filter(({ author }) => author === discord.app.id);
}

/** Whether its components hold the words, on buttons as well. */
export function says({ components }: Pick<Message, "components">, words: string | RegExp): boolean {
  const text = JSON.stringify(components);
  return typeof words === "string" ? text.includes(words) : words.test(text);
}

/** Another process against the same Discord: for tests that start several. */
export function discordSettings(more: object = {}): object {
  return { slack: {}, discord: { token: "${DISCORD_TOKEN}", api_url: "${DISCORD_API_URL}", ...more } };
}

/** Somebody asks for a change in a channel; resolves to the message once it shows the card. */
export async function askChange(
  discord: FakeDiscord,
  command: string,
  by = "ana",
  channel = "general",
): Promise<Message> {
  return answerTo(discord, discord.user(by).mention(channel, command), "cs:approve");
}

/** The message shows how it ended, with no button left that decides. */
export function ended(discord: FakeDiscord, card: Message, words: string | RegExp): Promise<unknown> {
  return discord.until(
    () => !/cs:(?:approve|deny|settle)/.test(JSON.stringify(card.components)) && says(card, words),
  );
}

/** What only this person was told, once it says the words. */
export function told(discord: FakeDiscord, name: string, words: string | RegExp): Promise<Message> {
  return discord.until(() => discord.ephemerals(name).findLast((message) => says(message, words)));
}
