import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, afterEach } from "vitest";

import { amount } from "./amount.ts";
import { inMemory } from "./machine.ts";

/**
 * Every test file has a throw-away home, and every unhandled rejection or process warning fails the
 * test during which it came up.
 */

/** Variables that would let a test reach a real account, model, database or proxy. */
const foreign: readonly RegExp[] = [
  /^(OLLAMA|SLACK|DISCORD|GEMINI|GOOGLE|OPENAI|JIRA|CONFLUENCE|ATLASSIAN|COUNTERSIGN|OTEL|PG)_?/,
  /_(PROXY|TOKEN|API_KEY|SECRET)$/,
  /^(DATABASE_URL|REDIS_URL|HOST|PORT|NODE_ENV|NODE_EXTRA_CA_CERTS)$/,
];

/** Warnings that tell nothing about this product, each with its reason. */
const expectedWarnings: readonly RegExp[] = [];

const before = { ...process.env };
const root = mkdtempSync(join(inMemory() ?? tmpdir(), "countersign-test-"));
for (const name of Object.keys(process.env)) {
  if (foreign.some((pattern) => pattern.test(name.toUpperCase()))) delete process.env[name];
}
const folders = {
  HOME: "home",
  TMPDIR: "tmp",
  XDG_CONFIG_HOME: "home/.config",
  XDG_DATA_HOME: "home/.local/share",
  XDG_STATE_HOME: "home/.local/state",
  XDG_CACHE_HOME: "home/.cache",
  XDG_RUNTIME_DIR: "run",
  COUNTERSIGN_DATA: "data",
};
for (const [name, folder] of Object.entries(folders)) {
  const path = join(root, folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  process.env[name] = path;
}
// None is there: that of this checkout may hold tokens of real workspaces.
process.env.COUNTERSIGN_ENV = join(root, "none.env");
// And whoever works on it may run it with a configuration of their own (config/local.yaml).
process.env.COUNTERSIGN_CONFIG = "config/countersign.yaml";

// The same cases each time: what fails here fails for everybody. `npm run test:long` looks for others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...amount<object>({}, { seed: 20_261_123 }) });

const stray: string[] = [];

function onWarning(warning: Error): void {
  const text = `${warning.name}: ${warning.message}`;
  if (!expectedWarnings.some((pattern) => pattern.test(text))) stray.push(warning.stack ?? text);
}
function onRejection(reason: unknown): void {
  stray.push(
    `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
  );
}
process.on("warning", onWarning);
process.on("unhandledRejection", onRejection);

/** Rejections and warnings are announced after the microtasks, so a turn of the event loop comes first. */
async function failOnStray(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  const found = stray.splice(0);
  if (found.length > 0)
    throw new Error(`expected no warning and no unhandled rejection, got:\n${found.join("\n")}`);
}

afterEach(failOnStray);

// Hooks run last in, first out: this one comes after every clean-up of the test file.
afterAll(async () => {
  try {
    await failOnStray();
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    // The next file may run in this process.
    process.off("warning", onWarning);
    process.off("unhandledRejection", onRejection);
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
    Object.assign(process.env, before);
  }
});
