import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { writeCounterConfig } from "#test/chaos/config.ts";
import { startProcess } from "#test/chaos/process.ts";
import { type FakeSlack, startFakeSlack } from "#test/fakes/slack/slack.ts";
import { acme, type TeamSeed } from "#test/fakes/slack/world.ts";

import { statusMb } from "./memory.ts";
import type { Places } from "./places.ts";
import { round, type Row, timeAll } from "./table.ts";

const TURNS = 300;
const AT_ONCE = 32;
const WARM_UP = 40;
const PATIENCE_MS = 60_000;

const bareBot = fileURLToPath(new URL("./bare-slack-bot.ts", import.meta.url));

/**
 * From a mention to the last edit of its answer over Socket Mode, on a Slack of its own that limits
 * nothing. Planning and the tool take no time, so what remains is receiving, the durable turn and the
 * calls of Slack. The first row is a bot on the same libraries that keeps nothing and posts once.
 */
export async function benchSlackTurn(places: Places): Promise<Row[]> {
  const rows: Row[] = [await bare()];
  for (const kind of ["embedded", "postgres"] as const) {
    const slack = await startFakeSlack({ teams: [manyChannels()] });
    const folder = await places.folder();
    const databaseUrl = kind === "postgres" ? await places.database() : "";
    const config = await writeCounterConfig({ folder, owner: "bench", databaseUrl });
    await addSlack(config, slack);
    const product = startProcess({ config, dataDir: join(folder, "data") });
    try {
      if (!(await product.ready)) throw new Error(product.tail().join("\n"));
      await slack.until(() => slack.connections.length > 0);
      const plain = (at: number): string => `hello ${at}`;
      const tool = (at: number): string => `/counter instant r${at}`;
      await measure(slack, "warm-up", WARM_UP, tool);
      const reply = await measure(slack, `${kind}, plain reply`, TURNS, plain);
      const called = await measure(slack, `${kind}, tool turn`, TURNS, tool);
      rows.push(reply, { ...called, figures: { ...called.figures, "peak MB": round(await statusMb(product.pid, "VmHWM")) } });
    } finally {
      await product.kill();
      await slack.stop();
    }
  }
  return rows;
}

async function bare(): Promise<Row> {
  const slack = await startFakeSlack({ teams: [manyChannels()] });
  const { spawn } = await import("node:child_process");
  const bot = spawn(process.execPath, [bareBot], {
    env: { PATH: process.env.PATH, ...slack.environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    await slack.until(() => slack.connections.length > 0);
    await measure(slack, "warm-up", WARM_UP, (at) => `hello ${at}`);
    const row = await measure(slack, "a bot that keeps nothing", TURNS, (at) => `hello ${at}`);
    return { ...row, figures: { ...row.figures, "peak MB": round(await statusMb(bot.pid ?? 0, "VmHWM")) } };
  } finally {
    bot.kill("SIGKILL");
    await slack.stop();
  }
}

/** A channel for each turn: in one channel Slack takes a message a second, and the product keeps to it. */
function manyChannels(): TeamSeed {
  const channels = Array.from({ length: TURNS }, (_, at) => [roomOf(at), {}] as const);
  return { ...acme, channels: { ...acme.channels, ...Object.fromEntries(channels) } };
}

/** The fake fills ids up with zeros, so that names must not end in one. */
function roomOf(at: number): string {
  return `room-${at}x`;
}

async function addSlack(config: string, slack: FakeSlack): Promise<void> {
  const document = JSON.parse(await readFile(config, "utf8")) as object;
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_API_URL } = slack.environment;
  const section = { bot_token: SLACK_BOT_TOKEN, app_token: SLACK_APP_TOKEN, api_url: SLACK_API_URL };
  await writeFile(config, JSON.stringify({ ...document, slack: section }));
}

/** Mentions the bot so many times, each in a channel of its own, and waits for each last edit. */
async function measure(
  slack: FakeSlack,
  what: string,
  count: number,
  text: (at: number) => string,
): Promise<Row> {
  const person = slack.user("ana");
  const before = slack.calls.length;
  const figures = await timeAll(
    Array.from({ length: count }, (_, at) => at),
    AT_ONCE,
    async (at) => {
      const { ts } = person.mention(roomOf(at), text(at));
      const until = performance.now() + PATIENCE_MS;
      while (!isAnswered(slack, ts)) {
        if (performance.now() > until) throw new Error(`no answer to ${text(at)}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
  );
  const calls = slack.calls.slice(before).filter(({ method }) => method.startsWith("chat."));
  return { what, figures: { ...figures, "calls per turn": Math.round((calls.length / count) * 100) / 100 } };
}

/** The bot's message in the thread says how the turn ended. */
function isAnswered(slack: FakeSlack, ts: string): boolean {
  const answer = slack.thread(ts).find((message) => message.bot_id !== undefined);
  return answer !== undefined && /keeps nothing|Planned by|counter\.instant/.test(JSON.stringify(answer));
}
