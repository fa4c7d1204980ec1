import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { oneLine } from "../../base/text.ts";
import { SECOND_MS } from "../../base/time.ts";
import type { McpServerConfig } from "../config.ts";
import type { McpLog } from "../ports.ts";
import { type ServerProcess, spawnServer } from "./process-group.ts";
import { sandboxed } from "./sandbox.ts";

/** A launched server, and its last words for error messages. */
export interface LaunchedServer {
  process: ServerProcess;
  /** How it ended and what it said last, once it has ended by itself. */
  ending(): string | undefined;
  end(): Promise<void>;
}

export interface Launcher {
  /** Starts the command of a server. With `captureOutput` its stdout goes to the log as well. */
  launch(config: McpServerConfig, options: LaunchOptions): Promise<LaunchedServer>;
  stop(): Promise<void>;
}

export interface LaunchOptions {
  captureOutput: boolean;
  /** Hears the last line of whatever it writes to its standard error, and with `captureOutput` to its output. */
  onOutput?: ((line: string) => void) | undefined;
}

export interface LauncherOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  log: McpLog;
}

export function createLauncher(options: LauncherOptions): Launcher {
  const live = new Set<LaunchedServer>();
  let stopped = false;

  // The last resort, for a parent that exits without stopping. A killed parent closes the
  // children's input, which ends a stdio server.
  function killAll(): void {
    for (const launched of live) launched.process.kill();
  }

  const launch: Launcher["launch"] = async (config, { captureOutput, onOutput }) => {
    const cwd = resolve(options.cwd, config.cwd ?? ".");
    const env = childEnvironment(options.env, config.env);
    const { command: plain = [], sandbox } = config;
    const command = sandbox === undefined ? plain : sandboxed(plain, { config: sandbox, cwd, env });
    const server = await spawnServer({ command, cwd, env });
    const about = { server: config.name, pid: server.pid };
    const { stderr, stdout } = server.child;
    const errors = logLines(stderr, (line) => options.log.info({ ...about, line }, "server stderr"));
    if (captureOutput) logLines(stdout, (line) => options.log.debug({ ...about, line }, "server stdout"));
    if (onOutput !== undefined) {
      for (const stream of captureOutput ? [stderr, stdout] : [stderr])
        stream.on("data", (chunk: string) => onOutput(lastLine(chunk)));
    }

    const launched: LaunchedServer = {
      process: server,
      ending() {
        const how = server.ending();
        const words = errors.tail().slice(-4).join(" | ");
        return how === undefined || words === "" ? how : `${how}; its last words: ${words.slice(0, 600)}`;
      },
      async end() {
        const isClean = await server.end();
        live.delete(launched);
        if (live.size === 0) process.off("exit", killAll);
        if (!isClean) options.log.error(about, "server could not be ended: some of its processes survive");
      },
    };
    if (live.size === 0) process.on("exit", killAll);
    live.add(launched);
    options.log.debug({ ...about, command: config.command }, "server launched");
    if (stopped) {
      await launched.end();
      throw new Error("the tool box was stopped");
    }
    return launched;
  };

  return {
    launch,
    async stop() {
      stopped = true;
      await Promise.all([...live].map((launched) => launched.end()));
    },
  };
}

const inherited = ["PATH", "HOME", "LANG", "TZ", "TERM", "USER", "TMPDIR", "COUNTERSIGN_DATA"];

/**
 * What a launched server sees: a short list of harmless names from the parent, and what the
 * configuration gives it. Tokens of the parent never pass by default.
 */
export function childEnvironment(
  parent: NodeJS.ProcessEnv,
  configured: Record<string, string> = {},
): Record<string, string> {
  const passed = inherited.flatMap((name) =>
    parent[name] === undefined ? [] : [[name, parent[name]] as const],
  );
  return { ...Object.fromEntries(passed), ...configured };
}

/** What a person would read there last: bars of progress overwrite their line, and colour it. */
function lastLine(chunk: string): string {
  const lines = stripVTControlCharacters(chunk.slice(-longestLine)).split(/[\r\n]/);
  return oneLine(lines.findLast((line) => line.trim() !== "") ?? "", 200);
}

const burst = 40;
const perSecond = 10;
const longestLine = 2_000;
const remembered = 12;

/**
 * Reads a stream to its end and hands its lines on, at most 40 at once and 10 a second; what is
 * over is counted and named later. It never stops reading, so a talkative server cannot block.
 * `tail` returns the last lines, for the message of a server that died.
 */
export function logLines(stream: Readable, write: (line: string) => void): { tail(): string[] } {
  let last: string[] = [];
  let partial = "";
  let tokens = burst;
  let refilledAt = Date.now();
  let dropped = 0;
  let reporting: NodeJS.Timeout | undefined;

  function reportDropped(): void {
    clearTimeout(reporting);
    reporting = undefined;
    if (dropped === 0) return;
    write(`(${dropped} more lines left out)`);
    dropped = 0;
  }

  function take(raw: string): void {
    const line = raw.length > longestLine ? `${raw.slice(0, longestLine)}…` : raw.trimEnd();
    if (line === "") return;
    last = [...last, line].slice(-remembered);
    const now = Date.now();
    tokens = Math.min(burst, tokens + ((now - refilledAt) / SECOND_MS) * perSecond);
    refilledAt = now;
    if (tokens < 1) {
      dropped += 1;
      // Nothing may follow that would carry the count.
      reporting ??= setTimeout(reportDropped, SECOND_MS).unref();
      return;
    }
    reportDropped();
    tokens -= 1;
    write(line);
  }

  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (partial + chunk).split("\n");
    partial = lines.pop() ?? "";
    // A line without an end must not grow for ever.
    if (partial.length > longestLine * 4) {
      take(partial);
      partial = "";
    }
    for (const line of lines) take(line);
  });
  stream.on("error", () => {});
  stream.on("close", () => {
    take(partial);
    partial = "";
    reportDropped();
  });
  return { tail: () => last };
}
