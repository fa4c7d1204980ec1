import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { afterEach, expect, it } from "vitest";

import { root, running } from "#test/fakes/mcp-box.ts";

let parent: ChildProcess | undefined;

afterEach(() => {
  parent?.kill("SIGKILL");
});

async function startParent(): Promise<{ parent: ChildProcess; pid: number }> {
  parent = spawn(process.execPath, ["test/fakes/mcp-parent.ts"], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (parent.stdout === null) throw new Error("no stdout");
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  return { parent, pid: (JSON.parse(line) as { pid: number }).pid };
}

/** The server is nobody's child any more, so that no event tells of its end. */
async function ended(pid: number): Promise<void> {
  while (await running(pid)) await new Promise((resolve) => setImmediate(resolve));
}

it("[mcp.launch] servers end with a parent that exits without stopping them", async () => {
  const started = await startParent();
  expect(await running(started.pid)).toBe(true);
  started.parent.stdin?.write("exit\n");
  await ended(started.pid);
});

it("[mcp.launch] servers end with a parent that is killed", async () => {
  const started = await startParent();
  expect(await running(started.pid)).toBe(true);
  started.parent.kill("SIGKILL");
  await ended(started.pid);
});
