import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";
import { z } from "zod";

import { programs, servers } from "./scenarios.ts";
import type { Scenario, ServerName } from "./scenarios.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Verdict {
  scenario: Scenario;
  /** Checks of the scenario. */
  passed: number;
  failed: number;
  /** Whether all of its checks pass. */
  ok: boolean;
  /** Whether it is other than expected-failures.yaml says. */
  surprising: boolean;
  /** By check, why it is known to fail. */
  expected: Record<string, string>;
  output: string;
}

const ExpectedFailures = z.array(
  z.strictObject({
    suite: z.string().optional(),
    revision: z.string().optional(),
    leg: z.enum(["client", "server"]),
    scenario: z.string(),
    servers: z.array(z.enum(["jira", "confluence", "kit"])).optional(),
    /** Id of a check to why it fails. */
    checks: z.record(z.string(), z.string().min(20)),
  }),
);

const expectedFailures = ExpectedFailures.parse(
  parse(readFileSync(new URL("expected-failures.yaml", import.meta.url), "utf8")) ?? [],
);

function whyExpected({ suite, leg, revision, name, server }: Scenario): Record<string, string> {
  const found = expectedFailures.find(
    (one) =>
      one.leg === leg &&
      one.scenario === name &&
      (one.suite ?? suite) === suite &&
      (one.revision ?? revision) === revision &&
      (one.servers === undefined || (server !== undefined && one.servers.includes(server))),
  );
  return found?.checks ?? {};
}

/** Runs one scenario in the suite's own process. `serverUrl`: of the server under test. */
export async function runScenario(scenario: Scenario, serverUrl: string): Promise<Verdict> {
  const { suite, leg, revision, name } = scenario;
  const results = await mkdtemp(join(tmpdir(), "conformance-"));
  const subject =
    leg === "client"
      ? ["--command", `"${process.execPath}" test/conformance/client.ts`, "--timeout", "60000"]
      : ["--url", serverUrl, "--output-dir", results];
  const version = leg === "client" || suite !== "0.1.16" ? ["--spec-version", revision] : [];
  const args = [programs[suite], leg, ...subject, "--scenario", name, ...version];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  const counts = /Passed: (\d+)\/\d+, (\d+) failed/.exec(output);
  const [passed, failed] = [Number(counts?.[1] ?? 0), Number(counts?.[2] ?? 1)];
  const expected = whyExpected(scenario);
  const known = Object.keys(expected).toSorted();
  const ok = code === 0 && failed === 0;
  const surprising = known.length === 0 ? !ok : (await failedChecks(results)).join() !== known.join();
  await rm(results, { recursive: true });
  return { scenario, passed, failed, ok, surprising, expected, output };
}

/** Ids of the checks that failed, in order. The suite saves the checks of a run in a folder of their own. */
async function failedChecks(results: string): Promise<string[]> {
  const [run] = await readdir(results);
  if (run === undefined) return [];
  const text = await readFile(join(results, run, "checks.json"), "utf8");
  const checks = z.array(z.object({ id: z.string(), status: z.string() })).parse(JSON.parse(text));
  const failed = checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id);
  return [...new Set(failed)].toSorted();
}

export async function startServer(name: ServerName): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const args = [servers[name], "--transport", "http", "--port", String(port)];
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
