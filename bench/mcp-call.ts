import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { PriorDiscovery } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import type { CallOutcome } from "#contract/tool.ts";
import type { McpServerConfig } from "#src/mcp/config.ts";
import { root, testBox } from "#test/fakes/mcp-box.ts";

import { percentile, type Row, timeAll } from "./table.ts";

const CALLS = Number(process.env.BENCH_MCP_CALLS ?? 600);
const ROUNDS = 20;
/** Calls of each way before the clock starts: what is kept is called in a process that has run for long. */
const WARM_UP = 300;
const FRESH_CALLS = Math.max(20, Math.round(CALLS / 15));

interface Way {
  name: string;
  config: McpServerConfig;
  tool: string;
  args: Record<string, string | number>;
  /** A client of the SDK as it is. */
  connect: (prior?: PriorDiscovery) => Promise<Client>;
  /** The one that is kept, where it differs. */
  connectKept?: () => Promise<Client>;
}

/**
 * A call through the pool beside the same call with the SDK alone: by transport, kept or fresh, and by
 * channels. The SDK's call is as short as it can be written: no signal, no progress, no output schema,
 * no limit on its answer and its own limit of time; whatever the pool does beyond that is in the ratio.
 */
export async function benchMcpCall(): Promise<Row[]> {
  const http = spawn(process.execPath, ["test/fakes/mcp-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const sessions = spawn(process.execPath, ["test/fakes/mcp-sessions.ts", "v2"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [[url], [sessionUrl]] = (await Promise.all(
      [http, sessions].map((child) => once(createInterface({ input: child.stdout }), "line")),
    )) as [[string], [string]];
    const fault = ["test/fakes/mcp-fault.ts"];
    const ways: Way[] = [
      {
        name: "stdio",
        config: { name: "s", command: ["node", ...fault], session_scope: "channel" },
        tool: "echo",
        args: { n: 1 },
        connect: () =>
          connected(new StdioClientTransport({ command: process.execPath, args: fault, cwd: root }), {
            kind: "legacy",
          }),
        connectKept: () => connected(new StdioClientTransport(inSession(fault)), { kind: "legacy" }),
      },
      {
        name: "http 2026-07-28",
        config: { name: "s", url },
        tool: "double",
        args: { n: 1 },
        connect: (prior) => connected(new StreamableHTTPClientTransport(new URL(url)), prior),
      },
      {
        name: "http 2025-11-25, sessions",
        config: { name: "s", url: sessionUrl },
        tool: "count",
        args: { note: "x" },
        connect: () => connected(new StreamableHTTPClientTransport(new URL(sessionUrl)), { kind: "legacy" }),
      },
    ];
    const rows: Row[] = [];
    for (const way of ways) {
      rows.push(...(await kept(way)));
      rows.push(...(await fresh(way)));
    }
    return rows;
  } finally {
    http.kill("SIGKILL");
    sessions.kill("SIGKILL");
  }
}

/**
 * The pool's servers lead sessions of their own. Where no control groups divide the processor, Linux
 * divides it by session, which makes a lone caller slower and many at once quicker, whatever the client
 * does: the SDK's server gets a session as well.
 */
