import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";
import { z } from "zod";

import { programs } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Verdict {
  scenario: Scenario;
  /** Checks of the scenario. */
  passed: number;
  failed: number;
  ok: boolean;
  /** Why it is known to fail, from expected-failures.yaml. */
  expected?: string;
  output: string;
}

const ExpectedFailures = z.array(
  z.strictObject({
    suite: z.string().optional(),
    revision: z.string().optional(),
    leg: z.enum(["client", "server"]),
    scenario: z.string(),
    reason: z.string().min(20),
  }),
);

const expectedFailures = ExpectedFailures.parse(
  parse(readFileSync(new URL("expected-failures.yaml", import.meta.url), "utf8")) ?? [],
);

export function whyExpected({ suite, leg, revision, name }: Scenario): string | undefined {
  return expectedFailures.find(
    (one) =>
      one.leg === leg &&
      one.scenario === name &&
      (one.suite ?? suite) === suite &&
      (one.revision ?? revision) === revision,
  )?.reason;
}

/** Runs one scenario in the suite's own process. `serverUrl`: of the bundled server under test. */
export async function runScenario(scenario: Scenario, serverUrl: string): Promise<Verdict> {
  const { suite, leg, revision, name } = scenario;
  const subject =
    leg === "client"
      ? ["--command", `"${process.execPath}" test/conformance/client.ts`]
      : ["--url", serverUrl];
  const version = leg === "client" || suite !== "0.1.16" ? ["--spec-version", revision] : [];
  const args = [programs[suite], leg, ...subject, "--scenario", name, ...version];
  const limit = leg === "client" ? ["--timeout", "60000"] : [];
  const child = spawn(process.execPath, [...args, ...limit], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  const counts = /Passed: (\d+)\/\d+, (\d+) failed/.exec(output);
  const [passed, failed] = [Number(counts?.[1] ?? 0), Number(counts?.[2] ?? 1)];
  const expected = whyExpected(scenario);
  const ok = code === 0 && failed === 0;
  return { scenario, passed, failed, ok, output, ...(expected === undefined ? {} : { expected }) };
}

export async function startBundled(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const args = ["servers/jira/main.ts", "--transport", "http", "--port", String(port)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  // It says on stderr where it listens.
  await Promise.race([once(child.stderr, "data"), ended]);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
