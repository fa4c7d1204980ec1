import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { createScriptRunner, type ScriptAnswer } from "#servers/ensembles/engine/run-script.ts";
import { filesBelow, inside } from "#servers/ensembles/store/paths.ts";
import { findScript, scriptsOf } from "#servers/ensembles/store/scripts.ts";
import { openProject } from "#servers/ensembles/store/project.ts";
import { has } from "#test/machine.ts";

import { environment, projectFolder } from "./support.ts";

async function run(
  name: string,
  source: string,
  more: { timeoutMs?: number; signal?: AbortSignal; env?: Record<string, string>; input?: unknown } = {},
): Promise<ScriptAnswer & { folder: string }> {
  const folder = projectFolder({ [`scripts/t/${name}`]: source, "../beside.txt": "beside" });
  const script = findScript(openProject(environment(folder), folder), `t/${name}`);
  const answer = await createScriptRunner({ ...environment(folder), ...more.env })({
    ...script,
    cwd: folder,
    hidden: undefined,
    input: {
      agent_name: "a",
      input_data: more.input ?? "hello",
      context: {},
      dependencies: { b: { response: "x" } },
    },
    parameters: { depth: 2 },
    timeoutMs: more.timeoutMs ?? 20_000,
    signal: more.signal ?? new AbortController().signal,
  });
  return { ...answer, folder };
}

describe("[ensembles.scripts] a script", () => {
  it.each([
    [
      "js",
      `import { readFileSync } from "node:fs";\nconsole.log(JSON.stringify({ success: true, data: [JSON.parse(readFileSync(0, "utf8")), JSON.parse(process.env.INPUT_DATA).agent_name, process.env.INPUT_TEXT, JSON.parse(process.env.AGENT_PARAMETERS)] }));`,
    ],
    [
      "ts",
      `import { readFileSync } from "node:fs";\nconst given: object = JSON.parse(readFileSync(0, "utf8"));\nconsole.log(JSON.stringify({ success: true, data: [given, JSON.parse(process.env.INPUT_DATA ?? "").agent_name, process.env.INPUT_TEXT, JSON.parse(process.env.AGENT_PARAMETERS ?? "")] }));`,
    ],
    [
      "py",
      `import json, os, sys\nprint(json.dumps({"success": True, "data": [json.load(sys.stdin), json.loads(os.environ["INPUT_DATA"])["agent_name"], os.environ["INPUT_TEXT"], json.loads(os.environ["AGENT_PARAMETERS"])]}))`,
    ],
    [
      "sh",
      `printf '{"success": true, "data": [%s, "a", "%s", %s]}' "$(cat)" "$INPUT_TEXT" "$AGENT_PARAMETERS"`,
    ],
  ])("in %s gets its input on stdin and in variables, and answers JSON", async (suffix, source) => {
    const { success, data } = await run(`one.${suffix}`, source);
    const given = {
      agent_name: "a",
      input_data: "hello",
      context: {},
      dependencies: { b: { response: "x" } },
    };
    expect({ success, data }).toEqual({ success: true, data: [given, "a", "hello", { depth: 2 }] });
  });

  it.each([
    ["text", "console.log('plain words')", { success: true, data: "plain words" }],
    ["another object", "console.log('{\"a\": 1}')", { success: true, data: { a: 1 } }],
    [
      "a failure",
      'console.log(\'{"success": false, "error": "no table"}\')',
      { success: false, error: "no table" },
    ],
    [
      "a failure without a reason",
      "console.error('it broke'); console.log('{\"success\": false}')",
      { success: false, error: "the script failed: it broke" },
    ],
    [
      "an exception",
      "throw new Error('a fault')",
      { success: false, error: expect.stringContaining("the script ended with code 1: ") },
    ],
    [
      "nothing, after a signal",
      "process.kill(process.pid, 'SIGKILL')",
      { success: false, error: expect.stringMatching(/^the script ended with code/) },
    ],
  ])("that answers %s is understood", async (_, source, expected) => {
    expect(await run("one.js", source)).toMatchObject(expected);
  });

  it("sees none of the server's keys", async () => {
    const env = { GEMINI_API_KEY: "canary-key", OPENAI_API_KEY: "canary-key", SLACK_BOT_TOKEN: "canary-key" };
    const { data } = await run("one.js", "console.log(JSON.stringify(process.env))", { env });
    expect(JSON.stringify(data)).not.toContain("canary");
    expect(Object.keys(data as object)).toContain("PATH");
  });

  it("that hangs is ended after its time, with all that it started", async () => {
    const source = `import { spawn } from "node:child_process";\nspawn("sleep", ["4321"], { stdio: "inherit" });\nsetInterval(() => {}, 1000);`;
    const { success, error } = await run("one.js", source, { timeoutMs: 1500 });
    expect({ success, error }).toEqual({
      success: false,
      error: "the script ran longer than 1.5 s and was ended: set timeout_seconds",
    });
    await expect.poll(() => sleepers()).toEqual([]);
  });

  it("that ends and leaves another running leaves nothing", async () => {
    const source = `(sleep 4321 &) \necho '{"success": true, "data": 1}'`;
    expect(await run("one.sh", source)).toMatchObject({ success: true, data: 1 });
    await expect.poll(() => sleepers()).toEqual([]);
  });

  it("that forks without end is ended", async () => {
    const source = `import { spawn } from "node:child_process";\nfor (let n = 0; n < 40; n += 1) spawn("sleep", ["4321"], { detached: true });\nsetInterval(() => {}, 1000);`;
    expect((await run("one.js", source, { timeoutMs: 1500 })).success).toBe(false);
    // Without a sandbox those that left the group cannot be found again.
    if (has("bubblewrap")) await expect.poll(() => sleepers()).toEqual([]);
  });

  it.each([
    ["sh", "yes", "the script wrote more than 1000000 bytes and was ended"],
    ["py", "x = []\nwhile True: x.append(bytearray(10_000_000))", expect.stringContaining("MemoryError")],
  ])("in %s that floods is ended", async (suffix, source, expected) => {
    const { success, error } = await run(`one.${suffix}`, source);
    expect({ success, error }).toEqual({ success: false, error: expected });
  });

  it("is ended when the run is cancelled", async () => {
    const stop = new AbortController();
    const running = run("one.sh", "sleep 4321", { signal: stop.signal });
    await expect.poll(() => sleepers().length).toBeGreaterThan(0);
    stop.abort(new Error("cancelled by hand"));
    await expect(running).rejects.toThrow("cancelled by hand");
    await expect.poll(() => sleepers()).toEqual([]);
  });

  it.runIf(has("bubblewrap"))(
    "in the sandbox writes nothing outside, has no network, and reads only the project",
    async () => {
      const source = `
import { readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
const attempt = (work) => { try { work(); return "done"; } catch (error) { return error.code; } };
const project = process.cwd();
const data = {
  project: attempt(() => writeFileSync(project + "/planted.txt", "x")),
  script: attempt(() => writeFileSync(process.argv[1], "x")),
  home: attempt(() => writeFileSync("/root/planted.txt", "x")),
  etc: attempt(() => writeFileSync("/etc/planted.txt", "x")),
  repository: attempt(() => readFileSync(${JSON.stringify(join(import.meta.dirname, "support.ts"))})),
  beside: attempt(() => readFileSync(project + "/beside.txt")),
  tmp: attempt(() => writeFileSync("/tmp/own.txt", "x")),
};
const socket = createConnection(22, "1.1.1.1");
socket.on("error", (error) => { console.log(JSON.stringify({ success: true, data: { ...data, network: error.code } })); process.exit(); });
socket.on("connect", () => { console.log(JSON.stringify({ success: true, data: { ...data, network: "open" } })); process.exit(); });
`;
      const { data, sandboxed, folder } = await run("one.js", source);
      expect(sandboxed).toBe(true);
      expect(data).toEqual({
        project: "EROFS",
        script: "EROFS",
        home: expect.stringMatching(/ENOENT|EROFS/),
        etc: "EROFS",
        repository: "ENOENT",
        beside: "done",
        tmp: "done",
        network: expect.stringMatching(/ENETUNREACH|EPERM|EACCES/),
      });
      expect(existsSync(join(folder, "planted.txt"))).toBe(false);
      expect(existsSync("/tmp/own.txt")).toBe(false);
    },
  );
});

