import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

import { CountersignError, messageOf } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { SECOND_MS } from "../../base/time.ts";
import type { McpServerConfig } from "../config.ts";
import type { McpLog } from "../ports.ts";
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

/** How long each step of the end may take, in ms: input closed, asked to terminate, killed. */
const endSteps = { close: 800, terminate: 1_500, kill: 1_000 };

/** Rejects with code `launch_failed` when the program cannot be started. */
async function spawnServer({
  command: [program, ...args],
  cwd,
  env,
}: {
  command: string[];
  cwd: string;
  env: Record<string, string>;
}): Promise<ServerProcess> {
  if (program === undefined)
    throw new CountersignError("launch_failed", "expected a command, got an empty list");
  // Without this check a missing folder is reported as a missing program.
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CountersignError("launch_failed", `the folder ${cwd} (cwd) does not exist`);
  }
  const child = spawn(program === "node" ? process.execPath : program, args, {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {});
  child.on("error", () => {});
  await once(child, "spawn").catch((cause: unknown) => {
    throw new CountersignError("launch_failed", `could not start ${program}: ${messageOf(cause)}`, { cause });
  });
  return new ServerProcess(child);
}

/** A launched server: a child that leads a process group of its own, so that its descendants end with it. */
class ServerProcess {
  readonly pid: number;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when the child has ended. Never rejects. */
  readonly exited: Promise<void>;
  #isAsked = false;
  #ended: Promise<boolean> | undefined;

  constructor(child: ServerProcess["child"]) {
    // A child that was spawned has a process id.
    const pid = child.pid ?? Number.NaN;
    this.pid = pid;
    this.child = child;
    this.exited = new Promise((resolve) => {
      child.once("exit", () => {
        resolve();
        // What the child started must not outlive it.
        signalGroup(pid, "SIGTERM");
      });
    });
  }

  hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** How the child ended, such as `exited with code 1`. Undefined while it runs, and after a clean end that was asked for. */
  ending(): string | undefined {
    const { exitCode, signalCode } = this.child;
    const isClean = signalCode !== null || exitCode === 0;
    if (!this.hasEnded() || (this.#isAsked && isClean)) return undefined;
    return exitCode === null ? `ended without warning (${signalCode})` : `exited with code ${exitCode}`;
  }

  /** Closes the input, then terminates, then kills the group. Resolves to false when something survived. */
  end(): Promise<boolean> {
    this.#isAsked ||= !this.hasEnded();
    return (this.#ended ??= this.#end());
  }

  async #end(): Promise<boolean> {
    const { pid } = this;
    this.child.stdin.end();
    if (!this.hasEnded()) await Promise.race([this.exited, delay(endSteps.close, undefined, { ref: false })]);
    if (await gone(pid, 0)) return true;
    signalGroup(pid, "SIGTERM");
    if (await gone(pid, endSteps.terminate)) return true;
    this.kill();
    return gone(pid, endSteps.kill);
  }

  /** Kills the group at once, for the exit of this process. */
  kill(): void {
    signalGroup(this.pid, "SIGKILL");
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left to hear it.
  }
}

async function gone(pid: number, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  while (hasMembers(pid)) {
    if (Date.now() >= until) return false;
    await delay(25);
  }
  return true;
}

/**
 * Whether anything of a group still runs. In a container without a reaping init dead descendants
 * stay as zombies and answer signals; on Linux /proc tells them apart.
 */
function hasMembers(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((entry) => /^\d+$/.test(entry) && isLivingMember(entry, pgid));
}

function isLivingMember(pid: string, pgid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold anything; state, parent and group follow the last bracket.
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(group) === pgid && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
