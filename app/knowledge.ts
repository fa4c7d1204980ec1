import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

import { childEnvironment } from "#src/mcp/connect/launcher.ts";
import type { Settings } from "#src/settings/load.ts";

import { knowledgeEnvironment } from "./settings.ts";

const root: string = fileURLToPath(new URL("../", import.meta.url));

const KILL_MS = 5_000;
/** The longest that a timer may take. */
const MOST_MS = 2 ** 31 - 1;

/** The bundled servers whose accounts the sources are read with. */
const ACCOUNTS = /servers\/(?:jira|confluence)\/main\.ts$/;

interface IndexingLog {
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
}

/** Launches the service of the knowledge server, with one of its commands and at least this environment. */
export function launchKnowledge(
  settings: Settings,
  args: string[],
  env: NodeJS.ProcessEnv,
): ChildProcessByStdio<Writable, Readable, Readable> {
  const { git_protocols: protocols, git_tokens: tokens } = settings.knowledge;
  const accounts = settings.servers.filter(({ command = [] }) => command.some((part) => ACCOUNTS.test(part)));
  return spawn(
    process.execPath,
    ["--max-semi-space-size=4", `${root}servers/knowledge/service/main.ts`, ...args],
    {
      // Its end tells the service that this process is gone, however it ended.
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...env,
        ...knowledgeEnvironment(settings, root),
        ...(Object.assign({}, ...accounts.map(({ env }) => env)) as Record<string, string>),
        KNOWLEDGE_GIT_PROTOCOLS: protocols.join(","),
        KNOWLEDGE_GIT_TOKENS: JSON.stringify(tokens),
        COUNTERSIGN_DATA: settings.data_dir,
        KNOWLEDGE_ENDS_WITH_STDIN: "1",
      },
    },
  );
}

/**
 * Indexes the configured sources beside the product: some time after its start, and then again as configured. Where none
 * are left, those of before are removed from the index.
 */
export function startIndexing(
  settings: Settings,
  log: IndexingLog,
  env: NodeJS.ProcessEnv,
): { stop(): Promise<void> } {
  const { sources, after, every, store_url: database, llamaindex_url: existing } = settings.knowledge;
  const isIndexed = database !== "" || existsSync(join(settings.data_dir, "knowledge", "index.db"));
  if (existing !== "" || (sources.length === 0 && !isIndexed)) return { stop: async () => {} };
  let child: ReturnType<typeof launchKnowledge> | undefined;
  const args = sources.length === 0 ? ["ingest", "--withdrawn"] : ["ingest"];
  let isOver = false;
  let timer = setTimeout(run, Math.min(after, MOST_MS));
  timer.unref();

  function run(): void {
    const running = launchKnowledge(settings, args, childEnvironment(env));
    child = running;
    createInterface({ input: running.stdout }).on("line", (line) => log.info({}, `indexed ${line}`));
    createInterface({ input: running.stderr }).on("line", (line) => log.warn({}, `not indexed: ${line}`));
    running.on("error", (error) => log.warn({ error }, "the sources of knowledge cannot be indexed"));
    // Comes after a start that failed as well.
    running.once("close", () => {
      child = undefined;
      if (isOver || sources.length === 0) return;
      timer = setTimeout(run, Math.min(every, MOST_MS));
      timer.unref();
    });
  }

  return {
    async stop() {
      isOver = true;
      clearTimeout(timer);
      if (child === undefined) return;
      const stopping = child;
      const ended = once(stopping, "close");
      const last = setTimeout(() => stopping.kill("SIGKILL"), KILL_MS);
      stopping.kill("SIGTERM");
      await ended;
      clearTimeout(last);
    },
  };
}
