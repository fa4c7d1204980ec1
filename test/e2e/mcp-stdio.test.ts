import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { CallProgress } from "#contract/tool.ts";
import type { NegotiatedProtocol } from "#src/mcp/ports.ts";
import { everything, faulty, late, running, testBox } from "#test/fakes/mcp-box.ts";
import type { TestBox } from "#test/fakes/mcp-box.ts";

let folder: string;
let open: TestBox | undefined;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "mcp-stdio-")));
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

describe("servers that nobody here wrote", () => {
  it("[mcp.launch] lists and calls the everything and filesystem servers from configuration alone", async () => {
    await writeFile(join(folder, "note.txt"), "remember the milk");
    const { box, call } = await start([
      everything("everything"),
      {
        name: "files",
        command: ["node", "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", folder],
        trust_annotations: true,
      },
    ]);

    expect(box.servers()).toEqual([
      { name: "everything", status: "up", tools: 15 },
      { name: "files", status: "up", tools: 14 },
    ]);
    expect(await call("everything.get-sum", { a: 2, b: 40 })).toEqual({
      ok: true,
      data: "The sum of 2 and 40 is 42.",
    });
    expect(await call("everything.get-structured-content", { location: "New York" })).toMatchObject({
      ok: true,
      data: { temperature: 33, conditions: "Cloudy", humidity: 82 },
    });
    expect(await call("everything.get-tiny-image")).toMatchObject({
      ok: true,
      data: { attachments: [{ type: "image", mime_type: "image/png", bytes: 4033 }] },
    });
    expect(await call("files.read_text_file", { path: join(folder, "note.txt") })).toMatchObject({
      ok: true,
      data: { content: "remember the milk" },
    });
    expect(await call("files.read_text_file", { path: "/etc/passwd" })).toMatchObject({
      ok: false,
      error: { code: "tool_error", sent: "yes", message: expect.stringContaining("Access denied") },
    });
    expect(box.find("files.read_text_file")).toMatchObject({
      trusted: true,
      annotations: { readOnlyHint: true },
    });
    expect(box.find("everything.echo")).toMatchObject({
      trusted: false,
      serverTitle: "Everything Reference Server",
    });
  });

  it("hands an allow-listed environment and the configured names to a server, and no token", async () => {
    const env = {
      ...process.env,
      SLACK_BOT_TOKEN: "xoxb-secret",
      TZ: "Europe/Oslo",
      COUNTERSIGN_DATA: "/data",
    };
    const { call } = await start([everything("everything", { env: { GREETING: "hello" } })], { env });

    const { data } = await call("everything.get-env");
    expect(Object.keys(data as object)).not.toContain("SLACK_BOT_TOKEN");
    expect(JSON.stringify(data)).not.toContain("xoxb-secret");
    expect(data).toMatchObject({ GREETING: "hello", TZ: "Europe/Oslo", COUNTERSIGN_DATA: "/data" });
    expect(Object.keys(data as object).filter((name) => /^(npm_|VITEST|NODE_)/.test(name))).toEqual([]);
  });
});

