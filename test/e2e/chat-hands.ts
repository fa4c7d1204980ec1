import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message as DiscordMessage } from "#test/fakes/discord/types.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message as SlackMessage } from "#test/fakes/slack/types.ts";

import { answerTo as discordAnswer, says as discordSays } from "./discord-support.ts";
import { answerTo as slackAnswer, says as slackSays } from "./slack-support.ts";

/** What people do on a chat platform, in words that fit each of them; messages stay as the platform changes them. */
export interface ChatHands<Message> {
  platform: "slack" | "discord";
  /** Mentions the bot in `general`; resolves to its answer once it holds the words. */
  ask(who: string, text: string, words: string): Promise<Message>;
  /** Says something in the thread of an answer. */
  reply(who: string, message: Message, text: string): Promise<void>;
  /** A command of the product itself, such as `accounts`. */
  own(who: string, word: string): Promise<void>;
  press(who: string, message: Message, label: string): Promise<void>;
  /** Fills the open form and sends it. */
  fill(who: string, values: Record<string, string>): Promise<void>;
  hasForm(who: string): boolean;
  /** Whether the open form holds the words, where the person types. */
  formHolds(who: string, words: string): boolean;
  /** What one person alone was shown, newest last. */
  alone(who: string): Message[];
  /** All that stands in it, buttons with their ids as well. */
  read(message: Message): string;
  /** Whether it holds the words, as the platform writes them. */
  holds(message: Message, words: string): boolean;
  /** Names of the files beside the answer to the last question, oldest first. */
  files(message: Message): string[];
  until<Found>(find: () => Found | undefined | false): Promise<Found>;
}

export function slackHands(slack: FakeSlack): ChatHands<SlackMessage> {
  return {
    platform: "slack",
    ask: (who, text, words) => slackAnswer(slack, slack.user(who).mention("general", text), words),
    async reply(who, message, text) {
      slack.user(who).mention(message, text);
    },
    async own(who, word) {
      await slack.user(who).command("/countersign", word, "general");
    },
    async press(who, message, label) {
      await slack.user(who).click(message.ts, label);
    },
    async fill(who, values) {
      const form = await slack.until(() => slack.modal(who));
      await slack.user(who).submit(form, values);
    },
    hasForm: (who) => slack.modal(who) !== undefined,
    formHolds: (who, words) => slackSays(slack.modal(who)?.blocks ?? [], words),
    alone: (who) => slack.ephemerals(who),
    read: ({ text, blocks }) => JSON.stringify([text, blocks ?? []]),
    holds: ({ text, blocks }, words) => slackSays([text, blocks ?? []], words),
    files: ({ thread_ts: thread }) =>
      slack
        .files()
        .filter((file) => file.thread === thread)
        .map(({ name }) => name),
    until: (find) => slack.until(find),
  };
}

export function discordHands(discord: FakeDiscord): ChatHands<DiscordMessage> {
  return {
    platform: "discord",
    ask: (who, text, words) => discordAnswer(discord, discord.user(who).mention("general", text), words),
    async reply(who, message, text) {
      discord.user(who).mention(message, text);
    },
    async own(who, word) {
      await discord.until(() => discord.commands().length > 0);
      await discord.user(who).slash(`countersign ${word}`, {}, "general");
    },
    async press(who, message, label) {
      await discord.user(who).click(message, label);
    },
    async fill(who, values) {
      await discord.until(() => discord.modal(who));
      await discord.user(who).submit(values);
    },
    hasForm: (who) => discord.modal(who) !== undefined,
    formHolds: (who, words) => JSON.stringify(discord.modal(who) ?? null).includes(words),
    alone: (who) => discord.ephemerals(who),
    read: ({ components }) => JSON.stringify(components),
    holds: (message, words) => discordSays(message, words),
    files: ({ attachments }) => attachments.map(({ filename }) => filename),
    until: (find) => discord.until(find),
  };
}
