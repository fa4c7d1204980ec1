import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { CallContext, JiraBackend } from "#servers/jira/backend.ts";
import { createDemoBackend } from "#servers/jira/demo/backend.ts";

/** Noon, so that seeds and start-of-day functions never meet a day's edge. */
export const now: Date = new Date("2026-11-21T12:00:00.000Z");

export function call(): CallContext {
  return { signal: new AbortController().signal, progress: async () => {} };
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "jira-"));
}

export function demo(folder: string = newFolder(), me = "ana"): JiraBackend {
  return createDemoBackend({ folder, me, delayMs: 0, now: () => now });
}

export async function keysOf(jira: JiraBackend, jql: string): Promise<string[]> {
  const { issues } = await jira.search({ jql, limit: 100 }, call());
  return issues.map(({ key }) => key);
}
