import { spawn } from "node:child_process";
import { join } from "node:path";

import { vi } from "vitest";

import { runCommand } from "#app/command-line.ts";
import { commands } from "#app/commands.ts";

import { projectRoot } from "./support.ts";

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs one command as a person does: in a process of its own, whose environment has these variables too, in the folder `cwd`. */
export function spawnCountersign(
  args: string[],
  env: Record<string, string> = {},
  cwd = projectRoot,
): Promise<Ran> {
  const child = spawn(process.execPath, [join(projectRoot, "countersign.js"), ...args], {
    cwd,
    env: { ...process.env, OLLAMA_HOST: "http://127.0.0.1:9", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran: Ran = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...ran, code }));
  });
}

let before: Promise<unknown> = Promise.resolve();

/** Runs one command in this process, without the cost of a start; one after the other, as all write to one place. */
export function countersign(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  async function run(): Promise<Ran> {
    const ran: Ran = { code: null, stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((chunk) => {
        ran[name] += String(chunk);
        return true;
      }),
    );
    for (const [name, value] of Object.entries({ OLLAMA_HOST: "http://127.0.0.1:9", ...env }))
      vi.stubEnv(name, value);
    try {
      ran.code = await runCommand(args, commands);
    } finally {
      vi.unstubAllEnvs();
      for (const spy of spies) spy.mockRestore();
    }
    return ran;
  }
  const ran = before.then(run);
  before = ran.catch(() => undefined);
  return ran;
}
