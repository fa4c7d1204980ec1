import { fileURLToPath } from "node:url";

import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome, CallRequest } from "#contract/tool.ts";
import type { McpServerConfig } from "#src/mcp/config.ts";
import type { ToolBoxOptions } from "#src/mcp/tool-box.ts";
import { createToolBox, type ManagedToolBox } from "#src/mcp/tool-box.ts";

export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** A configuration of the misbehaving server. */
export function faulty(
  name: string,
  flags: string[] = [],
  more: Partial<McpServerConfig> = {},
): McpServerConfig {
  return { name, command: ["node", "test/fakes/mcp-fault.ts", ...flags], ...more };
}

/** A configuration of the server that takes its time to start, see test/fakes/mcp-late.ts. */
export function late(
  env: Record<string, string>,
  more: Partial<McpServerConfig> = {},
  kind: "modern" | "any" | "silent" = "modern",
): McpServerConfig {
  return { name: "late", command: ["node", "test/fakes/mcp-late.ts", kind], env, ...more };
}

/** A configuration of the public server with a bit of everything. */
export function everything(name: string, more: Partial<McpServerConfig> = {}): McpServerConfig {
  return {
    name,
    command: ["node", "node_modules/@modelcontextprotocol/server-everything/dist/index.js"],
    ...more,
  };
}

export interface TestBox {
  box: ManagedToolBox;
  /** What was logged: level, message, data. */
  logged: { level: string; message: string; data: Record<string, unknown> }[];
  call: (id: string, args?: JsonObject, more?: Partial<CallRequest>) => Promise<CallOutcome>;
  /** Waits for a state of the catalogue, the servers or the log. */
  until: (condition: () => boolean) => Promise<void>;
}

/** A tool box over real servers, not started. The test stops it. */
export function testBox(servers: McpServerConfig[], more: Partial<ToolBoxOptions> = {}): TestBox {
  const logged: TestBox["logged"] = [];
  const waiting = new Set<() => void>();
  const write =
    (level: string) =>
    (data: object, message: string): void => {
      logged.push({ level, message, data: data as Record<string, unknown> });
      for (const check of waiting) check();
    };
  const log = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  const box = createToolBox({
    servers,
    version: "0.0.0",
    cwd: root,
    env: process.env,
    log,
    retry: { minMs: 50, maxMs: 200 },
    ...more,
  });
  return {
    box,
    logged,
    call(id, args = {}, request = {}) {
      const tool = box.find(id);
      if (tool === undefined)
        throw new Error(
          `no tool ${id} in ${box
            .tools()
            .map((known) => known.id)
            .join(", ")}`,
        );
      return box.call({ tool, args, channel: "test", signal: new AbortController().signal, ...request });
    },
    until(condition) {
      return new Promise((resolve) => {
        const off = box.onChange(check);
        waiting.add(check);
        function check(): void {
          if (!condition()) return;
          off();
          waiting.delete(check);
          resolve();
        }
        check();
      });
    },
  };
}

/** Whether a process runs; a zombie does not. */
export async function running(pid: number): Promise<boolean> {
  const { readFile } = await import("node:fs/promises");
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}
