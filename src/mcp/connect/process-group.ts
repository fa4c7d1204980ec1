import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

import { CountersignError, messageOf } from "../../base/errors.ts";

/** How long each step of the end may take, in ms: input closed, asked to terminate, killed. */
const endSteps = { close: 800, terminate: 1_500, kill: 1_000 };

/** Rejects with code `launch_failed` when the program cannot be started. */
export async function spawnServer({
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
export class ServerProcess {
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
