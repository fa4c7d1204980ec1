// A few scenarios of the public suite; `npm run conformance` runs all that are scored.
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { runScenario, startBundled } from "#test/conformance/run.ts";
import { scenarios } from "#test/conformance/scenarios.ts";

import { cleanUp, cleanUpAll } from "./support.ts";

vi.setConfig({ testTimeout: 90_000 });

let url: string;

beforeAll(async () => {
  const server = await startBundled();
  cleanUp(() => server.stop());
  ({ url } = server);
});
afterAll(cleanUpAll);

const short = [
  "0.1.16 2025-11-25 client elicitation-sep1034-client-defaults",
  "0.2.0-alpha.12 2025-11-25 client tools_call",
  "0.2.0-alpha.12 2026-07-28 client auth/iss-wrong-issuer",
  "0.2.0-alpha.12 2026-07-28 client auth/scope-step-up",
  "0.2.0-alpha.12 2026-07-28 client http-custom-headers",
  "0.2.0-alpha.12 2025-11-25 server server-initialize",
  "0.2.0-alpha.12 2025-11-25 server dns-rebinding-protection",
];

it.each(short)("[mcp.conformance] the suite's scenario passes: %s", async (wanted) => {
  const scenario = scenarios().find(
    ({ suite, revision, leg, name }) => `${suite} ${revision} ${leg} ${name}` === wanted,
  );
  if (scenario === undefined) throw new Error("the suite has no such scenario");
  const { ok, output } = await runScenario(scenario, url);
  expect({ ok, output: ok ? "" : output.slice(-4_000) }).toEqual({ ok: true, output: "" });
});
