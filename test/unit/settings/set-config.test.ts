import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

import { setVariables } from "#app/env-file.ts";
import { setConfig } from "#app/set-config.ts";
import { openDraft } from "#app/setup/draft.ts";

/** Of a change: lines that went and came, which have to be all that differs. */
function changed(before: string, after: string): { gone: string[]; come: string[] } {
  const [old, now] = [before, after].map((text) => text.split("\n"));
  const gone = old?.filter((line) => now?.includes(line) !== true) ?? [];
  const come = now?.filter((line) => old?.includes(line) !== true) ?? [];
  return { gone, come };
}

const file = `# head
model: # the model
  provider: auto # auto | builtin
servers:
  # ours
  - name: jira
    env: {}
    cwd: . # here
  # a database
  # of the demo
  - name: sql
    env: { SQL_URL: "x" }
policy:
  rules: # in order
    - tools: [a.b]
      decision: ask

# who

people:
  - { name: Ana } # first
`;

describe("one value of a configuration", () => {
  it.each<[string, (string | number)[], unknown, { gone: string[]; come: string[] }]>([
    [
      "a scalar",
      ["model", "provider"],
      "builtin",
      { gone: ["  provider: auto # auto | builtin"], come: ["  provider: builtin # auto | builtin"] },
    ],
    ["the same", ["model", "provider"], "auto", { gone: [], come: [] }],
    ["a new key", ["model", "temperature"], 0.5, { gone: [], come: ["  temperature: 0.5"] }],
    ["a new part", ["slack", "bot_token"], "${T:-}", { gone: [], come: ["slack:", "  bot_token: ${T:-}"] }],
    ["a key of a list's item", ["servers", 1, "cwd"], "x", { gone: [], come: ["    cwd: x"] }],
    [
      "a mapping for an empty one",
      ["servers", 0, "env"],
      { A: "1", B: "2" },
      { gone: ["    env: {}"], come: ["    env:", '      A: "1"', '      B: "2"'] },
    ],
    [
      "a value in one line",
      ["servers", 1, "env", "SQL_URL"],
      "y",
      { gone: ['    env: { SQL_URL: "x" }'], come: ["    env: { SQL_URL: y }"] },
    ],
    [
      "a list of words",
      ["policy", "rules", 0, "tools"],
      ["c.d", "e.f"],
      { gone: ["    - tools: [a.b]"], come: ["    - tools: [c.d, e.f]"] },
    ],
    [
      "an item of a list",
      ["policy", "rules", 0],
      { tools: ["c.d"], decision: "deny" },
      {
        gone: ["    - tools: [a.b]", "      decision: ask"],
        come: ["    - tools: [c.d]", "      decision: deny"],
      },
    ],
    [
      "an empty list for a block",
      ["people"],
      [],
      { gone: ["people:", "  - { name: Ana } # first"], come: ["people: []"] },
    ],
    [
      "without an item and its comment",
      ["servers", 1],
      undefined,
      { gone: ["  # a database", "  # of the demo", "  - name: sql", '    env: { SQL_URL: "x" }'], come: [] },
    ],
    ["without a key", ["servers", 0, "cwd"], undefined, { gone: ["    cwd: . # here"], come: [] }],
    [
      "without a part",
      ["model"],
      undefined,
      { gone: ["# head", "model: # the model", "  provider: auto # auto | builtin"], come: [] },
    ],
  ])("[ops.setup] %s: nothing else of the text changes", (_, path, value, lines) => {
    const after = setConfig(file, path, value);
    expect(changed(file, after)).toEqual(lines);
    let found: unknown = parse(after);
    for (const key of path.slice(0, -1)) found = (found as Record<string | number, unknown>)[key];
    const last = path.at(-1) ?? "";
    if (value !== undefined) expect((found as Record<string | number, unknown>)[last]).toEqual(value);
  });

  it("[ops.setup] JSON stays JSON, and every part of the delivered file can be set and taken out", async () => {
    const json = JSON.stringify({ model: { provider: "auto" }, servers: [{ name: "jira", env: {} }] });
    const set = setConfig(setConfig(json, ["servers", 0, "env"], { A: "b", C: "d" }), ["slack"], {
      bot_token: "x",
    });
    expect(JSON.parse(set)).toEqual({
      model: { provider: "auto" },
      servers: [{ name: "jira", env: { A: "b", C: "d" } }],
      slack: { bot_token: "x" },
    });
    const delivered = await readFile("config/countersign.yaml", "utf8");
    for (const key of Object.keys(parse(delivered) as object)) {
      const without = parse(setConfig(delivered, [key], undefined)) as object;
      expect(Object.keys(without)).toEqual(
        Object.keys(parse(delivered) as object).filter((one) => one !== key),
      );
    }
  });
});

