import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { readKnownServers, variablesOf } from "#app/known-servers.ts";
import { mergeConfig, writeConfig } from "#app/merge-config.ts";
import { templateParts } from "#src/base/template.ts";
import { compileGlob } from "#src/base/tool-names.ts";
import { loadSettings } from "#src/settings/load.ts";

import { page, servers as pageOfServers } from "../../../scripts/servers-page.ts";
import { loadText } from "./write-config.ts";

const known = await readKnownServers();
const root = new URL("../../../", import.meta.url);
/** Tools that configurations name, with their arguments, as the servers listed them when they were tried. */
const listed = JSON.parse(readFileSync(new URL("test/fixtures/known-servers.json", root), "utf8")) as Record<
  string,
  Record<string, string[]>
>;

/** All that a configuration reads from the environment, set to something. */
function environmentOf(config: unknown): NodeJS.ProcessEnv {
  return Object.fromEntries(
    variablesOf(config).map(({ name }) => [name, `https://${name.toLowerCase()}.example`]),
  );
}

describe("the servers that people ask for most", () => {
  it("[mcp.config] are those of docs/servers.md, which `npm run servers` writes", async () => {
    expect(readFileSync(page, "utf8")).toBe(await pageOfServers());
    expect(known.map(({ name }) => name)).toEqual(
      (
        "atlassian mcp-atlassian github gitlab linear notion sentry slack postgres sqlite git filesystem fetch time " +
        "memory grafana pagerduty google-drive llm-orc playwright web ensembles sql sisense knowledge"
      ).split(" "),
    );
  });

  it.each(known)("[mcp.config] have a valid configuration: $name", async ({ name, variables, config }) => {
    const settings = await loadText(writeConfig(config), { env: environmentOf(config) });
    expect(settings.servers.map((server) => server.name)).toEqual([name]);
    expect(
      variablesOf(config)
        .map((one) => one.name)
        .toSorted(),
    ).toEqual(Object.keys(variables).toSorted());
    const ids = [
      ...settings.policy.rules.flatMap((rule) => rule.tools),
      ...Object.keys(settings.tools),
      ...Object.keys(settings.views),
    ];
    expect(ids.filter((id) => !id.startsWith(`${name}.`))).toEqual([]);
    expect(Object.values(settings.commands).filter(({ server }) => server !== name)).toEqual([]);
  });

  it.each(known.filter(({ name }) => Object.hasOwn(listed, name)))(
    "[mcp.config] name tools and arguments that the server has: $name",
    async ({ name, config }) => {
      const { policy, tools } = await loadText(writeConfig(config), { env: environmentOf(config) });
      const own = listed[name] ?? {};
      const globs = [...policy.rules.flatMap((rule) => rule.tools), ...Object.keys(tools)];
      const unknown = globs.filter(
        (glob) => !Object.keys(own).some((tool) => compileGlob(glob)(`${name}.${tool}`)),
      );
      expect(unknown).toEqual([]);
      for (const [id, { statement = "" }] of Object.entries(tools)) {
        const names = templateParts(statement).flatMap((part) => ("path" in part ? [part.path] : []));
        expect(own[id.slice(name.length + 1)]).toEqual(expect.arrayContaining(names));
      }
    },
  );
});

describe("a server that is added to a configuration", () => {
  const files = [
    "countersign.yaml",
    ...["github", "filesystem", "everything", "postgres"].map((one) => `examples/${one}.yaml`),
  ];

  it.each(files)("[mcp.config] leaves what is there to the letter: config/%s", async (file) => {
    const text = readFileSync(new URL(`config/${file}`, root), "utf8");
    let all = text;
    for (const { config } of known) all = mergeConfig(all, config);
    // Every line that was there, in its order.
    const lines = all.split("\n");
    let at = 0;
    for (const line of text.trimEnd().split("\n")) {
      at = lines.indexOf(line, at) + 1;
      expect(at, `${line} is gone`).toBeGreaterThan(0);
    }
    const names = (parse(all) as { servers: { name: string }[] }).servers.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(known.map(({ name }) => name)));
    expect(known.reduce((once, { config }) => mergeConfig(once, config), all)).toBe(all);
  });

  const part = {
    servers: [{ name: "time", command: ["uvx", "time"] }],
    policy: { rules: [{ tools: ["time.*"] }] },
  };

  it("[mcp.config] goes behind the last of its kind, as far to the right, before what is below", () => {
    const text =
      "servers: # mine\n- name: a\n  url: http://a # here\n# below\n\npolicy:\n    default: ask # always\n";
    expect(mergeConfig(text, part)).toBe(
      "servers: # mine\n- name: a\n  url: http://a # here\n- name: time\n  command: [uvx, time]\n# below\n\n" +
        "policy:\n    default: ask # always\n    rules:\n      - tools: [time.*]\n",
    );
  });

  it.each([
    ["nothing", "", {}],
    ["comments alone", "# mine\n", {}],
    ["an empty list", "servers: [] # none yet\n", {}],
    ["a key without a value", "servers:\n", {}],
    [
      "a list in one line",
      "servers: [{ name: a, url: 'http://a' }] # mine\n",
      { name: "a", url: "http://a" },
    ],
    ["JSON", '{ "servers": [{ "name": "a", "url": "http://a" }] }', { name: "a", url: "http://a" }],
  ])("[mcp.config] is written by the library into %s", (_what, text, first) => {
    const result = mergeConfig(text, part);
    const servers = [...(Object.keys(first).length === 0 ? [] : [first]), ...part.servers];
    expect(text.startsWith("{") ? JSON.parse(result) : parse(result)).toEqual({ ...part, servers });
    for (const [comment] of text.matchAll(/#.*/g)) expect(result).toContain(comment);
    expect(mergeConfig(result, part)).toBe(result);
  });

  it("[mcp.config] keeps the demo valid", async () => {
    const text = readFileSync(new URL("config/countersign.yaml", root), "utf8");
    const time = known.find(({ name }) => name === "time");
    const { servers } = await loadText(mergeConfig(text, time?.config ?? {}));
    const before = await loadSettings({ file: "config/countersign.yaml", env: {}, cwd: root.pathname });
    expect(servers.map(({ name }) => name)).toEqual([...before.servers.map(({ name }) => name), "time"]);
  });
});
