// Says `/good echo` to a product again and again from a thread of its own, each time in a new conversation, until it is
// told to stop; then tells what each turn took and which went wrong.
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

import { z } from "zod";

export interface Probes {
  answered: number;
  medianMs: number;
  p99Ms: number;
  worstMs: number;
  /** Answers that were not the echo. */
  wrong: string[];
}

const { url } = z.object({ url: z.string() }).parse(workerData);
const wrong: string[] = [];
const tookMs: number[] = [];

async function probe(at: number): Promise<void> {
  const begun = performance.now();
  const response = await fetch(`${url}/agent/turn`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ session_id: `probe-${at}`, message: "/good echo" }),
  });
  const text = await response.text();
  tookMs.push(performance.now() - begun);
  if (!text.includes('"ok":true')) wrong.push(text.slice(0, 300));
}

const stop = new AbortController();
parentPort?.once("message", () => stop.abort());
for (let at = 0; !stop.signal.aborted; at += 1) {
  await probe(at);
  // As people do: without a pause it would be one more attack.
  await setTimeout(30);
}
tookMs.sort((a, b) => a - b);
const at = (share: number): number => tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0;
const probes: Probes = {
  answered: tookMs.length,
  medianMs: at(0.5),
  p99Ms: at(0.99),
  worstMs: at(1),
  wrong,
};
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- because this is a thread and no window
parentPort?.postMessage(probes);