describe("the environment file", () => {
  it("[ops.setup] keeps comments, order and what others wrote, and reads back to the letter", () => {
    const before = "# ours\nexport A=1\nB='x y' # why\n\nC=\n";
    const values = { A: "2", C: "https://x.example/?a=b&c=#d", D: "it's `so`", E: '\\n"quoted"\'' };
    const after = setVariables(before, values);
    expect(parseEnv(after)).toEqual({ B: "x y", ...values });
    expect(after.split("\n").slice(0, 4)).toEqual(["# ours", "A=2", "B='x y' # why", ""]);
    expect(setVariables(after, values)).toBe(after);
    expect(() => setVariables("", { A: "a\nB=c" })).toThrow("one line");
    expect(() => setVariables("", { A: `'"\`` })).toThrow("one line");
  });

  it("[ops.setup] replaces a value of several lines as a whole, and looks into none", () => {
    const before = "A=\"x\nB=of A\"\nB='1\n2'\nC=3\n";
    expect(parseEnv(setVariables(before, { A: "a", B: "b" }))).toEqual({ A: "a", B: "b", C: "3" });
    expect(parseEnv(setVariables(before, { B: "b" }))).toEqual({ A: "x\nB=of A", B: "b", C: "3" });
  });
});

describe("what a set-up would write", () => {
  async function open(config: string) {
    const folder = await mkdtemp(join(tmpdir(), "countersign-draft-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "countersign.json");
    await writeFile(file, config);
    const draft = await openDraft({ file, env: { COUNTERSIGN_ENV: join(folder, ".env") }, cwd: folder });
    return { draft, file, variables: join(folder, ".env") };
  }
  const tokens = [{ actor: "ana", token: "secret-of-ana-0123456789" }];

  it.each([
    ["in one line", JSON.stringify({ model: { provider: "auto" }, http: { tokens } })],
    ["in braces", `http: { tokens: ${JSON.stringify(tokens)} }\nmodel: { provider: auto }`],
    [
      "written anew",
      `model: { provider: auto }\nhttp: { tokens: [{ actor: ana, token: secret-of-ana-0123456789 }] }`,
    ],
  ])("[ops.setup] is shown without the secrets of a file %s", async (_, config) => {
    const { draft } = await open(config);
    draft.set(["model", "provider"], "builtin");
    draft.set(["http", "tokens", 0, "actor"], "anna");
    draft.setVariables({ SLACK_BOT_TOKEN: "xoxb-secret" });
    const shown = draft.changes().join("\n");
    expect(shown).toContain("builtin");
    expect(shown).toContain("SLACK_BOT_TOKEN=(hidden)");
    expect(shown).not.toMatch(/secret/);
  });

  it("[ops.setup] is not written over what somebody else wrote meanwhile", async () => {
    const { draft, file, variables } = await open("model: { provider: auto }\n");
    draft.set(["model", "provider"], "builtin");
    await writeFile(file, "model: { provider: auto } # mine\n");
    await expect(draft.write()).rejects.toMatchObject({ code: "changed_meanwhile" });
    expect(await readFile(file, "utf8")).toContain("mine");
    await writeFile(file, "model: { provider: auto }\n");
    await writeFile(variables, "MINE=1\n");
    await expect(draft.write()).rejects.toThrow(".env was changed by somebody else");
    expect(await readFile(variables, "utf8")).toBe("MINE=1\n");
  });
});
