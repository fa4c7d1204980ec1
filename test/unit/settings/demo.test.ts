import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { Ajv } from "ajv";
import { expect, it } from "vitest";
import { parse } from "yaml";

import { configJsonSchema } from "#src/settings/schema.ts";
import { loadSettings } from "#src/settings/load.ts";

const cwd = fileURLToPath(new URL("../../../", import.meta.url));

/** Every variable that the examples ask for. */
const env = {
  SLACK_BOT_TOKEN: "xoxb-1",
  SLACK_APP_TOKEN: "xapp-1",
  JIRA_URL: "https://jira.example.com",
  JIRA_BASE_URL: "https://jira.example.com",
  JIRA_EMAIL: "ana@example.com",
  JIRA_API_TOKEN: "t1",
  CONFLUENCE_URL: "https://wiki.example.com",
  CONFLUENCE_EMAIL: "ana@example.com",
  CONFLUENCE_API_TOKEN: "t2",
  DATABASE_URL: "postgres://localhost/countersign",
  COUNTERSIGN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  ANA_TOKEN: "ana-1",
  BEN_TOKEN: "ben-1",
  COUNTERSIGN_TOKEN: "operator-1",
};

it("[mcp.config] the demo configuration needs nothing from the environment", async () => {
  const settings = await loadSettings({ file: "config/countersign.yaml", env: {}, cwd });
  expect(
    settings.servers.map(({ name, command, trust_annotations }) => ({ name, command, trust_annotations })),
  ).toEqual([
    { name: "knowledge", command: ["node", "servers/knowledge/main.ts"], trust_annotations: true },
    { name: "jira", command: ["node", "servers/jira/main.ts"], trust_annotations: true },
    { name: "confluence", command: ["node", "servers/confluence/main.ts"], trust_annotations: true },
    { name: "sql", command: ["node", "servers/sql/main.ts"], trust_annotations: true },
  ]);
  expect(settings.http).toEqual({ host: "127.0.0.1", port: 8787, tokens: [], public_url: "" });
  expect(settings.model.provider).toBe("auto");
  expect(settings.policy.rules[0]).toMatchObject({ tools: ["jira.delete_*"], quorum: 2, ttl_ms: 1_800_000 });
  expect(settings.slack.bot_token).toBe("");
  expect(settings.data_dir).toBe(`${cwd}data`);
});

it("[mcp.config] every example is valid, for the loader and for an editor with the schema", async () => {
  const examples = (await readdir(`${cwd}config/examples`)).map((name) => `config/examples/${name}`);
  const fits = new Ajv({ strict: false }).compile(configJsonSchema());
  expect(examples.length).toBeGreaterThanOrEqual(3);
  for (const file of ["config/countersign.yaml", ...examples]) {
    await expect(loadSettings({ file, env, cwd })).resolves.toBeDefined();
    expect(
      fits(parse(await readFile(`${cwd}${file}`, "utf8"))),
      `${file}: ${JSON.stringify(fits.errors)}`,
    ).toBe(true);
  }
});

it("config/schema.json is what `npm run schema` writes", async () => {
  const written: unknown = JSON.parse(await readFile(`${cwd}config/schema.json`, "utf8"));
  expect(written).toEqual(configJsonSchema());
});
