import { readdirSync, readFileSync } from "node:fs";

import { expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { createPolicy } from "#src/policy/policy.ts";
import { loadSettings } from "#src/settings/load.ts";
import { root } from "#test/fakes/mcp-box.ts";
import { buildTool } from "#test/builders.ts";

const env = {
  ATLASSIAN_AUTHORIZATION: "Basic abc",
  GITHUB_TOKEN: "ghp_abcdefgh",
  FILES_FOLDER: "/srv/files",
  DATABASE_URL: "postgres://localhost/countersign",
  COUNTERSIGN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  SLACK_BOT_TOKEN: "xoxb-1",
  SLACK_APP_TOKEN: "xapp-1",
};

it.each(readdirSync(`${root}config/examples`))(
  "[mcp.config] the example %s is a valid configuration",
  async (name) => {
    const text = readFileSync(`${root}config/examples/${name}`, "utf8");
    const others = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, variable = ""]) => [
      variable,
      `https://${variable}.example.com`,
    ]);
    const settings = await loadSettings({
      file: `config/examples/${name}`,
      env: { ...Object.fromEntries(others), ...env },
      cwd: root,
    });
    expect(settings.file).toContain(name);
    for (const server of settings.servers) {
      expect([server.url, server.sse_url, server.command].filter((way) => way !== undefined)).not.toEqual([]);
    }
  },
);

it("[approve.policy] tells reads from changes by an argument, where a tool does both", async () => {
  const { policy } = await loadSettings({
    file: "config/examples/jira-npm.yaml",
    env: { JIRA_BASE_URL: "https://a.example", JIRA_EMAIL: "a@a.example", JIRA_API_TOKEN: "t" },
    cwd: root,
  });
  const decide = createPolicy(policy);
  const toolOf = (name: string): Tool => buildTool(`jira.${name}`, { trusted: false });
  const decided = (name: string, args: JsonObject): string => decide(toolOf(name), args).decision;
  expect([
    decided("jira_issues", { action: "get" }),
    decided("jira_search", { action: "issues" }),
    decided("jira_links", { action: "list" }),
    decided("jira_workflow", { action: "get_transitions" }),
  ]).toEqual(["allow", "allow", "allow", "allow"]);
  expect([
    decided("jira_issues", { action: "create" }),
    decided("jira_issues", {}),
    decided("jira_workflow", { action: "transition" }),
    decided("jira_links", { action: "remove" }),
    decided("jira_attachments", { action: "delete" }),
  ]).toEqual(["ask", "ask", "ask", "ask", "ask"]);
  expect(decided("jira_attachments", { action: "upload", filePath: "/etc/passwd" })).toBe("deny");
});

it("reaches the servers that the seeds name, on their ports", async () => {
  const { servers } = await loadSettings({ file: "config/examples/local-servers.yaml", env, cwd: root });
  expect(servers.map((server) => server.sse_url ?? server.command)).toEqual([
    "http://localhost:8003/sse/",
    "http://localhost:8004/sse/",
    "http://localhost:9006/sse",
    ["llm-orc", "mcp", "serve"],
  ]);
});

it("gives each port of this machine to one server, in the examples and in the docs", async () => {
  const files = [
    ...readdirSync(`${root}config/examples`).map((name) => `config/examples/${name}`),
    ...readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  ];
  const owners = new Map<string, Set<string>>();
  for (const file of files) {
    const text = readFileSync(`${root}${file}`, "utf8");
    const found = text.matchAll(
      /- (?:\{ )?name: ([\w-]+)[\n,][^#]{0,80}?url: "?(?:\$\{\w+:-)?https?:\/\/(?:127\.0\.0\.1|localhost):(\d+)/g,
    );
    for (const [, name = "", port = ""] of found) owners.set(port, (owners.get(port) ?? new Set()).add(name));
  }
  // Seed 000 has Jira and Confluence there, seed 002 the knowledge server; 8005 is free for Sisense.
  expect(owners).toEqual(
    new Map([
      ["8003", new Set(["jira"])],
      ["8004", new Set(["confluence"])],
      ["8005", new Set(["sisense"])],
      ["9006", new Set(["knowledge"])],
    ]),
  );
});

it("fills the headers and folders of presets from the environment", async () => {
  const load = (name: string) => loadSettings({ file: `config/examples/${name}.yaml`, env, cwd: root });
  const [github] = (await load("github")).servers;
  expect(github?.headers).toEqual({ Authorization: "Bearer ghp_abcdefgh" });
  const [files] = (await load("filesystem")).servers;
  expect(files?.sandbox).toEqual({ network: true, write: ["/srv/files"] });
});
