import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

import { CountersignError, messageOf } from "../../base/errors.ts";

/** How long each step of the end may take, in ms: input closed, asked to terminate, killed. */
const endSteps = { close: 800, terminate: 1_500, kill: 1_000 };

export interface SpawnOptions {
  command: string[];
  cwd: string;
  env: Record<string, string>;
}

/** A child that leads a process group of its own, so that its descendants end with it. */
export interface ProcessGroup {
  readonly pid: number;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when the child has ended. Never rejects. */
  readonly exited: Promise<void>;
  /** How the child ended, such as `exited with code 1`; nothing while it runs. */
  ending(): string | undefined;
  /** Closes the input, then terminates, then kills the group. False when something survived. */
  end(): Promise<boolean>;
  /** Kills the group at once, for the exit of this process. */
  kill(): void;
}

/** Rejects with code `launch_failed` when the program cannot be started. */
export async function spawnGroup({ command, cwd, env }: SpawnOptions): Promise<ProcessGroup> {
  const [program, ...args] = command;
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
  return toGroup(child);
}

function toGroup(child: ProcessGroup["child"]): ProcessGroup {
  // A child that was spawned has a process id.
  const pid = child.pid ?? Number.NaN;

  let ended: Promise<boolean> | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
      // What the child started must not outlive it.
      signalGroup(pid, "SIGTERM");
    });
  });
  function ending(): string | undefined {
    if (child.exitCode !== null) return `exited with code ${child.exitCode}`;
    return child.signalCode === null ? undefined : `was ended by ${child.signalCode}`;
  }

  async function end(): Promise<boolean> {
    child.stdin.end();
    if (ending() === undefined)
      await Promise.race([exited, delay(endSteps.close, undefined, { ref: false })]);
    if (await gone(pid, 0)) return true;
    signalGroup(pid, "SIGTERM");
    if (await gone(pid, endSteps.terminate)) return true;
    signalGroup(pid, "SIGKILL");
    return gone(pid, endSteps.kill);
  }

  return {
    pid,
    child,
    exited,
    ending,
    end: () => (ended ??= end()),
    kill: () => signalGroup(pid, "SIGKILL"),
  };
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
