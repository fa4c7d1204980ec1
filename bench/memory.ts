import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { type ProcessOptions, productEnvironment, startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import { round, type Row, toSeconds } from "./table.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Until what starting left behind is collected. */
const AT_REST_MS = 5_000;

/** The demo as `npm start` runs it: how soon it is healthy, and what it and each of its servers hold at rest. */
export async function benchMemory(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  for (let run = 1; run <= 3; run += 1) {
    const begun = performance.now();
    const product = startProcess({
      config: `${root}config/countersign.yaml`,
      dataDir: await places.folder(),
      nodeArguments: ["--max-semi-space-size=4"],
    });
    try {
      const url = await product.listening;
      if (url === undefined) throw new Error(product.tail().join("\n"));
      const listeningMs = performance.now() - begun;
      while (!(await fetch(`${url}/health`)).ok) await new Promise((resolve) => setTimeout(resolve, 20));
      const healthyMs = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, AT_REST_MS));
      rows.push({
        what: `start ${run}`,
        figures: {
          "listening s": toSeconds(listeningMs),
          "healthy s": toSeconds(healthyMs),
          "resident MB": round(await statusMb(product.pid, "VmRSS")),
          ...(await serversMb(product.pid)),
        },
      });
    } finally {
      await product.stop();
    }
  }
  return rows;
}

/** By the name of each bundled server that the product launched. */
async function serversMb(pid: number): Promise<Row["figures"]> {
  const pids = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ");
  const figures = pids.map(async (child) => {
    const command = await readFile(`/proc/${child}/cmdline`, "utf8");
    const name = /serve\.js\0(\w+)|servers\/(\w+)\//.exec(command)?.slice(1).find(Boolean) ?? child;
    return [`${name} MB`, round(await statusMb(Number(child), "VmRSS"))] as const;
  });
  return Object.fromEntries(await Promise.all(figures));
}

/** Runs a command of the product and watches its resident memory, as Linux counts it. */
export async function peakMemoryOf(
  command: string[],
  options: ProcessOptions,
): Promise<{ ms: number; peakMb: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, ["countersign.js", ...command, "--config", options.config], {
    cwd: root,
    env: productEnvironment(options),
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peakMb = 0;
  const timer = setInterval(() => {
    void statusMb(child.pid ?? 0, "VmHWM").then((mb) => (peakMb = Math.max(peakMb, mb)));
  }, 50);
  const [code] = (await once(child, "close")) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}`);
  return { ms: performance.now() - begun, peakMb };
}

/** A line of /proc/PID/status in megabytes; 0 once the process is gone. */
export async function statusMb(pid: number, name: "VmRSS" | "VmHWM"): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) / 1_024;
}
