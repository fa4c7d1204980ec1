import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";

import type { Probes } from "#test/fakes/prober.ts";

import { cleanUp, projectRoot, type RunningProduct, say, startProduct, type WireResult } from "./support.ts";

/** What one attack came to: the answer's HTTP status, and how its call ended, in a word. */
interface Came {
  status: number;
  outcome: string;
  body: WireResult;
}

export interface Attacked {
  product: RunningProduct;
  /** By tool, as `server.tool`. */
  came: Record<string, Came>;
  /** The address of the hostile servers, whose `/state` tells what was asked of them. */
  hostile: string;
  /** What other people's turns met meanwhile. */
  probes: Probes;
}

/** The tools of test/fakes/mcp-hostile.ts by server, in its order: a command names them by number. */
const attacks: Record<string, { count: number; args?: Record<number, string> }> = {
  names: { count: 11 },
  deep: { count: 1 },
  schemas: { count: 4, args: { 1: `text=${"a".repeat(45)}!` } },
  answers: { count: 22 },
  floods: { count: 4 },
};
/** Starts the product with every hostile server, trusted by a careless operator, and lets each do its worst. */
export async function attack(): Promise<Attacked> {
  const url = await startHostile();
  const names = (await (await fetch(`${url}/offers`)).json()) as Record<string, string[]>;
  const product = await startProduct({ config: configuration(url, names), endsWith: "file" });
  const prober = new Worker(new URL("../fakes/prober.ts", import.meta.url), {
    workerData: { url: product.url },
  });
  cleanUp(() => prober.terminate(), "file");

  const came: Record<string, Came> = {};
  for (const [server, { count, args = {} }] of Object.entries(attacks)) {
    for (let at = 0; at < count; at += 1) {
      const name = `${server}.${names[server]?.[at] ?? ""}`;
      const message = `/${server} c${at} ${args[at] ?? ""}`;
      const { status, body } = await say(product, message, { session_id: `${server}-${at}` });
      came[name] = { status, outcome: outcomeOf(body), body };
    }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- because this is a thread and no window
  prober.postMessage("stop");
  const [probes] = (await once(prober, "message")) as [Probes];
  return { product, hostile: url, came, probes };
}

function outcomeOf(body: WireResult): string {
  const { tool_result: result, pending_confirmation: pending } = body;
  if (pending !== undefined) return "pending";
  if (result === undefined || result === null) return "no call";
  return result.ok ? "ok" : (result.error?.code ?? "no code");
}

async function startHostile(): Promise<string> {
  const child = spawn(process.execPath, ["test/fakes/mcp-hostile.ts"], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"), "file");
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return url;
}

function configuration(url: string, names: Record<string, string[]>): object {
  const careless = { use_persistent_session: true, trust_annotations: true, timeout_ms: 20_000 };
  const commands = Object.entries(names).map(([server, tools]) => [
    server,
    { server, subcommands: Object.fromEntries(tools.map((tool, at) => [`c${at}`, tool])) },
  ]);
  return {
    model: { provider: "builtin" },
    servers: [
      { name: "good", command: ["node", "test/fakes/mcp-fault.ts"], use_persistent_session: true },
      { name: "gone", url: `${url}/nowhere` },
      ...[...Object.keys(names), "endless"].map((name) => ({ name, url: `${url}/${name}`, ...careless })),
      { name: "liar", url: `${url}/lies`, ...careless },
      // Reached over loopback, and yet not said to be there.
      { name: "sso", url: `${url.replace("127.0.0.1", "0.0.0.0")}/sso`, oauth: {} },
      { name: "asks", url: `${url}/asks` },
      { name: "kept", url: `${url}/writes`, use_persistent_session: true },
      { name: "pingless", url: `${url}/pingless`, use_persistent_session: true },
      { name: "fresh", url: `${url}/writes` },
    ],
    policy: {
      rules: [
        { tools: ["names.*", "gone.*"], decision: "deny" },
        { tools: ["good.echo", "liar.*"], decision: "allow" },
        { tools: ["kept.*"], decision: "ask", lookup: { tool: "gone.lie", args: { note: "secret" } } },
      ],
    },
    commands: {
      ...Object.fromEntries(commands),
      good: { server: "good", subcommands: { echo: "echo" } },
      gone: { server: "gone", default: "lie", subcommands: { id: "gone.lie" } },
      asks: { server: "asks", default: "insist" },
      kept: { server: "kept", default: "write" },
      pingless: { server: "pingless", default: "write" },
      fresh: { server: "fresh", default: "write" },
    },
  };
}
