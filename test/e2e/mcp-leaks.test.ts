import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { expect, it, onTestFinished } from "vitest";

import { amount } from "#test/amount.ts";
import { faulty, root, testBox } from "#test/fakes/mcp-box.ts";

/** Each kind of fault at each server, at least. */
const CALLS = amount(120, 40);
const PIPE = ["die", "half", "wrong_id", "garbage", "not_mcp", "grandchild"];
const HTTP = [
  "not_found",
  "unauthorized",
  "broken",
  "silent_stream",
  "loris",
  "cut",
  "cut_at_once",
  "garbage",
];

/** Handles that keep something open, by kind. */
function handles(): Record<string, number> {
  const kinds = process.getActiveResourcesInfo().filter((kind) => /^(TCP|Pipe|Process)/.test(kind));
  return Object.fromEntries(
    [...new Set(kinds)].toSorted().map((kind) => [kind, kinds.filter((one) => one === kind).length]),
  );
}

/** Living processes that this one has started and not ended, directly or further down. */
function descendants(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, "latin1");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return state === "Z" ? [] : [{ pid: Number(entry), parent: Number(parent) }];
      } catch {
        return [];
      }
    });
  const found = [pid];
  for (const at of found) found.push(...all.filter(({ parent }) => parent === at).map((one) => one.pid));
  return found.slice(1);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it("[mcp.faults] leaves no process, socket or pipe of many faulty calls behind", async () => {
  const child = spawn(process.execPath, ["test/fakes/mcp-fault-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const before = { handles: handles(), processes: descendants(process.pid).length };
  const limit = { timeout_ms: 300 };
  const { box, call } = testBox(
    [
      faulty("fresh", [], limit),
      faulty("kept", [], { ...limit, use_persistent_session: true, session_scope: "channel" }),
      { name: "http", url, ...limit },
      { name: "http_kept", url, ...limit, use_persistent_session: true },
    ],
    { retry: { minMs: 1, maxMs: 50 } },
  );
  await box.start();
  const ids = Array.from({ length: CALLS }, (_, at) => {
    const server = ["fresh", "kept", "http", "http_kept"][at % 4] ?? "";
    const kinds = server.startsWith("http") ? HTTP : PIPE;
    return {
      id: `${server}.${kinds[Math.floor(at / 4) % kinds.length] ?? ""}`,
      channel: `channel ${at % 5}`,
    };
  });
  const outcomes: boolean[] = [];
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let one = ids.pop(); one !== undefined; one = ids.pop())
        outcomes.push((await call(one.id, {}, { channel: one.channel })).ok);
    }),
  );
  expect(outcomes).toHaveLength(CALLS);
  await box.stop();
  expect(descendants(process.pid)).toHaveLength(before.processes);
  // A socket is let go of by the event loop after it was destroyed.
  await until(() => JSON.stringify(handles()) === JSON.stringify(before.handles));
}, 90_000);
