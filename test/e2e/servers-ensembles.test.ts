import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readKnownServers } from "#app/known-servers.ts";
import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";

import {
  answerTo,
  channelApproves,
  says,
  startBot,
  startOwnBot,
  startSlackWorkspace,
} from "./slack-support.ts";
import {
  cleanUpAll,
  type ProductOptions,
  type HostedProduct,
  type RunningProduct,
  say,
  temporaryFolder,
} from "./support.ts";

const MAIN = join(import.meta.dirname, "../../servers/ensembles/main.ts");

/** A project as one might be in a repository, made elsewhere. */
const FILES = {
  "config.yaml":
    "model_profiles:\n  micro: { model: 'qwen3:4b-instruct', provider: ollama, cost_per_token: 0.001 }\n  sonnet: { model: claude-sonnet, provider: anthropic-api }",
  "ensembles/validate-ollama.yaml":
    "name: validate-ollama\ndescription: one model\nagents:\n  - { name: validator, model_profile: micro }",
  "ensembles/board.yaml":
    "name: board\ndescription: cloud\nagents:\n  - { name: chair, model_profile: sonnet }\n  - { name: clerk, script: t/quick.sh }",
  "ensembles/slow.yaml":
    "name: slow\nagents:\n  - { name: first, script: t/quick.sh }\n  - { name: asleep, script: t/sleep.sh, depends_on: [first] }",
  "ensembles/steps.yaml": `name: steps\nagents:\n${[1, 2, 3, 4, 5].map((n) => `  - { name: s${n}, script: t/quick.sh${n === 1 ? "" : `, depends_on: [s${n - 1}]`} }`).join("\n")}`,
  "ensembles/ticked.yaml":
    "name: ticked\nagents:\n  - { name: first, script: t/quick.sh }\n  - { name: second, script: t/gate.sh, depends_on: [first] }\n  - { name: third, script: t/quick.sh, depends_on: [second] }",
  "ensembles/cut.yaml":
    "name: cut\nagents:\n  - { name: first, script: t/quick.sh }\n  - { name: second, script: t/sleep.sh, depends_on: [first] }",
  "scripts/t/gate.sh":
    '# Waits for a file of the project.\nwhile [ ! -e open ]; do sleep 0.1; done; echo \'{"success": true, "data": "done"}\'',
  "ensembles/back.yaml":
    "name: back\nagents:\n  - { name: a, model_profile: gone, fallback_model_profile: micro }\n  - { name: b, model_profile: gone }",
  "profiles/gone.yaml": "name: gone\nmodel: none:1b\nprovider: ollama",
  "scripts/t/quick.sh": '# Answers at once.\nsleep 0.02; echo \'{"success": true, "data": "done"}\'',
  "scripts/t/sleep.sh": "# Never answers.\nsleep 5432",
};

let ollama: FakeOllama;
let folder: string;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ensembles-"));
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(folder, ".llm-orc", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  ollama = await startFakeOllama(() => ({ do: "answer", text: "4" }));
});

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  await cleanUpAll();
  await ollama.stop();
});

function environment(): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    ENSEMBLES_PROJECT: folder,
    OLLAMA_HOST: ollama.url,
  };
}

async function overStdio(): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN], env: environment() }),
  );
  ends.push(() => client.close());
  return client;
}

let address: Promise<URL> | undefined;

async function overHttp(mode: "legacy" | "auto"): Promise<Client> {
  address ??= startHttp();
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(await address));
  ends.push(() => client.close());
  return client;
}

async function startHttp(): Promise<URL> {
  const child = spawn(process.execPath, [MAIN, "serve", "--transport", "http", "--port", "0"], {
    env: environment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  ends.push(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /listening on (\S+)/u.exec(line)?.[1];
    if (found !== undefined) return new URL(found);
  }
  throw new Error("the server ended before it listened");
}

interface Answer {
  isError: boolean;
  text: string;
  data: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content as { text: string }[];
  return {
    isError: result.isError === true,
    text: first?.text ?? "",
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
  };
}

async function read(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri });
  const [first] = contents as { text: string }[];
  return JSON.parse(first?.text ?? "") as Record<string, unknown>;
}

