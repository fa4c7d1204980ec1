import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { root } from "#test/fakes/mcp-box.ts";

import { cleanUp } from "./support.ts";

/** The server of test/fakes/mcp-sessions.ts, with what it tells of itself. */
export interface SessionServer {
  url: string;
  sessions: () => Promise<string[]>;
  /** Sessions in which this method was asked for, in order; null for none. */
  asked: (method: string) => Promise<(string | null)[]>;
  forget: () => Promise<void>;
}

export async function startSessionServer(version: "v1" | "v2", heldFor = "0"): Promise<SessionServer> {
  const child = spawn(process.execPath, ["test/fakes/mcp-sessions.ts", version, heldFor], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const at = (path: string): URL => new URL(path, url);
  async function state(): Promise<{
    sessions: string[];
    seen: { method: string; session: string | null }[];
  }> {
    return (await (await fetch(at("/state"))).json()) as Awaited<ReturnType<typeof state>>;
  }
  return {
    url,
    sessions: async () => (await state()).sessions,
    asked: async (method) =>
      (await state()).seen.filter((one) => one.method === method).map((one) => one.session),
    forget: async () => void (await fetch(at("/forget"), { method: "POST" })),
  };
}
