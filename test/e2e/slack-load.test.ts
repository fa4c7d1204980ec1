import { expect, it } from "vitest";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";
import { acme } from "#test/fakes/slack/world.ts";

import { deskConfig } from "./slack-desk.ts";
import { answers, says, startOwnBot, startSlackWorkspace } from "./slack-support.ts";
import { temporaryFolder } from "./support.ts";

/** `npm run slack:load` has the full numbers, with Slack's documented limits. */
const isFull = process.env.LOAD === "full";
const CHANNELS = isFull ? 50 : 6;
const TURNS = isFull ? 300 : 18;
const PATIENCE_MS = isFull ? 600_000 : 60_000;

/** Without the full numbers stricter than Slack's, so that they are met all the same. */
const limits = isFull
  ? "real"
  : ({
      "chat.postMessage": { perMinute: 60, burst: 2, per: "channel" },
      "chat.update": { perMinute: 60, burst: 8, per: "team" },
    } as const);

const channels = Array.from({ length: CHANNELS }, (_, index) => `load${index}x`);

it(
  `[slack.progress] ends ${TURNS} turns in ${CHANNELS} channels within Slack's limits`,
  { timeout: PATIENCE_MS + 60_000 },
  async () => {
    const slack = await startSlackWorkspace({
      teams: [{ ...acme, channels: Object.fromEntries(channels.map((name) => [name, {}])) }],
      rateLimits: limits,
    });
    await startOwnBot(slack, { config: deskConfig(await temporaryFolder()) });

    const begun = performance.now();
    const questions = Array.from({ length: TURNS }, (_, index) => {
      const mark = `mark-${index}-end`;
      const channel = channels[index % CHANNELS] ?? "";
      // Some are over at once, some after their status was posted.
      const ms = (index % 5) * (isFull ? 300 : 150);
      return {
        mark,
        question: slack.user("ana").mention(channel, `/desk wait ms=${ms} mark=${mark}`),
        endedMs: 0,
      };
    });
    await slack.until(() => {
      for (const one of questions) {
        if (one.endedMs === 0 && isOver(slack, one)) one.endedMs = performance.now() - begun;
      }
      return questions.every(({ endedMs }) => endedMs > 0);
    }, PATIENCE_MS);

    for (const { question } of questions) expect(answers(slack, question)).toHaveLength(1);
    const limited = slack.calls.filter(({ error }) => error === "ratelimited").length;
    // What was met was learnt from: not more is refused than is taken.
    expect(limited).toBeLessThan(TURNS);
    const times = questions.map(({ endedMs }) => Math.round(endedMs)).toSorted((a, b) => a - b);
    const calls = Object.entries(Object.groupBy(slack.calls, ({ method }) => method)).map(
      ([method, made]) => `${method} ${made?.length ?? 0}`,
    );
    if (isFull) {
      process.stdout.write(
        `${TURNS} turns in ${CHANNELS} channels: p50 ${times[TURNS >> 1]} ms, p99 ${times[Math.floor(TURNS * 0.99)]} ms, last ${times.at(-1)} ms; 429: ${limited}; ${calls.join(", ")}\n`,
      );
    }
  },
);

function isOver(slack: FakeSlack, { question, mark }: { question: Message; mark: string }): boolean {
  return answers(slack, question).some(
    ({ blocks }) => says(blocks, mark) && says(blocks, "cs:menu") && !says(blocks, "cs:stop"),
  );
}
