import { fileURLToPath } from "node:url";

import { startProcess } from "#test/chaos/process.ts";

import { processorMs } from "./growth.ts";
import type { Places } from "./places.ts";
import { round, type Row } from "./table.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** So that there is something to tell of. */
const TURNS = 300;
const MEASURED_MS = 30_000;

/** What it costs the demo to be asked for its metrics once a second, beside what it uses when nobody asks. */
export async function benchScrape(places: Places): Promise<Row[]> {
  const product = startProcess({
    config: `${root}config/countersign.yaml`,
    dataDir: await places.folder(),
    nodeArguments: ["--max-semi-space-size=4"],
  });
  try {
    const url = await product.listening;
    if (url === undefined || !(await product.ready)) throw new Error(product.tail().join("\n"));
    for (let n = 0; n < TURNS; n += 1) {
      const message = n % 3 === 0 ? "/jira search login" : `/jira DEMO-${1 + (n % 9)}`;
      const body = JSON.stringify({ session_id: `s${n % 20}`, message });
      const headers = { "content-type": "application/json" };
      await fetch(`${url}/agent/turn`, { method: "POST", headers, body });
    }
    // Until the compilers and the collector have done what the turns left them.
    await sleep(10_000);
    const nobody = await used(product.pid, async () => {});
    let bytes = 0;
    const ms: number[] = [];
    const scraped = await used(product.pid, async () => {
      const begun = performance.now();
      bytes = (await (await fetch(`${url}/metrics`)).text()).length;
      ms.push(performance.now() - begun);
    });
    return [
      { what: "nobody asks", figures: { "processor %": hundredths(nobody) } },
      {
        what: "once a second",
        figures: {
          "processor %": hundredths(scraped),
          "more %": hundredths(scraped - nobody),
          "ms each": round(ms.reduce((sum, one) => sum + one, 0) / ms.length),
          KB: Math.round(bytes / 1_024),
        },
      },
    ];
  } finally {
    await product.stop();
  }
}

/** The share of one processor that the process uses while `work` is done every second, in percent. */
async function used(pid: number, work: () => Promise<void>): Promise<number> {
  const [begun, before] = [performance.now(), await processorMs(pid)];
  while (performance.now() - begun < MEASURED_MS) {
    const next = sleep(1_000);
    await work();
    await next;
  }
  return (((await processorMs(pid)) - before) / (performance.now() - begun)) * 100;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