function inSession(args: string[]): { command: string; args: string[]; cwd: string } {
  return process.platform === "linux"
    ? { command: "setsid", args: [process.execPath, ...args], cwd: root }
    : { command: process.execPath, args, cwd: root };
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  prior?: PriorDiscovery,
): Promise<Client> {
  const client = new Client({ name: "bare", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport, prior === undefined ? {} : { prior });
  return client;
}

/** One connection for each channel, open before the clock starts. */
async function kept(way: Way): Promise<Row[]> {
  const rows: Row[] = [];
  for (const channels of [1, 10, 100]) {
    // A hundred processes say more about the machine than about the pool.
    if (way.name === "stdio" && channels === 100) continue;
    const names = Array.from({ length: channels }, (_, at) => `channel ${at}`);
    const items = Array.from({ length: CALLS }, (_, at) => at % channels);
    const atOnce = Math.min(channels, 10);

    const clients: Client[] = [];
    for (const _ of names) clients.push(await (way.connectKept ?? way.connect)());
    const bareCall = (at: number): Promise<unknown> | undefined =>
      clients[at]?.callTool({ name: way.tool, arguments: way.args });
    const { box, call } = testBox([
      { ...way.config, use_persistent_session: true, max_sessions: 200, max_calls: 200 },
    ]);
    await box.start();
    const poolCall = (at: number): Promise<unknown> =>
      done(call(`s.${way.tool}`, way.args, { channel: names[at] ?? "" }));
    // What is compiled and opened at the first calls is not measured.
    for (let at = 0; at < WARM_UP; at += 1) {
      await bareCall(at % channels);
      await poolCall(at % channels);
    }
    const bare: Measured = { ms: [], cpuMs: 0 };
    const pool: Measured = { ms: [], cpuMs: 0 };
    for (let at = 0; at < items.length; at += items.length / ROUNDS) {
      const part = items.slice(at, at + items.length / ROUNDS);
      await measure(bare, part, atOnce, async (channel) => bareCall(channel));
      await measure(pool, part, atOnce, poolCall);
    }
    rows.push(row(`${way.name}, kept, ${channels} ${channels === 1 ? "channel" : "channels"}`, bare, pool));
    await Promise.all(clients.map((client) => client.close()));
    await box.stop();
  }
  return rows;
}

/** A connection for every call, with what was learned of the server's revision. */
async function fresh(way: Way): Promise<Row[]> {
  const first = await way.connect();
  const discover = first.getDiscoverResult();
  await first.close();
  const prior: PriorDiscovery = discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
  const { box, call } = testBox([way.config]);
  await box.start();
  const items = Array.from({ length: FRESH_CALLS }, (_, at) => at);
  const bare: Measured = { ms: [], cpuMs: 0 };
  const pool: Measured = { ms: [], cpuMs: 0 };
  for (const item of items) {
    await measure(bare, [item], 1, async () => {
      const client = await way.connect(prior);
      await client.callTool({ name: way.tool, arguments: way.args });
      await client.close();
    });
    await measure(pool, [item], 1, () => done(call(`s.${way.tool}`, way.args)));
  }
  await box.stop();
  return [row(`${way.name}, fresh`, bare, pool)];
}

/** A call that fails is quick. */
async function done(calling: Promise<CallOutcome>): Promise<void> {
  const { error } = await calling;
  if (error !== undefined) throw new Error(error.message);
}

interface Measured {
  ms: number[];
  /** Of this process: what a busy machine leaves alone. */
  cpuMs: number;
}

/** Adds to what was measured. Both ways take turns in short rounds, so that neither has the quieter machine. */
async function measure(
  into: Measured,
  items: readonly number[],
  atOnce: number,
  work: (item: number) => Promise<unknown>,
): Promise<void> {
  const before = process.cpuUsage();
  await timeAll(items, atOnce, async (item) => {
    const at = performance.now();
    await work(item);
    into.ms.push(performance.now() - at);
  });
  const { user, system } = process.cpuUsage(before);
  into.cpuMs += (user + system) / 1_000;
}

function row(what: string, bare: Measured, pool: Measured): Row {
  const [bareMs, poolMs] = [percentile(bare.ms, 0.5), percentile(pool.ms, 0.5)];
  return {
    what,
    figures: {
      calls: bare.ms.length,
      "SDK p50 ms": thousandths(bareMs),
      "pool p50 ms": thousandths(poolMs),
      ratio: hundredths(poolMs / bareMs),
      "SDK cpu ms": thousandths(bare.cpuMs / bare.ms.length),
      "pool cpu ms": thousandths(pool.cpuMs / pool.ms.length),
      "cpu ratio": hundredths(pool.cpuMs / pool.ms.length / (bare.cpuMs / bare.ms.length)),
    },
  };
}

/** A kept call takes less than a millisecond. */
function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
