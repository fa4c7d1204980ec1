import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const source = new URL("../../../src/", import.meta.url);

/** Passes the named points in order in a process of its own; what it printed after each, and how it ended. */
async function pass(
  wanted: string | undefined,
  names: string[],
): Promise<{ passed: string[]; signal: string | null }> {
  const script = `import { createFailPoint } from ${JSON.stringify(fileURLToPath(new URL("base/fail-point.ts", source)))};
    import { writeSync } from "node:fs";
    const failPoint = createFailPoint(process.env);
    for (const name of ${JSON.stringify(names)}) { failPoint(name); writeSync(1, name + "\\n"); }`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    env: { ...process.env, ...(wanted === undefined ? {} : { COUNTERSIGN_FAIL_POINT: wanted }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return { passed: text.split("\n").slice(0, -1), signal };
}

describe("a fail point", () => {
  it("[turn.recover] does nothing unless it is asked for", async () => {
    expect(await pass(undefined, ["plan.before"])).toEqual({ passed: ["plan.before"], signal: null });
    expect(await pass("", ["plan.before"])).toEqual({ passed: ["plan.before"], signal: null });
  });

  it("[turn.recover] kills the process there, as a power cut would", async () => {
    expect(await pass("plan.after", ["plan.before", "plan.after", "end.after"])).toEqual({
      passed: ["plan.before"],
      signal: "SIGKILL",
    });
  });

  it("[turn.recover] kills it at the time that is asked for", async () => {
    const names = ["send.after", "send.after", "send.after"];
    expect(await pass("send.after:2", names)).toEqual({ passed: ["send.after"], signal: "SIGKILL" });
  });

  it("[turn.recover] stands at every place that has a name", async () => {
    const declared = await readFile(new URL("base/fail-point.ts", source), "utf8");
    const names = [...declared.matchAll(/^ {2}\| "([a-z.]+)"/gm)].map(([, name]) => name ?? "");
    expect(names.length).toBeGreaterThan(5);
    const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith(".ts"));
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, source), "utf8")));
    const placed = new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/(?:failPoint|points\.push)\(\s*"([a-z.]+)"/g)].map(([, name]) => name),
      ),
    );
    expect(names.filter((name) => !placed.has(name))).toEqual([]);
  });
});