describe.each([
  ["stdio", overStdio],
  ["Streamable HTTP with sessions", () => overHttp("legacy")],
  ["Streamable HTTP without sessions", () => overHttp("auto")],
])("over %s", (_, connect) => {
  it("[ensembles.runbook] [ensembles.tools] [ensembles.crud] [ensembles.resources] [ensembles.providers] passes the 15 steps", async () => {
    const client = await connect();
    // 1. List ensembles: the project's and those that ship.
    const { ensembles, count } = (await call(client, "list_ensembles")).data as {
      ensembles: { name: string; source: string }[];
      count: number;
    };
    expect(ensembles).toHaveLength(count);
    expect(ensembles.filter(({ source }) => source === "library").length).toBeGreaterThanOrEqual(12);
    expect(ensembles.find(({ name }) => name === "validate-ollama")?.source).toBe("local");
    // 2. Validate a good one.
    expect(
      (await call(client, "validate_ensemble", { ensemble_name: "validate-ollama" })).data,
    ).toMatchObject({ valid: true, details: { errors: [], agent_count: 1 } });
    // 3. Validate a bad one: it uses a profile that nobody has.
    const bad = (await call(client, "validate_ensemble", { ensemble_name: "security-review" })).data as {
      valid: boolean;
      details: { errors: string[] };
    };
    expect(bad.valid).toBe(false);
    expect(bad.details.errors).toEqual([
      expect.stringContaining("Agent 'reviewer' uses unknown profile 'default'"),
    ]);
    // 4. Run it.
    const invoked = await call(client, "invoke", {
      ensemble_name: "validate-ollama",
      input_data: "What is 2+2? Answer with just the number.",
    });
    expect(invoked.data).toMatchObject({
      results: { validator: { response: "4", status: "success" } },
      status: "completed",
    });
    expect(JSON.parse(invoked.text)).toEqual(invoked.data);
    // 5. Read resources.
    expect(JSON.stringify(await read(client, "llm-orc://profiles"))).toContain('"model":"qwen3:4b-instruct"');
    // 6. List resources: exactly two, and four templates.
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["llm-orc://ensembles", "llm-orc://profiles"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "llm-orc://ensemble/{name}",
      "llm-orc://artifacts/{ensemble}",
      "llm-orc://artifact/{ensemble}/{id}",
      "llm-orc://metrics/{ensemble}",
    ]);
    // 7. Artifacts are there.
    expect(readdirSync(join(folder, ".llm-orc/artifacts/validate-ollama/latest")).toSorted()).toEqual([
      "execution.json",
      "execution.md",
    ]);
    // 8. List profiles.
    const profiles = (await call(client, "list_profiles", { provider: "ollama" })).data as {
      profiles: object[];
      count: number;
    };
    expect(profiles.profiles).toHaveLength(profiles.count);
    expect(profiles.profiles).toContainEqual(expect.objectContaining({ name: "micro", provider: "ollama" }));
    // 9. Search the library.
    const found = (await call(client, "library_search", { query: "review" })).data as {
      query: string;
      results: { ensembles: object[]; scripts: object[] };
      total: number;
    };
    expect(found.total).toBe(found.results.ensembles.length + found.results.scripts.length);
    expect(found.results.ensembles).toContainEqual(expect.objectContaining({ name: "code-review" }));
    // 10. About the library.
    expect((await call(client, "library_info")).data).toMatchObject({
      path: expect.any(String),
      exists: true,
      ensembles_count: expect.any(Number),
      scripts_count: expect.any(Number),
      categories: expect.arrayContaining(["code", "data", "operations", "writing"]),
    });
    // 11. List scripts.
    expect((await call(client, "list_scripts", { category: "t" })).data).toMatchObject({
      scripts: [{ name: "gate" }, { name: "quick" }, { name: "sleep" }],
      categories: expect.arrayContaining(["t", "data"]),
    });
    // 12. Create and delete.
    const created = (
      await call(client, "create_ensemble", {
        name: "test-crud-ensemble",
        description: "Test ensemble",
        agents: [],
      })
    ).data;
    expect(created).toMatchObject({
      created: true,
      path: join(folder, ".llm-orc/ensembles/test-crud-ensemble.yaml"),
    });
    expect(
      (await call(client, "delete_ensemble", { ensemble_name: "test-crud-ensemble", confirm: true })).data,
    ).toEqual({ deleted: true, name: "test-crud-ensemble" });
    // 13. Providers.
    expect((await call(client, "get_provider_status")).data).toMatchObject({
      providers: {
        ollama: { available: true, models: ["qwen3:4b-instruct"] },
        "anthropic-api": { available: false, reason: expect.any(String) },
        "google-gemini": { available: false },
      },
    });
    // 14. One that can run.
    expect(
      (await call(client, "check_ensemble_runnable", { ensemble_name: "validate-ollama" })).data,
    ).toEqual({
      ensemble: "validate-ollama",
      runnable: true,
      agents: [
        { name: "validator", profile: "micro", provider: "ollama", status: "available", alternatives: [] },
      ],
    });
    // 15. One whose provider is missing: local profiles instead, those first that answer now.
    const board = (await call(client, "check_ensemble_runnable", { ensemble_name: "board" })).data;
    expect(board).toMatchObject({
      ensemble: "board",
      runnable: false,
      agents: [
        {
          name: "chair",
          profile: "sonnet",
          provider: "anthropic-api",
          status: "provider_unavailable",
          alternatives: ["local-small", "micro", "local-large", "gone"],
        },
        { name: "clerk", status: "available" },
      ],
    });
    expect(
      (await call(client, "check_ensemble_runnable", { ensemble_name: "startup-advisory-board" })).data,
    ).toMatchObject({ runnable: false });
  });
});

