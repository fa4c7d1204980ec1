// A few scenarios of the public suite; `npm run conformance` runs all that are scored.
import { afterAll, beforeAll, expect, it } from "vitest";

import { runScenario, startServer } from "#test/conformance/run.ts";
import { scenarios } from "#test/conformance/scenarios.ts";
import type { ServerName } from "#test/conformance/scenarios.ts";

import { cleanUp, cleanUpAll } from "./support.ts";

const urls = new Map<ServerName | undefined, string>();

beforeAll(async () => {
  const names: ServerName[] = ["jira", "confluence", "kit"];
  await Promise.all(
    names.map(async (name) => {
      const server = await startServer(name);
      cleanUp(() => server.stop());
      urls.set(name, server.url);
    }),
  );
});
afterAll(cleanUpAll);

const short = [
  "0.1.16 2025-11-25 client elicitation-sep1034-client-defaults",
  "0.2.0-alpha.12 2025-11-25 client tools_call",
  "0.2.0-alpha.12 2026-07-28 client auth/iss-wrong-issuer",
  "0.2.0-alpha.12 2026-07-28 client auth/scope-step-up",
  "0.2.0-alpha.12 2026-07-28 client http-custom-headers",
  "0.2.0-alpha.12 2025-11-25 server server-session-lifecycle jira",
  "0.2.0-alpha.12 2025-11-25 server dns-rebinding-protection confluence",
  "0.2.0-alpha.12 2026-07-28 server server-stateless kit",
];

it.each(short)("[mcp.conformance] the suite's scenario passes: %s", async (wanted) => {
  const scenario = scenarios().find(
    ({ suite, revision, leg, name, server = "" }) =>
      `${suite} ${revision} ${leg} ${name} ${server}`.trim() === wanted,
  );
  if (scenario === undefined) throw new Error("the suite has no such scenario");
  const { ok, output } = await runScenario(scenario, urls.get(scenario.server) ?? "");
  expect({ ok, output: ok ? "" : output.slice(-4_000) }).toEqual({ ok: true, output: "" });
});

it.each(["jira", "confluence"] as const)(
  "[mcp.transports] %s says how long its list of tools may be kept, and by whom",
  async (name) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const response = await fetch(urls.get(name) ?? "", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } }),
    });
    expect(await response.json()).toMatchObject({ result: { ttlMs: 60_000, cacheScope: "public" } });
  },
);