describe("discovery", () => {
  it("[mcp.discovery] merges all servers with the built-in ping, sorted, over every page", async () => {
    const { box, call } = await start([faulty("zebra", ["--paged"]), faulty("apple")]);

    const ids = box.tools().map((tool) => tool.id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids.filter((id) => id.startsWith("zebra."))).toHaveLength(30);
    expect(ids.filter((id) => id.startsWith("apple."))).toHaveLength(30);
    expect(await call("ping")).toMatchObject({ ok: true, data: { pong: true } });
  });

  it("[mcp.discovery] starts without a server that is down, reports it, and takes it in when it comes up", async () => {
    const script = join(folder, "late.ts");
    const { box, call, until } = await start([faulty("good"), { name: "late", command: ["node", script] }]);

    expect(box.servers()).toMatchObject([
      { name: "good", status: "up" },
      { name: "late", status: "retrying", tools: 0, error: expect.stringContaining("exited with code 1") },
    ]);
    expect((await call("good.echo", { a: 1 })).data).toEqual({ a: 1 });

    await writeFile(
      script,
      `await import(${JSON.stringify(new URL("../fakes/mcp-fault.ts", import.meta.url).href)});`,
    );
    await until(() => box.servers()[1]?.status === "up");
    expect(box.servers()[1]).toEqual({ name: "late", status: "up", tools: 30 });
    expect((await call("late.echo", { b: 2 })).data).toEqual({ b: 2 });
  });

  it("[mcp.discovery] names the missing program, the missing folder and the last words of a crash", async () => {
    const { box } = await start([
      { name: "program", command: ["no-such-program"] },
      faulty("folder", [], { cwd: "no/such/folder" }),
      faulty("crash", ["--crash-at-start"]),
    ]);

    expect(box.servers()[0]?.error).toContain("could not start no-such-program");
    expect(box.servers()[1]?.error).toContain("no/such/folder (cwd) does not exist");
    expect(box.servers()[2]?.error).toContain("exited with code 3; its last words: cannot open the database");
  });

  it("[mcp.discovery] gives up on a silent server after the time for discovery", async () => {
    const { box, until } = await start([
      faulty("silent", ["--silent"], { start_timeout_ms: 1_000 }),
      faulty("good"),
    ]);

    expect(box.servers()[0]).toMatchObject({
      name: "silent",
      status: "retrying",
      error: "silent could not be reached within 1 s.",
    });
    await until(() => box.servers()[1]?.status === "up");
  });

  it("[mcp.discovery] picks up a changed list of a persistent server", async () => {
    const { box, call, until } = await start([faulty("growing", [], { use_persistent_session: true })]);

    expect(box.find("growing.added")).toBeUndefined();
    await call("growing.add_tool");
    await until(() => box.find("growing.added") !== undefined);
    expect(box.servers()[0]?.tools).toBe(31);
  });

  it("[mcp.start] waits for a server that is being downloaded, as long as it says something, and starts it once", async () => {
    const starts = join(folder, "starts");
    const env = { START_FILE: join(folder, "start"), STARTS_FILE: starts };
    open = testBox([late(env, { start_timeout_ms: 2_000 }), faulty("other")]);
    const { box, call, until } = open;

    await box.start(300);
    expect(box.servers()[0]).toMatchObject({ name: "late", status: "starting", tools: 0 });
    await until(() => /^Downloading part (4[5-9]|[5-9]\d)/.test(box.servers()[0]?.doing ?? ""));
    expect(box.servers()).toMatchObject([{ status: "starting" }, { status: "up" }]);
    await writeFile(env.START_FILE, "");
    await until(() => box.servers()[0]?.status === "up");

    // It took longer than its limit, and then a probe of seconds: the process that was asked is the one that answered.
    expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(1);
    expect(box.servers()[0]).toEqual({ name: "late", status: "up", tools: 1 });
    expect(await call("late.pid")).toMatchObject({ ok: true });
  });

  it("[mcp.start] gives a server up that says nothing, and says how long it had", async () => {
    const env = { START_FILE: join(folder, "never"), QUIET: "yes" };
    const { box } = await start([late(env, { start_timeout_ms: 300 })]);

    expect(box.servers()[0]).toMatchObject({
      status: "retrying",
      error: "late could not be reached within 0.3 s.",
    });
  });

  it("[mcp.start] shakes hands with a fresh process where the first kept silent, and asks the next no more", async () => {
    const starts = join(folder, "starts");
    const kept = new Map<string, NegotiatedProtocol>();
    const protocols = {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: NegotiatedProtocol) => kept.set(key, value),
      delete: async (key: string) => kept.delete(key),
    };
    const silent = late({ STARTS_FILE: starts }, { start_timeout_ms: 2_000 }, "silent");
    const first = await start([silent], { protocols });
    expect(first.box.servers()[0]).toMatchObject({ status: "up", tools: 1 });
    expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(2);
    await first.box.stop();

    const { call } = await start([{ ...silent, start_timeout_ms: 30_000 }], { protocols });
    expect(await call("late.pid")).toMatchObject({ ok: true });
    expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(4);
  });

  it("connects to an old server that dies of being asked for its revision", async () => {
    const { box, call } = await start([faulty("old", ["--die-on-probe"])]);

    expect(box.servers()[0]?.status).toBe("up");
    expect((await call("old.echo", { a: 1 })).data).toEqual({ a: 1 });
  });
});