describe("node servers/ensembles/main.ts", () => {
  let client: Client;
  beforeAll(async () => {
    client = await overStdio();
  });
  const ok = async (name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    const { isError, text, data } = await call(client, name, args);
    expect(isError ? text : "").toBe("");
    return data;
  };
  const refused = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { isError, text } = await call(client, name, args);
    expect(isError).toBe(true);
    return text;
  };

  it("[ensembles.tools] has 24 tools, and says which of them only read", async () => {
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(24);
    const writes = tools
      .filter(({ annotations }) => annotations?.readOnlyHint !== true)
      .map(({ name }) => name);
    expect(writes.toSorted()).toEqual([
      "cleanup_artifacts",
      "create_ensemble",
      "create_profile",
      "create_script",
      "delete_artifact",
      "delete_ensemble",
      "delete_profile",
      "delete_script",
      "invoke",
      "library_copy",
      "test_script",
      "update_ensemble",
      "update_profile",
    ]);
  });

  it("[ensembles.crud] changes an ensemble only without dry_run, and keeps what was there", async () => {
    await ok("create_ensemble", {
      name: "mine",
      description: "d",
      agents: [{ name: "a", model_profile: "micro" }],
    });
    const path = join(folder, ".llm-orc/ensembles/mine.yaml");
    const before = readFileSync(path, "utf8");
    const changes = { description: "better", agents: { a: { temperature: 0.5 } } };
    const shown = await ok("update_ensemble", { ensemble_name: "mine", changes });
    expect(shown).toMatchObject({
      dry_run: true,
      updated: false,
      valid: true,
      preview: expect.stringContaining("temperature: 0.5"),
    });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(await ok("update_ensemble", { ensemble_name: "mine", changes, dry_run: false })).toMatchObject({
      dry_run: false,
      updated: true,
      backup_path: `${path}.bak`,
    });
    expect(readFileSync(path, "utf8")).toBe(shown["preview"]);
    expect(readFileSync(`${path}.bak`, "utf8")).toBe(before);
    expect(await read(client, "llm-orc://ensemble/mine")).toMatchObject({
      name: "mine",
      description: "better",
      agents: [{ name: "a", temperature: 0.5 }],
    });
    expect(
      await refused("update_ensemble", {
        ensemble_name: "mine",
        changes: { agents: { a: { depends_on: ["z"] } } },
        dry_run: false,
      }),
    ).toContain("nothing was written");
    expect(await refused("create_ensemble", { name: "mine", agents: [] })).toContain("exists: ");
    expect(await refused("create_ensemble", { name: "wrong", agents: [{ name: "a" }] })).toMatch(
      /invalid_ensemble: nothing was written: ensembles\/wrong.yaml:\d+: agents\[0\]/,
    );
    await ok("create_ensemble", { name: "copy", agents: [], from_template: "mine" });
    expect(await read(client, "llm-orc://ensemble/copy")).toMatchObject({
      name: "copy",
      agents: [{ name: "a" }],
    });
    expect(await refused("delete_ensemble", { ensemble_name: "copy", confirm: false })).toContain(
      "not_confirmed",
    );
    expect(await refused("delete_ensemble", { ensemble_name: "code-review", confirm: true })).toContain(
      "not_local",
    );
    // One of the library becomes the project's own.
    await ok("update_ensemble", {
      ensemble_name: "secret-scan",
      changes: { description: "ours" },
      dry_run: false,
      backup: false,
    });
    expect((await read(client, "llm-orc://ensemble/secret-scan"))["source"]).toBe("local");
    await ok("delete_ensemble", { ensemble_name: "secret-scan", confirm: true });
    expect((await read(client, "llm-orc://ensemble/secret-scan"))["source"]).toBe("library");
  });

  it("[ensembles.profiles] makes, changes and deletes profiles; the project's stand before the library's", async () => {
    await ok("create_profile", {
      name: "local-small",
      provider: "ollama",
      model: "own:1b",
      temperature: 0.1,
    });
    const profile = async (): Promise<object | undefined> =>
      ((await ok("list_profiles"))["profiles"] as { name: string }[]).find(
        ({ name }) => name === "local-small",
      );
    expect(await profile()).toEqual({
      name: "local-small",
      provider: "ollama",
      model: "own:1b",
      temperature: 0.1,
      source: "local",
    });
    await ok("update_profile", {
      name: "local-small",
      changes: { model: "own:2b", temperature: null, max_tokens: 5 },
    });
    expect(await profile()).toEqual({
      name: "local-small",
      provider: "ollama",
      model: "own:2b",
      max_tokens: 5,
      source: "local",
    });
    expect(await refused("update_profile", { name: "local-small", changes: { temprature: 1 } })).toContain(
      "invalid_profile",
    );
    expect(await refused("delete_profile", { name: "local-small", confirm: false })).toContain(
      "not_confirmed",
    );
    await ok("delete_profile", { name: "local-small", confirm: true });
    expect(await profile()).toMatchObject({ source: "library" });
    expect(await refused("delete_profile", { name: "local-small", confirm: true })).toContain("not_local");
    await ok("update_profile", { name: "micro", changes: { max_tokens: 9 } });
    expect(readFileSync(join(folder, ".llm-orc/config.yaml"), "utf8")).toContain("max_tokens: 9");
    expect(await refused("delete_profile", { name: "micro", confirm: true })).toContain("shared_file");
    expect(
      await refused("create_profile", { name: "cloud", provider: "anthropic-api", model: "x" }),
    ).toContain("unsupported_provider");
  });

  it("[ensembles.scripts] makes, reads, tries and deletes scripts", async () => {
    expect(
      await ok("create_script", { category: "own", name: "links", template: "extraction" }),
    ).toMatchObject({ created: true, script_path: "own/links.js" });
    expect(
      await ok("test_script", {
        script_path: "own/links.js",
        test_input: { input_data: "see https://a.example and http://b.example" },
      }),
    ).toMatchObject({ success: true, data: { count: 2, found: ["https://a.example", "http://b.example"] } });
    expect(await ok("get_script", { script_path: "scripts/own/links.js" })).toMatchObject({
      category: "own",
      description: expect.stringContaining("Takes what a pattern finds"),
      source: expect.stringContaining("matchAll"),
    });
    expect(
      await ok("create_script", {
        category: "own",
        name: "count",
        source: "import sys\nprint(len(sys.stdin.read()))",
      }),
    ).toMatchObject({ script_path: "own/count.py" });
    expect(await refused("create_script", { category: "own", name: "count.py", source: "" })).toContain(
      "exists",
    );
    expect(await refused("delete_script", { script_path: "own/links.js", confirm: false })).toContain(
      "not_confirmed",
    );
    expect(await ok("delete_script", { script_path: "own/links.js", confirm: true })).toEqual({
      deleted: true,
      name: "own/links.js",
    });
    expect(await refused("delete_script", { script_path: "data/tally.py", confirm: true })).toContain(
      "not_local",
    );
  });

  it("[ensembles.library] is browsed and copied from", async () => {
    expect(await ok("library_browse", { type: "scripts", category: "data" })).toMatchObject({
      ensembles: [],
      scripts: expect.arrayContaining([
        expect.objectContaining({ name: "csv_profile", path: "scripts/data/csv_profile.js" }),
      ]),
    });
    expect(await ok("library_info", { path: "code-review" })).toMatchObject({
      type: "ensemble",
      path: "ensembles/code/code-review.yaml",
      content: expect.stringContaining("agents:"),
    });
    const copied = await ok("library_copy", { source: "code/code-review" });
    expect(copied).toMatchObject({ copied: true, destination: "ensembles/code/code-review.yaml" });
    expect(await refused("library_copy", { source: "code-review" })).toContain("may be overwritten");
    await ok("library_copy", { source: "code-review", overwrite: true });
    await ok("library_copy", { source: "csv_profile", destination: "scripts/own/profile.js" });
    expect(existsSync(join(folder, ".llm-orc/scripts/own/profile.js"))).toBe(true);
    expect(await refused("library_copy", { source: "csv_profile", destination: "elsewhere/x.js" })).toContain(
      "bad_destination",
    );
    expect(await refused("library_copy", { source: "nothing" })).toContain("unknown_item");
  });

  it("[ensembles.artifacts] [ensembles.resources] looks back at runs, and cleans them up", async () => {
    const { artifact } = (await ok("invoke", { ensemble_name: "back", input_data: "x" })) as {
      artifact: string;
    };
    expect(await ok("analyze_execution", { artifact_id: artifact })).toMatchObject({
      analysis: {
        total_agents: 2,
        successful_agents: 1,
        failed_agents: 1,
        failures: { b: expect.stringContaining("ollama pull none:1b") },
      },
      metrics: { agent_success_rate: 0.5, cost: expect.any(Number), duration: expect.any(Number) },
      report: expect.stringContaining("# back"),
    });
    expect(await read(client, "llm-orc://artifacts/back")).toMatchObject({
      artifacts: [{ artifact_id: artifact, status: "completed_with_errors" }],
    });
    expect(await read(client, `llm-orc://artifact/${artifact}`)).toMatchObject({
      results: { a: { fallback: "micro", response: "4" } },
    });
    expect(await read(client, "llm-orc://metrics/back")).toMatchObject({
      success_rate: 0,
      avg_cost: expect.any(Number),
      avg_duration: expect.any(Number),
      total_executions: 1,
    });
    expect(await ok("cleanup_artifacts", { older_than_days: 0, ensemble_name: "back" })).toEqual({
      dry_run: true,
      would_delete: [artifact],
      count: 1,
    });
    expect(await ok("cleanup_artifacts", { older_than_days: 1 })).toMatchObject({ count: 0 });
    expect(
      await ok("cleanup_artifacts", { older_than_days: 0, ensemble_name: "back", dry_run: false }),
    ).toEqual({ dry_run: false, deleted: [artifact], count: 1 });
    expect(readdirSync(join(folder, ".llm-orc/artifacts/back"))).toEqual([]);
    const second = (await ok("invoke", { ensemble_name: "back", input_data: "x" })) as { artifact: string };
    expect(await refused("delete_artifact", { artifact_id: second.artifact, confirm: false })).toContain(
      "not_confirmed",
    );
    expect(await ok("delete_artifact", { artifact_id: second.artifact, confirm: true })).toMatchObject({
      deleted: true,
    });
    expect(await refused("analyze_execution", { artifact_id: second.artifact })).toContain(
      "unknown_artifact",
    );
  });

  it("[ensembles.resources] shows files that are broken or older as they are, and counts every run", async () => {
    const root = join(folder, ".llm-orc");
    const files = {
      "ensembles/broken.yaml": "name: broken\ndepth: 3\nagents:\n  - { name: a, modle_profile: x }",
      "ensembles/older.yaml": "name: older\ntask: sum up\nvalidation: {}\nagents: []",
      "ensembles/none.yaml": "agents: [",
    };
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
    expect(await read(client, "llm-orc://ensemble/broken")).toEqual({
      name: "broken",
      depth: 3,
      agents: [{ name: "a", modle_profile: "x" }],
      source: "local",
      path: join(root, "ensembles/broken.yaml"),
      errors: expect.arrayContaining([
        expect.stringContaining(
          'ensembles/broken.yaml:4: agents[0].modle_profile: unknown key "modle_profile"',
        ),
      ]),
    });
    expect(await read(client, "llm-orc://ensemble/older")).toEqual({
      name: "older",
      task: "sum up",
      validation: {},
      agents: [],
      source: "local",
      path: join(root, "ensembles/older.yaml"),
    });
    await expect(client.readResource({ uri: "llm-orc://ensemble/none" })).rejects.toThrow(
      "ensembles/none.yaml:1: this is no YAML",
    );

    for (let n = 0; n < 230; n += 1) {
      const run = join(root, `artifacts/older/20250101-000000-${String(n).padStart(3, "0")}`);
      mkdirSync(run, { recursive: true });
      const status = n < 30 ? "completed_with_errors" : "completed";
      writeFileSync(join(run, "execution.json"), JSON.stringify({ ensemble: "older", status }));
    }
    expect(await read(client, "llm-orc://metrics/older")).toMatchObject({
      success_rate: 1,
      total_executions: 230,
    });
    for (const path of [...Object.keys(files), "artifacts/older"])
      rmSync(join(root, path), { recursive: true });
  });

  it.each([
    "llm-orc://nothing",
    "llm-orc://ensemble/nobody",
    "llm-orc://artifacts/nobody",
    "llm-orc://artifact/back/latest",
    "llm-orc://metrics/nobody",
    "llm-orc://ensemble/..%2F..%2Fetc",
    "llm-orc://artifact/..%2Fx/latest",
    "llm-orc://ensemble/%00",
    "llm-orc://ensemble/%zz",
  ])("[ensembles.resources] answers %s with an error of the protocol", async (uri) => {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: expect.any(Number) });
  });

  it.each<[string, Record<string, unknown>]>([
    ["invoke", { ensemble_name: "../x", input_data: "" }],
    ["invoke", { ensemble_name: "a/b", input_data: "" }],
    ["validate_ensemble", { ensemble_name: "x\0" }],
    ["update_ensemble", { ensemble_name: "..", changes: {}, dry_run: false }],
    ["create_ensemble", { name: "../evil", agents: [] }],
    ["create_ensemble", { name: "a\0b", agents: [] }],
    ["create_ensemble", { name: ".hidden", agents: [] }],
    ["delete_ensemble", { ensemble_name: "../../x", confirm: true }],
    ["create_profile", { name: "../evil", provider: "ollama", model: "x" }],
    ["delete_profile", { name: "a/b", confirm: true }],
    ["get_script", { script_path: "../config.yaml" }],
    ["get_script", { script_path: "/etc/passwd" }],
    ["test_script", { script_path: "../../x.sh", test_input: {} }],
    ["create_script", { category: "..", name: "x.js", source: "" }],
    ["create_script", { category: "a", name: "../../x.js", source: "" }],
    ["create_script", { category: "link", name: "x.js", source: "" }],
    ["delete_script", { script_path: "a/../../x.js", confirm: true }],
    ["library_info", { path: "../../../package.json" }],
    ["library_copy", { source: "../../run.ts" }],
    ["library_copy", { source: "code-review", destination: "ensembles/../../evil.yaml" }],
    ["library_copy", { source: "code-review", destination: "/tmp/evil.yaml" }],
    ["delete_artifact", { artifact_id: "../x/latest", confirm: true }],
    ["delete_artifact", { artifact_id: "a/b/c", confirm: true }],
    ["analyze_execution", { artifact_id: "back/../../x" }],
    ["cleanup_artifacts", { older_than_days: 0, ensemble_name: "../..", dry_run: false }],
  ])("[ensembles.crud] %s refuses a path out of its folder: %j", async (name, args) => {
    const root = join(folder, ".llm-orc");
    // What is written through the link is seen in the listing as well.
    if (!existsSync(join(root, "scripts/link")))
      symlinkSync(mkdtempSync(join(tmpdir(), "outside-")), join(root, "scripts/link"));
    const all = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
    const before = all();
    expect(await refused(name, args)).toMatch(
      /^(?:bad_name|outside|bad_script|unknown_item|bad_artifact_id): /,
    );
    expect(all()).toEqual(before);
  });

  it("[ensembles.streaming] tells progress from 0 and what happens, warnings and failures with it", async () => {
    const progress: [number, number | undefined, string | undefined][] = [];
    const said: string[] = [];
    client.setNotificationHandler(
      "notifications/message",
      ({ params }) => void said.push(`${params.level}: ${String(params.data)}`),
    );
    // The client forgets who hears of it when the answer comes with the last of it in one piece.
    const { transport } = client;
    const receive = transport?.onmessage;
    if (transport === undefined || receive === undefined) throw new TypeError("expected a connected client");
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- because a transport has no other way to listen
    transport.onmessage = (message, extra) => {
      if ("method" in message && message.method === "notifications/progress") {
        const one = message.params as { progress: number; total?: number; message?: string };
        progress.push([one.progress, one.total, one.message]);
      }
      receive(message, extra);
    };
    await client.callTool(
      { name: "invoke", arguments: { ensemble_name: "back", input_data: "x" } },
      { onprogress: () => undefined },
    );
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- because a transport has no other way to listen
    transport.onmessage = receive;
    expect(progress.map(([done, total]) => [done, total])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
    expect(progress[0]?.[2]).toBe("○ a\n○ b");
    expect(progress.at(-1)?.[2]).toBe("✓ a\n✗ b");
    expect(said.filter((line) => line.startsWith("warning"))).toEqual([
      expect.stringContaining("Agent 'a' falls back from gone to micro: Ollama has no model none:1b"),
    ]);
    expect(said.filter((line) => line.startsWith("error"))).toEqual([
      expect.stringContaining("Agent 'b' failed: "),
    ]);
    expect(said[0]).toBe("info: Ensemble 'back' started with 2 agents");
    expect(said.at(-1)).toBe("info: Ensemble ended: completed_with_errors");
    expect(said).toContain("info: Agent 'a' completed");
  });

  it("[ensembles.streaming] ends the run and its scripts when the call is cancelled", async () => {
    const stop = new AbortController();
    const calling = client.callTool(
      { name: "invoke", arguments: { ensemble_name: "slow", input_data: "" } },
      { signal: stop.signal },
    );
    await expect.poll(() => sleepers().length).toBeGreaterThan(0);
    stop.abort();
    await expect(calling).rejects.toThrow(/abort/i);
    await expect.poll(() => sleepers()).toEqual([]);
    const artifact = async (): Promise<unknown> => await read(client, "llm-orc://artifact/slow/latest");
    await expect.poll(artifact).toMatchObject({
      status: "cancelled",
      results: {
        first: { status: "success" },
        asleep: { status: "failed", error: "the run was cancelled" },
      },
    });
  });
});

