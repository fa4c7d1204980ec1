import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it, onTestFinished } from "vitest";

import type { PlatformLine } from "#test/fakes/present-child.ts";

const child = fileURLToPath(new URL("../fakes/present-child.ts", import.meta.url));

async function run(
  folder: string,
  task: "say" | "go-on",
  failPoint = "",
): Promise<NodeJS.Signals | number | null> {
  const platform = join(folder, "platform.jsonl");
  const started = spawn(process.execPath, [child, join(folder, "data"), platform, task], {
    env: { ...process.env, COUNTERSIGN_FAIL_POINT: failPoint },
    stdio: ["ignore", "inherit", "inherit"],
  });
  onTestFinished(() => void started.kill("SIGKILL"));
  const [code, signal] = (await once(started, "exit")) as [number | null, NodeJS.Signals | null];
  return signal ?? code;
}

async function platformOf(folder: string): Promise<PlatformLine[]> {
  const text = await readFile(join(folder, "platform.jsonl"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PlatformLine);
}

it.each([
  // The platform has the message, and the store does not know it.
  ["present.posted", ["post", "find"]],
  // The message is accepted, and nothing was posted.
  ["inbox.after", ["find", "post"]],
])(
  "[turn.recover] after kill -9 at %s the next process shows the turn in one message",
  async (point, first) => {
    const folder = await mkdtemp(join(tmpdir(), "present-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    expect(await run(folder, "say", point)).toBe("SIGKILL");
    expect(await run(folder, "go-on")).toBe(0);

    const lines = await platformOf(folder);
    expect(lines.slice(0, 2).map((line) => line.kind)).toEqual(first);
    const changes = lines.filter((line) => line.kind !== "find");
    expect(changes.filter((line) => line.kind === "post")).toHaveLength(1);
    expect(new Set(changes.map((line) => line.ts)).size).toBe(1);
    expect(changes.at(-1)).toMatchObject({ phase: "done", reply: "Still here." });
  },
);