describe("names", () => {
  it("[mcp.duplicates] warns once, lets the last server win the bare name, and reaches both by id", async () => {
    const { box, call, logged } = await start([
      faulty("first", [], { use_persistent_session: true }),
      faulty("second", [], { use_persistent_session: true }),
    ]);

    expect(box.find("echo")?.id).toBe("second.echo");
    const first = await call("first.pid");
    const second = await call("second.pid");
    expect((await call("pid")).data).toEqual(second.data);
    expect(first.data).not.toEqual(second.data);
    const warnings = logged.filter((line) => line.level === "warn" && line.data.name === "echo");
    expect(warnings.map((line) => line.message)).toEqual([
      "tool name echo is offered more than once; it means second.echo",
    ]);
  });

  it("refuses two servers of one name", () => {
    for (const servers of [[faulty("a"), faulty("a")], [faulty("builtin")]]) {
      expect(() => testBox(servers)).toThrow(expect.objectContaining({ code: "server_name_taken" }));
    }
  });

  it("says so when a tool is not there any more", async () => {
    const { box } = await start([faulty("server")]);
    const tool = box.find("server.echo");
    if (tool === undefined) throw new Error("no echo");

    const gone = { ...tool, id: "server.gone", name: "gone" };
    const outcome = await box.call({
      tool: gone,
      args: {},
      channel: "c",
      signal: new AbortController().signal,
    });
    expect(outcome.error).toMatchObject({ code: "unknown_tool", sent: "no" });
  });
});

describe("connections", () => {
  it("[mcp.ephemeral] uses a fresh process for each call by default, and leaves none behind", async () => {
    const { box, call } = await start([faulty("fresh")]);

    const calls = await Promise.all([call("fresh.pid"), call("fresh.pid"), call("fresh.pid")]);
    const pids = calls.map((outcome) => (outcome.data as { pid: number }).pid);
    expect(new Set(pids).size).toBe(3);
    await box.stop();
    expect(await Promise.all(pids.map(running))).toEqual([false, false, false]);
  });

  it("[mcp.ephemeral] shares one guarded session between concurrent calls where it is configured", async () => {
    const { box, call } = await start([faulty("kept", [], { use_persistent_session: true })]);

    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, n) => Promise.all([call("kept.pid"), call("kept.echo", { n })])),
    );
    expect(new Set(calls.map(([pid]) => JSON.stringify(pid.data))).size).toBe(1);
    expect(calls.map(([, echo]) => echo.data)).toEqual(calls.map((_, n) => ({ n })));
    const [{ pid } = { pid: 0 }] = calls.map(([first]) => first.data as { pid: number });
    expect(await running(pid)).toBe(true);
    await box.stop();
    expect(await running(pid)).toBe(false);
  });

  it("passes progress on while the call runs, and lets it outlive the time limit", async () => {
    const { call } = await start([faulty("slow", [], { use_persistent_session: true, timeout_ms: 400 })]);

    const seen: CallProgress[] = [];
    const outcome = await call("slow.slow", { steps: 15 }, { onProgress: (progress) => seen.push(progress) });
    expect(outcome).toEqual({ ok: true, data: "walked 15 steps" });
    expect(seen[0]).toEqual({ progress: 1, total: 15, message: "step 1" });
    expect(seen.length).toBeGreaterThan(5);
  });

  it("[mcp.messages] passes on what the server logs meanwhile, which keeps the call alive as well", async () => {
    const { call } = await start([
      faulty("slow", ["--log"], { use_persistent_session: true, timeout_ms: 400 }),
    ]);

    const seen: CallProgress[] = [];
    const outcome = await call("slow.slow", { steps: 15 }, { onProgress: (progress) => seen.push(progress) });
    expect(outcome).toEqual({ ok: true, data: "walked 15 steps" });
    expect(seen.slice(0, 2)).toEqual([
      { message: "Warning: step 1", detail: "of: 15" },
      { message: "Warning: step 2" },
    ]);
  });

  it("survives a progress listener that throws", async () => {
    const { call, logged } = await start([faulty("slow")]);

    const onProgress = (): void => {
      throw new Error("the status message is gone");
    };
    // A step that is read together with the result is not told any more: on a busy machine these may be several.
    expect(await call("slow.slow", { steps: 15 }, { onProgress })).toMatchObject({ ok: true });
    expect(logged.some((line) => line.data.error === "the status message is gone")).toBe(true);
  });
});