describe("[ensembles.artifacts] kill -9 of a run", () => {
  it("leaves whole artifacts that say where it stood, and a link that leads to one, at 20 points", async () => {
    const artifacts = join(folder, ".llm-orc/artifacts/steps");
    const killAt = async (point: number): Promise<void> => {
      const child: ChildProcess = spawn(process.execPath, [MAIN, "run", "steps", "go"], {
        env: environment(),
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = once(child, "exit");
      if (child.stderr === null) throw new Error("no stderr");
      // Ten lines tell of five agents; every other time it is killed a little after its line.
      let lines = 0;
      for await (const _ of createInterface({ input: child.stderr })) {
        if (lines++ < Math.floor(point / 2)) continue;
        if (point % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 7));
        break;
      }
      child.kill("SIGKILL");
      await ended;
    };
    for (let point = 0; point < 20; point += 4)
      await Promise.all([0, 1, 2, 3].map((one) => killAt(point + one)));

    const entries = readdirSync(artifacts);
    const runs = entries.filter((name) => /^\d{8}/.test(name));
    expect(runs.length).toBeGreaterThan(10);
    expect(runs).toContain(readlinkSync(join(artifacts, "latest")));
    const client = await overStdio();
    const stood = await Promise.all(
      runs.map(async (id) => {
        JSON.parse(readFileSync(join(artifacts, id, "execution.json"), "utf8"));
        expect(readFileSync(join(artifacts, id, "execution.md"), "utf8")).toMatch(/^# steps\n/);
        return (await read(client, `llm-orc://artifact/steps/${id}`)) as {
          status: string;
          results: object;
          metadata: { running: string[] };
        };
      }),
    );
    for (const { status, results, metadata } of stood) {
      expect(["interrupted", "completed"]).toContain(status);
      if (status === "interrupted") expect(metadata.running.length).toBeLessThanOrEqual(1);
      expect(Object.values(results)).toEqual(
        Object.values(results).map(() => expect.objectContaining({ status: "success" })),
      );
    }
    expect(stood.filter(({ status }) => status === "interrupted").length).toBeGreaterThan(5);
    expect(readdirSync(join(folder, ".llm-orc/ensembles")).filter((name) => name.endsWith(".tmp"))).toEqual(
      [],
    );
  }, 120_000);
});

describe("in a channel", () => {
  let slack: FakeSlack;
  let options: ProductOptions;
  let product: HostedProduct;
  /** The first one, in a process that is killed. */
  let killable: RunningProduct;
  beforeAll(async () => {
    const known = (await readKnownServers()).find(({ name }) => name === "ensembles");
    slack = await startSlackWorkspace();
    const { slack: surface } = channelApproves() as { slack: object };
    options = {
      config: { model: { provider: "builtin" }, slack: surface, ...(known?.config as object) },
      env: { ENSEMBLES_PROJECT: folder, OLLAMA_HOST: ollama.url },
      dataDir: await temporaryFolder(),
      endsWith: "file",
    };
    killable = await startOwnBot(slack, options);
    product = killable;
  });
  const ask = (words: string, shown: string | RegExp): Promise<Message> =>
    answerTo(slack, slack.user("ana").mention("general", words), shown);
  const press = (card: Message, control: string): Promise<unknown> =>
    slack.user("ana").click(card.ts, control);

  it("[ensembles.streaming] [ensembles.runbook] asks, ticks its agents off in the status message, and shows what came of them", async () => {
    // It reads at once: the list, a file with its faults.
    await ask("/ensemble list", "code-review");
    const checked = await ask("/ensemble check security-review", "security-review has 1 fault");
    expect(says(checked.blocks, "uses unknown profile 'default'")).toBe(true);

    // It runs when a person has said so, and the message ticks the agents off.
    const card = await ask("/ensemble ticked please go", "Run the ensemble ticked");
    expect(existsSync(join(folder, ".llm-orc/artifacts/ticked"))).toBe(false);
    await press(card, "cs:approve");
    await slack.until(() => says(card.blocks, "✓ first") && says(card.blocks, "○ third"));
    writeFileSync(join(folder, "open"), "");
    await slack.until(() => says(card.blocks, "3 of 3 agents succeeded"));
    expect(says(card.blocks, "✓ first  →  ✓ second  →  ✓ third")).toBe(true);
    const run = JSON.parse(
      readFileSync(join(folder, ".llm-orc/artifacts/ticked/latest/execution.json"), "utf8"),
    ) as { input: object };
    expect(run.input).toEqual({ data: "please go" });

    // The run is looked back at, with its report as a file.
    await ask("/ensemble past ticked/latest", "3 of 3 agents succeeded");
    await slack.until(() => slack.files().some(({ name }) => /^ticked-.*\.md$/.test(name)));

    // The page draws who waits for whom, for a file as for a run.
    const drawing = async (words: string): Promise<string> => {
      const { body } = await say(product, words);
      const page = await fetch(`${product.url}/playground/turns/${body.turn_id ?? ""}`);
      return /<svg class="cs-graph" role="img"[^>]*>.*?<\/svg>/s.exec(await page.text())?.[0] ?? "";
    };
    const file = await drawing("/ensemble check ticked");
    expect(file).toContain('aria-label="first  →  second  →  third"');
    expect(file.match(/<text [^>]*>/g)).toHaveLength(3);
    expect(await drawing("/ensemble past ticked")).toContain('aria-label="✓ first  →  ✓ second  →  ✓ third"');
  });

  it("[ensembles.runbook] passes the steps that people take: all but the resources of the protocol", async () => {
    // 1, 2 and 3: the list, a good file, a bad one.
    await ask("/ensemble list", "validate-ollama");
    await ask("/ensemble check validate-ollama", "validate-ollama is right");
    await ask("/ensemble check security-review", "uses unknown profile 'default'");
    // 4 and 7: a run, which a person approves, and what is kept of it.
    const run = await ask("/ensemble validate-ollama What is 2+2?", "Run the ensemble validate-ollama");
    await press(run, "cs:approve");
    await slack.until(() => says(run.blocks, "1 of 1 agent succeeded") && says(run.blocks, '"4"'));
    await ask("/ensemble past validate-ollama", "Completed: 1 of 1");
    // 8 to 11: profiles, the library, scripts.
    await ask("/ensemble profiles ollama", "qwen3:4b-instruct");
    await ask("/ensemble search review", "code-review");
    await ask("/ensemble library", "servers/ensembles/library");
    await ask("/ensemble scripts t", "quick");
    // 12: one is made and deleted, both only when a person has said so.
    const path = join(folder, ".llm-orc/ensembles/test-crud-ensemble.yaml");
    const made = await ask(
      '/ensemble create name=test-crud-ensemble description="Test ensemble" agents=[]',
      "cs:approve",
    );
    expect(existsSync(path)).toBe(false);
    await press(made, "cs:approve");
    await slack.until(() => existsSync(path) && says(made.blocks, "Created ensemble"));
    const deleted = await ask("/ensemble delete test-crud-ensemble", "cs:approve");
    expect(existsSync(path)).toBe(true);
    await press(deleted, "cs:approve");
    await slack.until(() => !existsSync(path) && says(deleted.blocks, "Deleted the ensemble"));
    // 13 to 15: what is within reach, one that can run, and one that cannot, with what could stand in.
    await ask("/ensemble providers", "not configured: set GEMINI_API_KEY");
    await ask("/ensemble ready validate-ollama", "available");
    const board = await ask("/ensemble ready startup-advisory-board", "provider_unavailable");
    expect(says(board.blocks, "local-small")).toBe(true);
  });

  it("[ensembles.artifacts] says after kill -9 in the middle of a run how far it came, and runs nothing twice", async () => {
    const runs = join(folder, ".llm-orc/artifacts/cut");
    const started = (): string[] => readdirSync(runs).filter((name) => name !== "latest");
    const begin = async (): Promise<Message> => {
      const card = await ask("/ensemble cut please go", "Run the ensemble cut");
      await press(card, "cs:approve");
      await slack.until(() => says(card.blocks, "✓ first") && says(card.blocks, "○ second"));
      return card;
    };
    const server = (): number =>
      (
        JSON.parse(readFileSync(join(runs, "latest/execution.json"), "utf8")) as {
          metadata: { pid: number };
        }
      ).metadata.pid;
    /** What the card says, what the record says that it offers, and the end when a person has settled it. */
    const settle = async (card: Message, how: RegExp): Promise<void> => {
      // The turn may still run for a moment when its call is known to be in doubt: only then can it be stopped.
      await slack.until(
        () => says(card.blocks, "Did this happen? Run the ensemble cut") && !says(card.blocks, "cs:stop"),
      );
      expect(says(card.blocks, "It is not sent again.")).toBe(true);
      const own = (): Message[] =>
        slack.ephemerals("ana").filter(({ thread_ts: thread }) => thread === card.thread_ts);
      // The server that was killed comes back by itself; until then each look says why there is no answer.
      for (let looks = 1; !says(own().at(-1)?.blocks, "1 of 2 agents succeeded"); looks += 1) {
        await press(card, "Look it up");
        await slack.until(() => own().length >= looks);
      }
      expect(says(own().at(-1)?.blocks, how)).toBe(true);
      // Of which run it tells: the one that was approved there, by its time.
      expect(says(own().at(-1)?.blocks, `cut/${readlinkSync(join(runs, "latest"))}`)).toBe(true);
      expect(says(own().at(-1)?.blocks, /✓ first {2}→ {2}[○✗] second/)).toBe(true);
      await press(card, "It happened");
      await slack.until(() => says(card.blocks, "settled it: it happened"));
    };

    // The server's own process, with the product alive.
    const first = await begin();
    process.kill(server(), "SIGKILL");
    await settle(first, /Interrupted: its process ended in the middle: 1 of 2.*Under way: second/);

    // The product's process: the server loses its client, and ends what it was asked for.
    const second = await begin();
    const orphan = server();
    await killable.kill();
    await expect.poll(() => isAlive(orphan)).toBe(false);
    expect(sleepers()).toEqual([]);
    product = await startBot(slack, options);
    await settle(second, /(?:Cancelled|Interrupted: its process ended in the middle): 1 of 2/);
    expect(started()).toHaveLength(2);
    expect(sleepers()).toEqual([]);
  }, 120_000);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Processes of the script that never answers. */
function sleepers(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep\u00005432");
    } catch {
      return false;
    }
  });
}
