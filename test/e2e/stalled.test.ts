import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { expect, it, vi } from "vitest";

import { startCollector } from "#test/fakes/collector.ts";

import {
  cleanUp,
  freePort,
  jiraOnly,
  type LogLine,
  projectRoot,
  readMetrics,
  say,
  temporaryFolder,
} from "./support.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Says more on standard error than anybody wants to read, and ends: it is started again and again. */
const chatter = ["sh", "-c", "for i in $(seq 60); do printf '%02000d\\n' $i >&2; done"];

it("[ops.logs] [ops.metrics] [ops.tracing] goes on while nobody takes its log, metrics, events and traces, and ends when it is told to", async () => {
  const folder = await temporaryFolder();
  const port = await freePort();
  const { servers, ...config } = jiraOnly() as { servers: object[] };
  const noisy = Array.from({ length: 16 }, (_, n) => ({ name: `noisy${n}`, command: chatter }));
  const file = join(folder, "countersign.json");
  const collector = await startCollector({ hangs: true });
  cleanUp(() => collector.stop());
  const traces = { otlp_url: collector.url };
  await writeFile(file, JSON.stringify({ ...config, traces, servers: [...servers, ...noisy] }));
  const child = spawn(process.execPath, ["countersign.js", "start", "--config", file], {
    cwd: projectRoot,
    env: {
      ...process.env,
      PORT: String(port),
      COUNTERSIGN_DATA: join(folder, "data"),
      OLLAMA_HOST: "http://127.0.0.1:9",
      LOG_LEVEL: "debug",
    },
    // Pipes that are full soon.
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  cleanUp(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const product = { url: `http://127.0.0.1:${port}` };
  const isUp = (): Promise<boolean> =>
    fetch(`${product.url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, { timeout: 60_000 }).toBe(true);

  // Readers who ask and take nothing.
  for (const path of ["/metrics", "/changes", "/metrics"]) {
    const socket = connect(port, "127.0.0.1").pause();
    cleanUp(async () => socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\n\r\n`);
  }
  const dropped = async (): Promise<number> =>
    (await readMetrics(product)).countersign_log_lines_dropped_total ?? 0;
  await expect.poll(dropped, { timeout: 60_000 }).toBeGreaterThan(10);
  const before = await dropped();
  for (const key of ["DEMO-1", "DEMO-2", "DEMO-3"]) {
    const { body } = await say(product, `/jira ${key}`, { session_id: "stalled" });
    expect(body.tool_result).toMatchObject({ ok: true, args: { issue_key: key } });
  }
  expect(await dropped()).toBeGreaterThan(before);
  await expect.poll(() => collector.wire()).toContain('"traceId"');

  // Somebody reads again: what was kept comes in order, whole, and then how much was not.
  const told = Promise.withResolvers<LogLine>();
  const lines: LogLine[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (text) => {
    const line = JSON.parse(text) as LogLine;
    lines.push(line);
    if (String(line.msg).startsWith("lines of the log were dropped")) told.resolve(line);
  });
  expect((await told.promise).lines).toBeGreaterThan(before);
  expect(lines[0]?.msg).toBeTypeOf("string");
  expect(lines.map(({ time }) => String(time))).toEqual(lines.map(({ time }) => String(time)).toSorted());

  // And again nobody: the end waits a moment for them, and not for ever.
  reader.close();
  child.stdout.pause();
  const [was] = [await dropped()];
  await expect.poll(dropped, { timeout: 60_000 }).toBeGreaterThan(was);
  child.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
});
