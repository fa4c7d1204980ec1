import { expect, it } from "vitest";

import { loadSettings } from "#src/settings/load.ts";
import { ConfigError } from "#src/settings/problem.ts";

import { loadText, problemsOf, refusal } from "./write-config.ts";

it.each([
  ["policyy: {}", "policyy", "did you mean `policy`?"],
  ["model: { olama: {} }", "model.olama", "did you mean `ollama`?"],
  ["servers: [{ name: a, comand: [x], url: 'http://x' }]", "servers[0].comand", "did you mean `command`?"],
  [
    "policy: { rules: [{ tools: [a.b], decision: ask, aprovers: [channel] }] }",
    "policy.rules[0].aprovers",
    "did you mean `approvers`?",
  ],
  ["commands: { jira: { server: a, defalt: b } }", "commands.jira.defalt", "did you mean `default`?"],
  ["channels: { C1: { privcy: {} } }", "channels.C1.privcy", "did you mean `privacy`?"],
  ["http: { zzzzzz: 1 }", "http.zzzzzz", "known here: host, port, tokens, public_url"],
])("[mcp.config] an unknown key is an error that names the nearest: %s", async (text, path, fix) => {
  expect(await problemsOf(text)).toContainEqual(
    expect.objectContaining({ path, expected: "a known key", fix, line: 1 }),
  );
});

it("[mcp.config] lists every problem in the file's order, with place, expected and found", async () => {
  const error = await refusal("http: { port: many }\nmodel:\n  provider: olama\nviewz: {}\n");
  expect(error.code).toBe("config_invalid");
  expect(error.message.split("\n")).toEqual([
    'countersign.yaml:1:15: http.port: expected a number, found "many"',
    'countersign.yaml:3:13: model.provider: expected one of auto, ollama, gemini, openai, builtin, found "olama"; did you mean `ollama`?',
    'countersign.yaml:4:1: viewz: expected a known key, found "viewz"; did you mean `views`?',
  ]);
  expect(error.details).toEqual(error.problems);
});

it.each([
  ["a: [1", "yaml"],
  ["a: 1\na: 2", "yaml"],
  ["? [x]\n: 1", "yaml"],
  ["a: !secret x", "yaml"],
  ["a: *nowhere", "yaml"],
  ["--- 1\n--- 2", "yaml"],
  ['{"a": 1,, }', "json"],
] as const)("[mcp.config] what is no YAML or JSON is refused with its place: %j", async (text, as) => {
  const [problem] = await problemsOf(text, { as });
  expect(problem).toMatchObject({ file: `countersign.${as}`, expected: "YAML or JSON" });
});

it("[knowledge.ingest] two sources of knowledge that nothing tells apart are refused", async () => {
  const sources = "[{ type: git, path: ../shop }, { type: folder, path: ../shop/, channels: [slack:T1:C1] }]";
  expect(await problemsOf(`knowledge: { sources: ${sources} }`)).toMatchObject([
    { path: "knowledge.sources[1].name", expected: expect.stringContaining("source 1 of the list") },
  ]);
});

it("an empty file is the defaults, a list or a text is not", async () => {
  await expect(loadText("# nothing yet\n")).resolves.toMatchObject({ servers: [], store: { url: "" } });
  expect(await problemsOf("- a")).toMatchObject([{ expected: "a mapping", found: "a list of 1" }]);
  expect(await problemsOf("hello")).toMatchObject([{ expected: "a mapping" }]);
});

it("says what to do when there is no file, and which file was meant", async () => {
  const env = { COUNTERSIGN_CONFIG: "elsewhere.yaml" };
  const refused = await loadSettings({ env, cwd: "/nonexistent" }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(refused).toMatchObject({
    message: expect.stringMatching(
      /^elsewhere\.yaml: expected a configuration file, found no such file; name one/,
    ),
  });
  await expect(loadSettings({ env, cwd: "/", file: "/dev" })).rejects.toBeInstanceOf(ConfigError);
});

it("never shows a secret, wherever it stands", async () => {
  const secret = "hunter2-hunter2";
  const error = await refusal(
    `
http: { tokens: [{ token: "${secret} ${secret}", actor: ana }, { token: [${secret}], actor: "x y" }] }
slack: { bot_token: { inner: ${secret} }, api_url: "${secret}" }
store: { url: "mysql://root:${secret}@db" }
limits: { steps: "\${STEPS}" }
servers:
  - { name: a, command: "node --token ${secret}", env: { KEY: [${secret}] } }
`,
    { env: { STEPS: secret } },
  );
  expect(error.problems.length).toBeGreaterThanOrEqual(6);
  expect(error.message).not.toContain("hunter2");
});

it("a bot token alone does not say how Slack reaches us", async () => {
  expect(await problemsOf("slack: { bot_token: xoxb-1 }")).toMatchObject([{ path: "slack.app_token" }]);
  await expect(loadText("slack: { bot_token: xoxb-1, signing_secret: s }")).resolves.toBeDefined();
});

it("bearer tokens name people of the HTTP surface, each once", async () => {
  const { http } = await loadText(
    "http: { tokens: [{ token: a, actor: ana }, { token: b, actor: http:ben }] }",
  );
  expect(http.tokens.map((entry) => entry.actor)).toEqual(["http:ana", "http:ben"]);
  expect(await problemsOf("http: { tokens: [{ token: a, actor: slack:T1:U1 }] }")).toMatchObject([
    { path: "http.tokens[0].actor" },
  ]);
  expect(
    await problemsOf("http: { tokens: [{ token: a, actor: x }, { token: a, actor: y }] }"),
  ).toMatchObject([{ path: "http.tokens[1].token" }]);
});

it("a command needs a server that exists and a tool", async () => {
  const text =
    "commands: { jira: { server: jira, default: x } , wiki: { server: jira }, Big: { server: a, default: b } }";
  expect((await problemsOf(text)).map((problem) => problem.path)).toEqual(["commands.Big"]);
  const paths = (await problemsOf("commands: { jira: { server: jira } }")).map((problem) => problem.path);
  expect(paths.toSorted()).toEqual(["commands.jira", "commands.jira.server"]);
});

it("examples carry any arguments", async () => {
  const { examples } = await loadText(
    "examples: [{ message: who is on call, tool: confluence.search_confluence, args: { query: on-call, deep: [null, { a: 1 }] } }]",
  );
  expect(examples).toEqual([
    {
      message: "who is on call",
      tool: "confluence.search_confluence",
      args: { query: "on-call", deep: [null, { a: 1 }] },
    },
  ]);
});

it.each([
  ["tools: { a.b: { statement: 'Open {title' } }", 'tools["a.b"].statement', "braces in pairs"],
  [
    "tools: { a.b: { statement: 'Open {a b}' } }",
    'tools["a.b"].statement',
    "the name of an argument between braces",
  ],
  ["tools: { a.b: { statement: '{title}' } }", 'tools["a.b"].statement', "begins with a verb"],
  ["tools: { a.b: { object: { read: a.get } } }", 'tools["a.b"].object.read', "the bare name of a read"],
  ["tools: { 'a.[b]': { undo: true } }", 'tools["a.[b]"]', "globs know"],
])(
  "[card.statement] a sentence that cannot be made is refused with its place: %s",
  async (text, path, expected) => {
    const problems = await problemsOf(text);
    expect(problems.map((problem) => problem.path)).toContain(path);
    expect(JSON.stringify(problems)).toContain(expected);
    expect(problems[0]?.line).toBe(1);
  },
);
