import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import type { CallOutcome } from "#contract/tool.ts";
import { faulty, root, testBox } from "#test/fakes/mcp-box.ts";
import type { TestBox } from "#test/fakes/mcp-box.ts";

import { cleanUp, cleanUpAll } from "./support.ts";

let open: TestBox | undefined;
let url: string;

beforeAll(async () => {
  const child = spawn(process.execPath, ["test/fakes/mcp-fault-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
});

afterAll(cleanUpAll);

afterEach(async () => {
  await open?.box.stop();
  open = undefined;
});

async function start(...args: Parameters<typeof testBox>): Promise<TestBox> {
  open = testBox(...args);
  await open.box.start();
  return open;
}

function how({ ok, error }: CallOutcome): string {
  return ok ? "ok" : `${error?.code} ${error?.sent}`;
}

const kinds = [
  { kind: "fresh", more: {} },
  { kind: "persistent", more: { use_persistent_session: true } },
];

describe.each(kinds)("over a $kind connection", ({ more }) => {
  it("[mcp.faults] ends every fault over a pipe in its typed error, while another server answers", async () => {
    const { call } = await start([
      faulty("server", [], { ...more, timeout_ms: 1_000 }),
      faulty("other", [], { use_persistent_session: true }),
    ]);
    const expected = {
      half: "timeout maybe",
      wrong_id: "timeout maybe",
      twice: "ok",
      loris: "timeout maybe",
      die: "transport maybe",
    };
    for (const [tool, wanted] of Object.entries(expected)) {
      const [outcome, other] = await Promise.all([call(`server.${tool}`), call("other.echo", { tool })]);
      expect(`${tool}: ${how(outcome)}`).toBe(`${tool}: ${wanted}`);
      expect(other.data).toEqual({ tool });
    }
    // Started anew within its time limit, which a busy machine may exceed once.
    await vi.waitFor(
      async () =>
        expect(await call("server.echo", { again: 1 })).toMatchObject({ ok: true, data: { again: 1 } }),
      { timeout: 20_000 },
    );
  });

  it("[mcp.faults] ends every fault over HTTP in its typed error, while another server answers", async () => {
    const { call } = await start([
      { name: "server", url, ...more, timeout_ms: 1_000 },
      faulty("other", [], { use_persistent_session: true }),
    ]);
    const expected = {
      not_found: "protocol maybe",
      unauthorized: "protocol maybe",
      forbidden: "protocol maybe",
      broken: "transport maybe",
      silent: "timeout maybe",
      silent_stream: "timeout maybe",
      loris: "timeout maybe",
      cut: "transport maybe",
      cut_at_once: "transport maybe",
      garbage: "protocol maybe",
      wrong_type: "protocol maybe",
      wrong_id: "timeout maybe",
      twice: "ok",
    };
    const outcomes: Record<string, string> = {};
    for (const tool of Object.keys(expected)) {
      const [outcome, other] = await Promise.all([call(`server.${tool}`), call("other.echo", { tool })]);
      outcomes[tool] = how(outcome);
      expect(other.data).toEqual({ tool });
    }
    expect(outcomes).toEqual(expected);
    expect(how(await call("server.echo"))).toBe("ok");
  });

  it("[mcp.faults] reads no answer without an end to its end", async () => {
    const { call } = await start([faulty("pipe", [], more), { name: "http", url, ...more }]);
    expect(how(await call("pipe.endless"))).toBe("too_large maybe");
    expect(how(await call("http.gigabyte"))).toBe("too_large maybe");
    expect((await call("pipe.echo", { again: 1 })).data).toEqual({ again: 1 });
    expect(how(await call("http.echo"))).toBe("ok");
  });

  it("[mcp.faults] ends a call that goes on reporting progress at its total limit", async () => {
    const { call } = await start([faulty("server", [], { ...more, timeout_ms: 500, total_timeout_ms: 900 })]);
    const { error } = await call("server.slow", { steps: 10_000 });
    expect(error).toMatchObject({ code: "timeout", sent: "maybe" });
    expect(error?.message).toContain("did not end within 0.9 s");
  });
});

describe("a list of tools", () => {
  it("[mcp.faults] may have 10,000 of them", async () => {
    const { box, call } = await start([faulty("server", ["--many"], { use_persistent_session: true })]);
    expect(box.tools().length).toBeGreaterThan(10_000);
    expect((await call("server.echo", { a: 1 })).data).toEqual({ a: 1 });
  });

  it.each([
    ["--endless", "1000 pages"],
    ["--heavy", "32 MB"],
  ])("[mcp.faults] that never ends (%s) takes the server down and nothing else", async (flag, what) => {
    const { box, until } = await start([faulty("server", [flag]), faulty("other")], {
      discoveryTimeoutMs: 30_000,
      retry: { minMs: 60_000, maxMs: 60_000 },
    });
    await until(() => box.servers()[0]?.status === "retrying" && box.servers()[1]?.status === "up");
    expect(box.servers()[0]?.error).toContain(`expected an end of tools/list, got more than ${what}`);
  });

  it("[mcp.faults] that changed since it was read ends a call of what is gone in a typed error", async () => {
    const { box, call, until } = await start([
      faulty("server", ["--fickle"], { use_persistent_session: true }),
    ]);
    expect(box.find("server.only_in_1")).toBeDefined();
    expect(how(await call("server.only_in_1"))).toBe("protocol yes");
    await until(() => box.find("server.only_in_1") === undefined);
    expect(box.find("server.only_in_2")).toBeDefined();
  });
});

it("[mcp.faults] opens the circuit of a server that keeps failing, and closes it later", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mcp-circuit-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const mark = join(folder, "works");
  const script = 'if [ -e "$MARK" ]; then exec node test/fakes/mcp-fault.ts; fi; exit 9';
  const { box, until, call } = await start(
    [{ name: "server", command: ["sh", "-c", script], env: { MARK: mark } }, faulty("other")],
    { retry: { minMs: 1, maxMs: 200 } },
  );
  const status = () => box.servers()[0];
  await until(() => status()?.circuit?.state === "open");
  expect(status()).toMatchObject({
    status: "retrying",
    error: expect.stringContaining("exited with code 9"),
  });
  expect(status()?.circuit?.failures).toBeGreaterThanOrEqual(5);
  expect(status()?.circuit?.retryAt).toBeTypeOf("number");
  expect((await call("other.echo", { a: 1 })).data).toEqual({ a: 1 });

  await writeFile(mark, "");
  await until(() => status()?.status === "up");
  expect(status()?.circuit).toBeUndefined();
});
