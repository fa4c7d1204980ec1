import { expect } from "vitest";

import { startOwnBot, startSlackWorkspace } from "#test/e2e/slack-support.ts";
import { cleanUpAll } from "#test/e2e/support.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";

import { contractConfig, holds, PATIENCE_MS } from "./product.ts";
import { run } from "./running.ts";
import { type Read, readBlocks } from "./slack-text.ts";
import type { Said, Surface } from "./surface.ts";

const settings = {
  slack: {
    bot_token: "${SLACK_BOT_TOKEN}",
    app_token: "${SLACK_APP_TOKEN}",
    api_url: "${SLACK_API_URL}",
  },
};

/** Slack over Socket Mode: mentions in a channel, answered in their threads. */
export const slackSurface: Surface = {
  name: "Slack",
  has: ["redelivery", "people", "forms"],
  async open() {
    const slack = await startSlackWorkspace();
    const running = await run(
      async (options) => {
        const before = slack.connections.length;
        const product = await startOwnBot(slack, options);
        // It is ready without Slack as well, which it goes on trying to reach.
        await slack.until(() => slack.connections.slice(before).some(({ open }) => open), PATIENCE_MS);
        return product;
      },
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
        if (times > 1) slack.duplicate(times);
        const question = slack.user(who).mention(root ?? "general", text);
        slack.calm();
        const said = saidOf(slack, question);
        questions.set(said, question);
        return said;
      },
      async redeliver(said) {
        const ts = questions.get(said)?.ts;
        const sent = slack.deliveries.find(({ payload }) => {
          const { event } = payload as { event?: { type: string; ts: string } };
          return event?.type === "app_mention" && event.ts === ts;
        });
        expect(await slack.replay(sent?.eventId ?? "")).toMatchObject({ ok: true });
      },
      // Sees to it that every message, edit and window was of a form that Slack takes.
      close: cleanUpAll,
    };
  },
};

function saidOf(slack: FakeSlack, question: Message): Said {
  const root = question.thread_ts ?? question.ts;
  const isBot = ({ bot_id }: Message): boolean => bot_id !== undefined;
  const all = (): Message[] => slack.thread(root).filter(isBot);
  const mine = (): Message[] => all().filter(({ ts }) => ts > question.ts);
  const nameOf = (id: string): string => slack.world.users.get(id)?.name ?? id;
  const read = (message: Message): Read => readBlocks(message, nameOf);
  const text = (): string =>
    mine()
      .map((message) => read(message).text)
      .join("\n");
  const withButton = (action: string): Message | undefined =>
    mine().findLast(({ blocks }) => JSON.stringify(blocks).includes(`"cs:${action}`));
  const until = <T>(find: () => T): Promise<Exclude<T, undefined | null | false>> =>
    slack.until(find, PATIENCE_MS);
  const press = async (who: string, action: string): Promise<void> => {
    const { ts } = await until(() => withButton(action));
    expect(await slack.user(who).click(ts, `cs:${action}`)).toMatchObject({ ok: true });
  };
  const fill = async (who: string, values: Record<string, string>): Promise<void> => {
    const form = await until(() => slack.modal(who));
    expect(await slack.user(who).submit(form, values)).toMatchObject({ result: "closed" });
  };
  return {
    text,
    live: async () => mine().flatMap((message) => read(message).live),
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
      const { ts } = await until(() => withButton("approve"));
      const clicks = people.map((who) => slack.user(who).click(ts, "cs:approve"));
      for (const outcome of await Promise.all(clicks)) expect(outcome).toMatchObject({ ok: true });
    },
    async deny(who, reason) {
      await press(who, "deny");
      await fill(who, { Reason: reason });
    },
    told: async (who, words) =>
      void (await until(() =>
        slack
          .ephemerals(who)
          .filter(({ thread_ts }) => thread_ts === root)
          .some((message) => holds(`${message.text}\n${read(message).text}`, words)),
      )),
    stop: (who) => press(who, "stop"),
    async fill(who, values) {
      await press(who, "fill_in");
      await fill(who, values);
    },
    async whole() {
      const files = await until(() => {
        const found = slack.files().filter(({ thread }) => thread === root);
        return found.length > 0 && found;
      });
      return [text(), ...files.map(({ content }) => String(content))].join("\n");
    },
  };
}
