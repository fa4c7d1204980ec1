import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { faulty, running, testBox } from "#test/fakes/mcp-box.ts";
import type { TestBox } from "#test/fakes/mcp-box.ts";

let folder: string;
let open: TestBox | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-faults-"));
});

afterEach(async () => {
  await open?.box.stop();
  open = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function start(...args: Parameters<typeof testBox>): Promise<TestBox> {
  open = testBox(...args);
  await open.box.start();
  return open;
}

const kinds = [
  { kind: "fresh", more: {} },
  { kind: "persistent", more: { use_persistent_session: true } },
];

describe.each(kinds)("a call over a $kind connection", ({ more }) => {
  it("[mcp.faults] reports a server that dies in the middle, and works again afterwards", async () => {
    const { call } = await start([faulty("server", [], more)]);

    const outcome = await call("server.die");
    expect(outcome).toMatchObject({ ok: false, error: { code: "transport", sent: "maybe" } });
    expect(outcome.error?.message).toContain("exited with code 7; its last words: out of cheese");
    expect(await call("server.echo", { again: true })).toMatchObject({ ok: true, data: { again: true } });
  });

  it("[mcp.faults] ends a call that hangs at its time limit while others go on", async () => {
    const { call } = await start([faulty("server", [], { ...more, timeout_ms: 1_500 }), faulty("other")]);

    const [hung, echo, other] = await Promise.all([
      call("server.hang"),
      call("server.echo", { a: 1 }),
      call("other.echo", { b: 2 }),
    ]);
    expect(hung.error).toMatchObject({ code: "timeout", sent: "maybe" });
    expect(hung.error?.message).toContain("within 1.5 s");
    expect([echo.data, other.data]).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it("[mcp.faults] reads past garbage on stdout and a flood on stderr", async () => {
    const { call, logged, until } = await start([faulty("server", [], more)]);

    expect(await call("server.garbage")).toMatchObject({ ok: true, data: "after the garbage" });
    expect(await call("server.flood")).toMatchObject({ ok: true, data: "after the flood" });
    // The answer may overtake the noise, which is read to its end and mostly left out.
    await until(() => logged.some((line) => /^\(\d+ more lines left out\)$/.test(String(line.data.line))));
    expect(logged.filter((line) => line.message === "server stderr").length).toBeLessThan(1_000);
  });

  it("ends a stopped call at once, even when the server ignores it", async () => {
    const { call } = await start([faulty("server", ["--stubborn"], more)]);
    const stop = new AbortController();

    const calling = call(
      "server.slow",
      { steps: 1_000 },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    expect(await calling).toMatchObject({ ok: false, error: { code: "cancelled", sent: "maybe" } });
    const late = await call("server.echo", {}, { signal: stop.signal });
    expect(late.error).toMatchObject({ code: "cancelled", sent: "no" });
  });

  it("types every answer that is no result", async () => {
    const { call } = await start([faulty("server", [], more)]);

    const errors = await Promise.all(
      ["fail", "refuse", "bad_output", "no_output", "not_mcp", "big"].map(async (tool) => {
        const { ok, error } = await call(`server.${tool}`);
        return [tool, ok, error?.code, error?.sent, error?.message];
      }),
    );
    expect(errors).toEqual([
      ["fail", false, "tool_error", "yes", "the printer is on fire"],
      [
        "refuse",
        false,
        "protocol",
        "yes",
        expect.stringContaining("this is not how it is done (code -32602)"),
      ],
      ["bad_output", false, "invalid_result", "yes", expect.stringContaining("must be number")],
      ["no_output", false, "invalid_result", "yes", expect.stringContaining("none came")],
      ["not_mcp", false, "protocol", "maybe", expect.stringContaining("not MCP")],
      ["big", false, "too_large", "yes", expect.stringContaining("6 MB; at most 5 MB")],
    ]);
    expect((await call("server.huge")).error).toMatchObject({ code: "too_large", sent: "maybe" });
    expect(await call("server.echo", { alive: 1 })).toEqual({
      ok: true,
      data: { alive: 1 },
      text: '{"alive":1}',
    });
  });
});

describe("a server that is down", () => {
  it("[mcp.faults] fails a call before anything is sent, and keeps the tools for the way back", async () => {
    const { box, call, until } = await start([
      // The first life works; the marker makes every later one fail.
      {
        name: "once",
        command: [
          "sh",
          "-c",
          'if [ -e "$MARK" ]; then exit 9; fi; touch "$MARK"; exec node test/fakes/mcp-fault.ts',
        ],
        env: { MARK: join(folder, "lived") },
        use_persistent_session: true,
      },
    ]);
    const tools = box.tools().length;

    await call("once.die");
    await until(() => box.servers()[0]?.status === "retrying");
    const outcome = await call("once.echo");
    expect(outcome.error).toMatchObject({ code: "server_down", sent: "no" });
    expect(outcome.error?.message).toContain("exited with code 9");
    expect(box.tools()).toHaveLength(tools);
  });
});

it("tells the server that a call was stopped", async () => {
  const { call } = await start([faulty("server", [], { use_persistent_session: true })]);
  const stop = new AbortController();

  const calling = call(
    "server.slow",
    { steps: 1_000 },
    { signal: stop.signal, onProgress: () => stop.abort() },
  );
  expect((await calling).error?.code).toBe("cancelled");
  expect((await call("server.cancelled")).data).toEqual([1]);
});

describe("the end", () => {
  it("[mcp.launch] ends a stubborn server and its descendants", async () => {
    const { box, call, logged } = await start([
      faulty("server", ["--stubborn"], { use_persistent_session: true }),
    ]);

    const { data } = await call("server.grandchild");
    const { pid, grandchild } = data as { pid: number; grandchild: number };
    expect([await running(pid), await running(grandchild)]).toEqual([true, true]);
    await box.stop();
    expect([await running(pid), await running(grandchild)]).toEqual([false, false]);
    expect(logged.filter((line) => line.level === "error")).toEqual([]);
    expect(box.servers()[0]?.status).toBe("stopped");
  });

  it("[mcp.launch] ends what a dead server left behind", async () => {
    const { box, call } = await start([faulty("server", [], { use_persistent_session: true })]);

    const { data } = await call("server.grandchild");
    const { grandchild } = data as { grandchild: number };
    await call("server.die");
    await box.stop();
    expect(await running(grandchild)).toBe(false);
  });

  it("cancels nothing silently: a call that is under way when the box stops gets an error", async () => {
    const { box, call } = await start([faulty("server", [], { use_persistent_session: true })]);

    const calling = call("server.hang");
    await box.stop();
    expect((await calling).error).toMatchObject({ code: "transport" });
  });
});
