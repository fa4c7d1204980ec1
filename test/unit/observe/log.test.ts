import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Logger } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { CountersignError } from "#src/base/errors.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createLog } from "#src/observe/log.ts";

let folder: string;
let log: Logger;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "log-"));
  log = await createLog({
    level: "info",
    redactor: createRedactor(["swordfish"]),
    target: { kind: "file", path: join(folder, "logs", "product.log") },
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function lines(): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(folder, "logs", "product.log"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the log", () => {
  it("[ops.logs] is one JSON object a line, with level, time and ids, readable by its owner only", async () => {
    log.info({ turn: "turn_1", ms: 12 }, "turn ran");
    log.debug({}, "not wanted");
    const [line, ...rest] = await lines();
    expect(rest).toEqual([]);
    expect(line).toMatchObject({ level: "info", turn: "turn_1", ms: 12, msg: "turn ran" });
    expect(new Date(String(line?.time)).getTime()).toBeLessThanOrEqual(Date.now());
    expect((await stat(join(folder, "logs", "product.log"))).mode & 0o777).toBe(0o600);
  });

  it("[ops.logs] holds no secret, wherever a careless line puts it", async () => {
    log.info({ api_token: "abc", nested: [{ note: "it is swordfish" }] }, "the word is swordfish");
    log.info("plain swordfish");
    log.info({}, "formatted %s", "swordfish");
    log.warn({ error: new Error("wrong password swordfish") }, "failed");
    log.error(new Error("bare swordfish"));
    log.child({ session: "swordfish" }).info({}, "child");
    const all = await lines();
    expect(all).toHaveLength(6);
    expect(JSON.stringify(all)).not.toContain("swordfish");
    expect(all[0]).toMatchObject({ api_token: "[redacted]", msg: "the word is [redacted]" });
  });

  it("[ops.logs] keeps code, message and stack of an error", async () => {
    log.warn({ error: new CountersignError("store_full", "The disk is full.") }, "failed");
    expect((await lines())[0]).toMatchObject({
      error: { code: "store_full", message: "The disk is full.", stack: expect.stringContaining("log.test") },
    });
  });

  it("[ops.logs] survives what is not JSON: circles, big numbers, functions", async () => {
    const circle: Record<string, unknown> = { name: "loop" };
    circle.self = circle;
    log.info({ circle, big: 10n, fn: () => 1, none: undefined }, "odd");
    expect((await lines())[0]).toMatchObject({ circle: { name: "loop" }, big: "10", msg: "odd" });
  });

  it("[ops.logs] shows the same thing twice when it is given twice", async () => {
    const timings = { totalMs: 5 };
    log.info({ first: timings, second: timings }, "twice");
    expect((await lines())[0]).toMatchObject({ first: { totalMs: 5 }, second: { totalMs: 5 } });
  });
});