describe("[ensembles.scripts] a path", () => {
  it.each([
    "../x.js",
    "a/../../x.js",
    "/etc/passwd.js",
    "a//x.js",
    "a/\0.js",
    "..",
    "",
    "a/./x.js",
    "a/b.txt",
    "scripts/../../x.py",
  ])("%j is refused", (path) => {
    const project = openProject(environment(projectFolder()), "/");
    expect(() => findScript(project, path)).toThrow(/cannot be the name of a script|is no script/);
  });

  it("out of the folder by a link is refused, and not listed", () => {
    const folder = projectFolder({
      "scripts/t/fine.js": "",
      "ensembles/fine.yaml": "name: fine\nagents: []",
    });
    const root = join(folder, ".llm-orc");
    writeFileSync(join(folder, "outside.js"), "");
    mkdirSync(join(folder, "elsewhere"));
    writeFileSync(join(folder, "elsewhere", "deep.js"), "");
    symlinkSync(join(folder, "outside.js"), join(root, "scripts/t/link.js"));
    symlinkSync(join(folder, "elsewhere"), join(root, "scripts/folder"));
    symlinkSync(join(folder, "nowhere"), join(root, "scripts/dangling"));
    const project = openProject(environment(folder), folder);
    expect(() => findScript(project, "t/link.js")).toThrow("leads out of its folder");
    expect(() => findScript(project, "folder/deep.js")).toThrow("leads out of its folder");
    expect(() => inside(join(root, "scripts"), "folder", "new.js")).toThrow("leads out of its folder");
    expect(() => inside(join(root, "scripts"), "dangling")).toThrow("leads out of its folder");
    expect(
      scriptsOf(project)
        .filter(({ source }) => source === "local")
        .map(({ path }) => path),
    ).toEqual(["t/fine.js"]);
    expect(filesBelow(join(root, "ensembles"), [".yaml"])).toEqual(["fine.yaml"]);
  });
});

/** Processes that a test of this file started. */
function sleepers(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep\u00004321");
    } catch {
      return false;
    }
  });
}
