import { appendFileSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Effects } from "./surface.ts";

const server = fileURLToPath(import.meta.resolve("../../fakes/mcp-surface.ts"));

/** The tools' server alone, planned by commands; `more` says how the surface is reached. */
export function contractConfig(folder: string, leads: readonly string[], more: object = {}): object {
  return {
    model: { provider: "builtin" },
    servers: [
      {
        name: "tools",
        command: ["node", server],
        env: { TOOLS_FOLDER: folder },
        use_persistent_session: true,
        trust_annotations: true,
      },
    ],
    policy: {
      rules: [
        {
          tools: ["tools.put"],
          when: [{ arg: "name", equals: "guarded" }],
          decision: "ask",
          approvers: ["group:leads"],
        },
        { tools: ["tools.put"], decision: "ask", approvers: ["channel"] },
      ],
      // Without members here the platform's own groups count.
      ...(leads.length === 0 ? {} : { groups: { leads } }),
    },
    views: { issue: "JiraIssueView" },
    commands: {
      do: { server: "tools", subcommands: { issue: "issue", work: "work", rows: "rows", put: "put" } },
    },
    ...more,
  };
}

/** How long something may take that should happen at once. */
export const PATIENCE_MS = 15_000;

/** What the tools' server wrote into its folder. */
export function effectsIn(folder: string): Effects {
  const file = join(folder, "effects.log");
  appendFileSync(file, "");
  const count = (line: string): number =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((written) => written === line).length;
  return {
    count,
    happened: (line) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          watcher.close();
        };
        const look = (): void => {
          if (count(line) === 0) return;
          end();
          resolve();
        };
        const watcher = watch(folder, look);
        const timer = setTimeout(() => {
          end();
          reject(new Error(`expected "${line}" to happen, got:\n${readFileSync(file, "utf8")}`));
        }, PATIENCE_MS);
        look();
      }),
    open(gate) {
      if (!existsSync(join(folder, gate))) writeFileSync(join(folder, gate), "");
    },
  };
}

/** Whether a text holds the words. */
export function holds(text: string, words: string | RegExp): boolean {
  return typeof words === "string" ? text.includes(words) : words.test(text);
}
