import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { parse } from "yaml";

import { root } from "./camera.ts";

export interface Product {
  url: string;
  stop(): Promise<void>;
}

/** Nothing answers there, so the pictures show the built-in planner on every machine. */
const NO_MODEL = "http://127.0.0.1:9";

/**
 * The demo as a process of its own on a temporary data folder, with nothing of this shell's accounts and
 * services. `delayMs`: how long the demo's long calls take for each issue, to be seen while they go on.
 */
export async function startDemo(environment: Record<string, string> = {}, delayMs = 0): Promise<Product> {
  const { PATH = "", HOME = "" } = process.env;
  const folder = await mkdtemp(join(tmpdir(), "countersign-pictures-"));
  const config = join(folder, "countersign.json");
  await writeFile(config, JSON.stringify(await demoConfig(delayMs)));
  const child = spawn(process.execPath, ["countersign.js", "start", "--config", config], {
    cwd: root,
    env: {
      PATH,
      HOME,
      PORT: "0",
      COUNTERSIGN_DATA: join(folder, "data"),
      OLLAMA_HOST: NO_MODEL,
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // However this script ends, the demo does not outlive it.
  process.once("exit", () => child.kill());
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  let url = "";
  const lines = createInterface({ input: child.stdout });
  for await (const text of lines) {
    const line = JSON.parse(text) as { url?: string; msg?: string };
    url = line.url ?? url;
    if (line.msg?.startsWith("ready") !== true) continue;
    child.stdout.resume();
    return { url, stop };
  }
  throw new Error("The demo ended before it was ready; its last words are above.");
}

interface DemoConfig {
  servers: { name: string; cwd?: string; env?: Record<string, string> }[];
}

async function demoConfig(delayMs: number): Promise<DemoConfig> {
  const config = parse(await readFile(join(root, "config", "countersign.yaml"), "utf8")) as DemoConfig;
  return {
    ...config,
    servers: config.servers.map((server) => ({
      ...server,
      cwd: root,
      ...(server.name === "jira" ? { env: { ...server.env, JIRA_DEMO_DELAY_MS: String(delayMs) } } : {}),
    })),
  };
}
