import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach } from "vitest";

/**
 * Every test file runs in a process of its own with a throw-away home, and every unhandled rejection
 * or process warning fails the test during which it came up.
 */

/** Variables that would let a test reach a real account, model, database or proxy. */
const foreign: readonly RegExp[] = [
  /^(OLLAMA|SLACK|DISCORD|GEMINI|GOOGLE|OPENAI|JIRA|CONFLUENCE|ATLASSIAN|COUNTERSIGN|OTEL|PG)_?/,
  /_(PROXY|TOKEN|API_KEY|SECRET)$/,
  /^(DATABASE_URL|REDIS_URL|HOST|PORT|NODE_ENV|NODE_EXTRA_CA_CERTS)$/,
];

/** Warnings that tell nothing about this product, each with its reason. */
const expectedWarnings: readonly RegExp[] = [];

const root = mkdtempSync(join(tmpdir(), "countersign-test-"));
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

const stray: string[] = [];

process.on("warning", (warning) => {
  const text = `${warning.name}: ${warning.message}`;
  if (!expectedWarnings.some((pattern) => pattern.test(text))) stray.push(warning.stack ?? text);
});
process.on("unhandledRejection", (reason) => {
  stray.push(
    `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
  );
});

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
  }
});
