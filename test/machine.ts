import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statfsSync } from "node:fs";

/** Chromium without all that is around a page, where Debian's package of that is there: a fifth less to compute. */
export function browserPath(): string {
  const bare = "/usr/bin/chromium-headless-shell";
  return existsSync(bare) ? bare : "/usr/bin/chromium";
}

/** What some tests need and a machine may lack: how it is tried, and what Debian calls it. */
const PROGRAMS = {
  // As the product uses it: a machine may have it and forbid what it does.
  bubblewrap: ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],
  git: ["git", "--version"],
  "redis-server": ["redis-server", "--version"],
  chromium: [browserPath(), "--version"],
} as const;

export type Program = keyof typeof PROGRAMS;

/** Whether this machine has it. Tests that want what is missing are left out, and the end of the run says so. */
export function has(program: Program): boolean {
  const [command, ...args] = PROGRAMS[program];
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** What is missing here. */
export function missing(): Program[] {
  return (Object.keys(PROGRAMS) as Program[]).filter((program) => !has(program));
}

/** Tests that drive the page: without a browser they are left out as whole files. */
export const PAGE_TESTS: readonly string[] = [
  "test/e2e/playground*.test.ts",
  "test/e2e/mcp-questions-page.test.ts",
];

/** What a run keeps there at its most is a fifth of this. */
const ROOM_BYTES = 4e9;

/**
 * A folder in memory, where this machine has one with room that lets programs run. Each commit of a store waits for
 * its disk, and of the products in one process all wait with it. What a killed process wrote is there as on a disk.
 */
export function inMemory(): string | undefined {
  const folder = "/dev/shm";
  try {
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const options = mounts.map((line) => line.split(" ")).find(([, at]) => at === folder)?.[3];
    if (options === undefined || /\b(?:noexec|ro)\b/.test(options)) return undefined;
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < ROOM_BYTES ? undefined : folder;
  } catch {
    // Of another kind than Linux.
    return undefined;
  }
}
