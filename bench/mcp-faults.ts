import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { CallOutcome } from "#contract/tool.ts";
import { faulty, root, testBox } from "#test/fakes/mcp-box.ts";

import { round, type Row } from "./table.ts";

/** What is left is of interest, and not what the collector has not come to yet. */
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const CALLS = Number(process.env.BENCH_MCP_FAULTS ?? 1_000);
/** Each ends in a way of its own; the two last are no faults. */
const PIPE = ["die", "half", "wrong_id", "twice", "loris", "garbage", "not_mcp", "fail", "refuse", "echo"];
const HTTP = [
  "not_found",
  "unauthorized",
  "broken",
  "silent",
  "silent_stream",
  "loris",
  "cut",
  "cut_at_once",
  "garbage",
  "wrong_id",
  "twice",
  "echo",
];

/** What faulty calls leave behind in this process: children, handles, timers and memory. */
export async function benchMcpFaults(): Promise<Row[]> {
  const child = spawn(process.execPath, ["test/fakes/mcp-fault-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const limit = { timeout_ms: 200, max_calls: 8 };
  const { box, call } = testBox(
    [
      faulty("fresh", [], limit),
      faulty("kept", [], { ...limit, use_persistent_session: true }),
      { name: "http", url, ...limit },
      { name: "http_kept", url, ...limit, use_persistent_session: true },
    ],
    { retry: { minMs: 1, maxMs: 50 } },
  );
  await box.start();
  const rows: Row[] = [];
  const codes = new Map<string, number>();
  try {
    await calls(call, 60, codes);
    codes.clear();
    const before = await state();
    const begun = performance.now();
    await calls(call, CALLS, codes);
    const seconds = (performance.now() - begun) / 1_000;
    const after = await state();
    rows.push(
      { what: "before", figures: before },
      { what: `after ${CALLS} faulty calls (${round(seconds)} s)`, figures: after },
      { what: "how they ended", figures: Object.fromEntries(codes) },
    );
  } finally {
    await box.stop();
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rows.push({ what: "after the end", figures: await state() });
  return rows;
}

async function calls(
  call: (id: string) => Promise<CallOutcome>,
  count: number,
  codes: Map<string, number>,
): Promise<void> {
  const all = Array.from({ length: count }, (_, at) => {
    const server = ["fresh", "kept", "http", "http_kept"][at % 4] ?? "";
    const kinds = server.startsWith("http") ? HTTP : PIPE;
    return `${server}.${kinds[Math.floor(at / 4) % kinds.length] ?? ""}`;
  });
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let id = all.pop(); id !== undefined; id = all.pop()) {
        const { ok, error } = await call(id);
        const code = ok ? "ok" : (error?.code ?? "none");
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }),
  );
}

/** Once what is being ended has ended: closing takes up to some seconds. */
async function state(): Promise<Row["figures"]> {
  await delay(4_000);
  collect();
  await delay(200);
  collect();
  const active = process.getActiveResourcesInfo();
  return {
    processes: childrenOf(process.pid),
    sockets: active.filter((name) => name.startsWith("TCP")).length,
    pipes: active.filter((name) => name.startsWith("Pipe")).length,
    timers: active.filter((name) => name === "Timeout").length,
    "heap MB": round(process.memoryUsage().heapUsed / 2 ** 20),
  };
}

function childrenOf(pid: number): number {
  const lines = execFileSync("ps", ["-eo", "ppid=,stat=,comm="]).toString().split("\n");
  return lines.filter((line) => {
    const [parent, stat = "", name] = line.trim().split(/\s+/);
    return Number(parent) === pid && !stat.startsWith("Z") && name !== "ps";
  }).length;
}
