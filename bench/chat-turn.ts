import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { writeCounterConfig } from "#test/chaos/config.ts";
import { startProcess } from "#test/chaos/process.ts";

import { processorMs } from "./growth.ts";
import { statusMb } from "./memory.ts";
import type { Places } from "./places.ts";
import { round, type Row, timeAll } from "./table.ts";

const AT_ONCE = 32;
const WARM_UP = 40;
const LOOK_EVERY_MS = 2;
const PATIENCE_MS = 60_000;

/** So many channels the platform has: in one alone it takes a message a second, and the product keeps to it. */
export const ROOMS = 300;

/** A chat platform of the bench's own that limits nothing. */
export interface Platform {
  /** The section of the configuration, by its name. */
  section: Record<string, object>;
  /** What a bot that keeps nothing is started with. */
  environment: NodeJS.ProcessEnv;
  connected(): Promise<unknown>;
  /** Mentions the bot in the channel of this number; the answer tells whether the bot has answered for good. */
  mention(at: number, text: string): () => boolean;
  /** Messages that were posted and edited so far. */
  calls(): number;
  stop(): Promise<void>;
}

/**
 * From a mention to the last edit of its answer. Planning and the tool take no time, so what remains is
 * receiving, the durable turn and the platform's calls. The first row is a bot on the same libraries that
 * keeps nothing and posts once.
 */
export async function benchChatTurn(
  places: Places,
  start: () => Promise<Platform>,
  bareBot: string,
): Promise<Row[]> {
  const rows: Row[] = [await bare(start, bareBot)];
  for (const kind of ["embedded", "postgres"] as const) {
    const platform = await start();
    const folder = await places.folder();
    const databaseUrl = kind === "postgres" ? await places.database() : "";
    const config = await writeCounterConfig({ folder, owner: "bench", databaseUrl });
    const document = JSON.parse(await readFile(config, "utf8")) as object;
    await writeFile(config, JSON.stringify({ ...document, ...platform.section }));
    // As `npm start` does.
    const nodeArguments = ["--max-semi-space-size=4"];
    const product = startProcess({ config, dataDir: join(folder, "data"), nodeArguments });
    try {
      if (!(await product.ready)) throw new Error(product.tail().join("\n"));
      await platform.connected();
      const tool = (at: number): string => `/counter instant r${at}`;
      const { pid } = product;
      await measure(platform, pid, "warm-up", WARM_UP, tool);
      rows.push(await measure(platform, pid, `${kind}, plain reply`, ROOMS, (at) => `hello ${at}`));
      rows.push(await withPeak(await measure(platform, pid, `${kind}, tool turn`, ROOMS, tool), pid));
    } finally {
      await product.kill();
      await platform.stop();
    }
  }
  return rows;
}

async function bare(start: () => Promise<Platform>, script: string): Promise<Row> {
  const platform = await start();
  const bot = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    env: { PATH: process.env.PATH, ...platform.environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    await platform.connected();
    const hello = (at: number): string => `hello ${at}`;
    const { pid = 0 } = bot;
    await measure(platform, pid, "warm-up", WARM_UP, hello);
    return await withPeak(await measure(platform, pid, "a bot that keeps nothing", ROOMS, hello), pid);
  } finally {
    bot.kill("SIGKILL");
    await platform.stop();
  }
}

async function measure(
  platform: Platform,
  pid: number,
  what: string,
  count: number,
  text: (at: number) => string,
): Promise<Row> {
  const before = platform.calls();
  const begun = await processorMs(pid);
  const rooms = Array.from({ length: count }, (_, at) => at);
  const figures = await timeAll(rooms, AT_ONCE, async (at) => {
    const isAnswered = platform.mention(at, text(at));
    const until = performance.now() + PATIENCE_MS;
    while (!isAnswered()) {
      if (performance.now() > until) throw new Error(`no answer to ${text(at)}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  });
  const processor = ((await processorMs(pid)) - begun) / count;
  const calls = (platform.calls() - before) / count;
  return { what, figures: { ...figures, "processor ms": round(processor), "calls per turn": round(calls) } };
}

async function withPeak(row: Row, pid: number): Promise<Row> {
  return { ...row, figures: { ...row.figures, "peak MB": round(await statusMb(pid, "VmHWM")) } };
}

/** What only a last message has: of the bare bot, and of the product, whose menu comes with the answer. */
export const LAST_WORDS: RegExp = /keeps nothing|cs:menu/;
