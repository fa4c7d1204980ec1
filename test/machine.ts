import { spawnSync } from "node:child_process";

/** What some tests need and a machine may lack: how it is tried, and what Debian calls it. */
const PROGRAMS = {
  // As the product uses it: a machine may have it and forbid what it does.
  bubblewrap: ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"],
  git: ["git", "--version"],
  "redis-server": ["redis-server", "--version"],
  chromium: ["/usr/bin/chromium", "--version"],
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
