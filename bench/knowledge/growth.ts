import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { percentile, round, type Row } from "../table.ts";
import type { Places } from "../places.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const SIZES = [1_000, 10_000, 100_000];
const QUERIES = 100;
const WORDS =
  "approval queue render token session retry search index account message channel policy store card".split(
    " ",
  );

/** The knowledge service over this repository's own files, as often as it takes, by words alone. */
export async function benchKnowledge(places: Places): Promise<Row[]> {
  const files = globSync(["src/**/*.ts", "docs/*.md", "servers/**/*.ts"], { cwd: root });
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const rows: Row[] = [];
  for (const size of SIZES) {
    const [corpus, data] = [await places.folder(), await places.folder()];
    // About so many pieces has one copy; each copy has names of its own.
    const copies = Math.max(1, Math.round(size / 7_400));
    const share = Math.min(1, size / 7_400);
    for (let copy = 0; copy < copies; copy += 1)
      for (const { file, text } of texts.slice(0, Math.ceil(texts.length * share))) {
        const path = join(corpus, `copy${copy}`, file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text.replaceAll(/\b(?:const|function|class) (\w+)/g, `$&${copy}`));
      }
    const begun = performance.now();
    const ingest = launch(["ingest", corpus, "--org", "bench", "--json"], data);
    let [last, peakMb, cpu] = ["", 0, 0];
    for await (const line of createInterface({ input: ingest.stdout ?? process.stdin })) {
      last = line;
      peakMb = Math.max(peakMb, memoryMb(ingest));
      cpu = Math.max(cpu, cpuSeconds(ingest));
    }
    const seconds = (performance.now() - begun) / 1000;
    const { report } = JSON.parse(last) as { report: { chunks: number } };
    rows.push({
      what: `${size} pieces`,
      figures: {
        pieces: report.chunks,
        "pieces/s": Math.round(report.chunks / seconds),
        "pieces/s of processor": Math.round(report.chunks / cpu),
        "indexing MB": round(peakMb),
        ...(await search(data)),
      },
    });
  }
  return rows;
}

async function search(data: string): Promise<Row["figures"]> {
  const service = launch(["serve", "--port", "0"], data);
  let url = "";
  for await (const line of createInterface({ input: service.stderr ?? process.stdin })) {
    url = /^listening on (\S+)$/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
  const times: number[] = [];
  const idle = cpuSeconds(service);
  for (let at = 0; at < QUERIES; at += 1) {
    const pick = (step: number): string => WORDS[(at * step + step) % WORDS.length] ?? "";
    const query = `how does the ${pick(1)} ${pick(3)} of a ${pick(5)} work ${at}`;
    const begun = performance.now();
    const response = await fetch(`${url}query`, {
      method: "POST",
      body: JSON.stringify({ query, org_id: "bench" }),
    });
    await response.json();
    times.push(performance.now() - begun);
  }
  const servingMb = memoryMb(service);
  const cpuMs = ((cpuSeconds(service) - idle) / QUERIES) * 1000;
  service.kill();
  await once(service, "exit");
  return {
    "p50 ms": round(percentile(times, 0.5)),
    "p95 ms": round(percentile(times, 0.95)),
    "processor ms": round(cpuMs),
    "serving MB": round(servingMb),
  };
}

function launch(args: string[], data: string): ChildProcess {
  return spawn(process.execPath, ["--max-semi-space-size=4", "servers/knowledge/service/main.ts", ...args], {
    cwd: root,
    env: { ...process.env, COUNTERSIGN_DATA: data, KNOWLEDGE_EMBED_MODEL: "off" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What it took of a processor so far, which says more than the clock where others work as well. Linux counts 100 a second. */
function cpuSeconds({ pid }: ChildProcess): number {
  try {
    const fields =
      readFileSync(`/proc/${pid ?? 0}/stat`, "utf8")
        .split(") ")
        .at(-1)
        ?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** The most that it held so far, as Linux counts it. */
function memoryMb({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid ?? 0}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
