import { expect, it } from "vitest";

import { loadText, problemsOf } from "./write-config.ts";

const seed = `
servers:
  - name: jira
    sse_url: "http://localhost:8003/sse/"
    # Optional: launch as a child process (for dev/CI)
    command: ["python", "Previous Design/MCP/jira_mcp_server_simple.py"]
    cwd: "/home/someone/projects/mcp_jira"
    env: {}
    use_persistent_session: false

  - name: confluence
    sse_url: "http://localhost:8004/sse/"
    use_persistent_session: true
views:
  get_jira_issue: JiraIssueView
`;

it("[mcp.config] the older form of the server list is valid, in YAML and in JSON alike", async () => {
  const settings = await loadText(seed);
  expect(settings.servers[0]).toMatchObject({
    name: "jira",
    sse_url: "http://localhost:8003/sse/",
    command: ["python", "Previous Design/MCP/jira_mcp_server_simple.py"],
    cwd: "/home/someone/projects/mcp_jira",
    env: {},
    use_persistent_session: false,
    trust_annotations: false,
    timeout_ms: 30_000,
    credentials: {},
  });
  expect(settings.servers[1]?.use_persistent_session).toBe(true);
  expect(settings.views).toEqual({ get_jira_issue: "JiraIssueView" });

  const { servers } = settings;
  const json = JSON.stringify({ servers, views: settings.views }, null, "\t");
  expect((await loadText(json, { as: "json" })).servers).toEqual(servers);
});

it("[mcp.config] args follow command, variables become text, cwd becomes absolute", async () => {
  const text =
    "servers: [{ name: a, command: node, args: [x.ts, --port, '1'], cwd: sub, env: { PORT: 1, DEBUG: true } }]";
  const [server] = (await loadText(text)).servers;
  expect(server?.command).toEqual(["node", "x.ts", "--port", "1"]);
  expect(server?.env).toEqual({ PORT: "1", DEBUG: "true" });
  expect(server?.cwd).toMatch(/^\/.+\/sub$/);
});

it.each([
  ["{ name: a }", "servers[0]", "url, sse_url or command"],
  ["{ name: a, command: [] }", "servers[0].command", "a program with its arguments as a list"],
  ["{ name: a, command: 7 }", "servers[0].command", "a program with its arguments as a list"],
  ["{ name: a, command: node main.ts }", "servers[0].command", "program and arguments as a list"],
  ["{ name: a, url: 'ftp://x' }", "servers[0].url", "an http or https URL"],
  ["{ name: a, url: 'javascript:alert(1)' }", "servers[0].url", "an http or https URL"],
  ["{ name: a, url: 'http://x', sse_url: 'http://x/sse/' }", "servers[0].sse_url", "either url or sse_url"],
  ["{ url: 'http://x' }", "servers[0].name", "text"],
  ["{ name: a.b, url: 'http://x' }", "servers[0].name", "a name of letters"],
  ["{ name: a, url: 'http://x', timeout_ms: 1.5 }", "servers[0].timeout_ms", "a whole number"],
  ["{ name: a, url: 'http://x', timeout_ms: 5 }", "servers[0].timeout_ms", "at least 100"],
  ["{ name: a, url: 'http://x', env: { A: [] } }", "servers[0].env.A", "text, a number, true or false"],
])("[mcp.config] refuses the server %s", async (server, path, expected) => {
  expect(await problemsOf(`servers:\n  - ${server}\n`)).toEqual([
    expect.objectContaining({ path, expected: expect.stringContaining(expected), line: 2 }),
  ]);
});

it("[mcp.config] refuses two servers of one name, at the second", async () => {
  const text = "servers:\n  - { name: a, url: 'http://x' }\n  - { name: a, url: 'http://y' }\n";
  expect(await problemsOf(text)).toMatchObject([{ path: "servers[1].name", line: 3, found: '"a"' }]);
});

it.each([
  "servers: [{ name: a, url: 'http://x', headers: { X-Plain: \"hush-hush\\nit\" } }]",
  "servers: [{ name: a, url: 'http://x', headers: { Authorization: 'Bearer hush-hush\u2028' } }]",
  "servers: [{ name: a, url: 'http://x', person_headers: { 'http:ana': { X-Plain: \"hush-hush\\0\" } } }]",
  'model: { openai: { api_key: "hush-hush\\nit" } }',
  "model: { gemini: { api_key: 'hush-hush…' } }",
])(
  "[mcp.config] a header that could not be sent is refused without saying what it holds: %j",
  async (text) => {
    const problems = await problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.expected).toContain("without line breaks");
    expect(JSON.stringify(problems)).not.toContain("hush");
  },
);

it("takes the line end of a file with a token for no part of it", async () => {
  const text = "servers: [{ name: a, url: 'http://x', headers: { Authorization: \"Bearer token\\n\" } }]";
  expect((await loadText(text)).servers[0]?.headers).toEqual({ Authorization: "Bearer token\n" });
});
