import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { createScriptRunner, type ScriptAnswer } from "#servers/ensembles/engine/run-script.ts";
import { filesBelow, inside } from "#servers/ensembles/store/paths.ts";
import { findScript, scriptsOf } from "#servers/ensembles/store/scripts.ts";
import { openProject } from "#servers/ensembles/store/project.ts";
import { openWorkshop } from "#servers/ensembles/workshop.ts";
import { has } from "#test/machine.ts";

import { environment, projectFolder } from "./support.ts";

async function run(
  name: string,
  source: string,
  more: {
    timeoutMs?: number;
    signal?: AbortSignal;
    env?: Record<string, string>;
    input?: unknown;
    parameters?: object;
  } = {},
): Promise<ScriptAnswer & { folder: string }> {
  const folder = projectFolder({ [`scripts/t/${name}`]: source, "../beside.txt": "beside" });
  const script = findScript(openProject(environment(folder), folder), `t/${name}`);
  const answer = await createScriptRunner({ ...environment(folder), ...more.env })({
    ...script,
    cwd: folder,
    hidden: join(folder, "data"),
    input: {
      agent_name: "a",
      input_data: more.input ?? "hello",
      context: {},
      dependencies: { b: { response: "x" } },
    },
    parameters: { depth: 2, ...more.parameters },
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

  it.each([
    ["Japanese", "日".repeat(60_000)],
    ["Cyrillic, a byte off", `a${"я".repeat(90_000)}`],
    ["emoji", "👩".repeat(40_000)],
  ])("gets the whole of a long text in %s, and as much in its variables as they hold", async (_, input) => {
    const { success, data } = await run(
      "one.js",
      `import { readFileSync } from "node:fs";
const { input_data: whole } = JSON.parse(readFileSync(0, "utf8"));
const { INPUT_TEXT: text, INPUT_DATA: json } = process.env;
console.log(JSON.stringify({ success: true, data: [whole.length, whole.startsWith(text), text.length > 20000, json.length > 20000] }));`,
      { input },
    );
    expect({ success, data }).toEqual({ success: true, data: [input.length, true, true, true] });
  });

  it("has its parameters whole or not at all", async () => {
    const fits = await run(
      "one.js",
      'console.log(JSON.parse(process.env["AGENT_PARAMETERS"]).words.length)',
      {
        parameters: { words: "日".repeat(33_000) },
      },
    );
    expect(fits).toMatchObject({ success: true, data: 33_000 });
    expect(await run("one.js", "", { parameters: { words: "日".repeat(34_000) } })).toMatchObject({
      success: false,
      error: "parameters: expected at most 100000 bytes as JSON, got 102022: put what is long into the input",
    });
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

/** A script that says of each path what it reads there, or why not. */
const PEEK = `import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
const read = (path) => { try { return statSync(path).isDirectory() ? readdirSync(path).sort().join() : readFileSync(path, "utf8").slice(0, 40); } catch (error) { return error.code; } };
const { parameters: _, input_data: paths } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ success: true, data: Object.fromEntries(paths.map((path) => [path, read(path)])) }));`;

describe.runIf(has("bubblewrap"))("[ensembles.scripts] what the sandbox hides", () => {
  /** What a script of a project with the product's data in it reads at these paths. */
  async function peek(
    paths: string[],
    { data, project = "", link }: { data?: string; project?: string; link?: string } = {},
  ): Promise<unknown> {
    const folder = projectFolder({
      [`../${project}.llm-orc/scripts/t/peek.js`]: PEEK,
      "../data/countersign.db": "secret-of-the-product",
      "../kept/countersign.db": "secret-of-the-product",
      "../.env": "KEY=secret-of-the-project",
      "../.env.local": "KEY=secret-of-the-project",
      "../packages/app/.env": "KEY=secret-of-the-project",
      "../keys.txt": "KEY=secret-of-the-project",
      "../.env-folder/notes.txt": "seen",
      "../table.csv": "a,b",
    });
    symlinkSync("keys.txt", join(folder, ".env.link"));
    symlinkSync("/nowhere", join(folder, ".env.dangling"));
    if (link !== undefined) symlinkSync(join(folder, "kept"), join(folder, link));
    const env = environment(join(folder, project), data === undefined ? {} : { COUNTERSIGN_DATA: data });
    const { engine } = openWorkshop(env, folder);
    const { version: _, ...launch } = engine.script("t/peek.js");
    const answer = await engine.runScript({
      ...launch,
      input: { agent_name: "a", input_data: paths, context: {}, dependencies: {} },
      parameters: {},
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    });
    expect(answer.error).toBe(undefined);
    return answer.data;
  }

  it("is the data folder where no variable names it, keys of the project, and passwords of the machine", async () => {
    const data = await peek([
      "data",
      "data/countersign.db",
      ".env",
      ".env.local",
      ".env.link",
      "keys.txt",
      "packages/app/.env",
      ".env-folder",
      "table.csv",
      "kept/countersign.db",
      "/etc/shadow",
      "/etc/ssl/private",
      "/etc/ld.so.conf",
      "/opt",
    ]);
    expect(data).toEqual({
      data: "",
      "data/countersign.db": "ENOENT",
      ".env": "EACCES",
      ".env.local": "EACCES",
      ".env.link": "EACCES",
      "keys.txt": "EACCES",
      "packages/app/.env": "EACCES",
      ".env-folder": "notes.txt",
      "table.csv": "a,b",
      "kept/countersign.db": "secret-of-the-product",
      "/etc/shadow": "ENOENT",
      "/etc/ssl/private": "ENOENT",
      "/etc/ld.so.conf": readFileSync("/etc/ld.so.conf", "utf8").slice(0, 40),
      "/opt": "ENOENT",
    });
  });

  it.each([
    ["relative", { data: "kept" }],
    ["blank around it", { data: " kept/ " }],
    ["by a link", { data: "linked", link: "linked" }],
  ])("is the data folder named %s", async (_, world) => {
    expect(await peek(["kept", "kept/countersign.db", "table.csv"], world)).toEqual({
      kept: "",
      "kept/countersign.db": "ENOENT",
      "table.csv": "a,b",
    });
  });

  it("is the data folder around the project, and never the project in it", async () => {
    expect(
      await peek(["countersign.db", "../countersign.db", ".llm-orc/scripts/t"], {
        data: "data",
        project: "data/ensembles/",
      }),
    ).toEqual({ "countersign.db": "ENOENT", "../countersign.db": "ENOENT", ".llm-orc/scripts/t": "peek.js" });
  });

  it("is the project but for its scripts where it is the data folder itself", async () => {
    expect(await peek(["table.csv", ".env", ".llm-orc/scripts/t"], { data: "." })).toEqual({
      "table.csv": "ENOENT",
      ".env": "EACCES",
      ".llm-orc/scripts/t": "peek.js",
    });
  });
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
