import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pLimit from "p-limit";

import { parseEnsemble } from "#servers/ensembles/engine/parse.ts";
import { invoke, openWorkshop, type Workshop } from "#servers/ensembles/workshop.ts";

import type { Row } from "./table.ts";

const AGENTS = 100;
const PHASES = 5;
const AT_ONCE = 16;
const RUNS = 1000;

/** What the engine itself takes for each agent, with models that answer at once; runs are kept as always. */
export async function benchEnsembles(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-ensembles-"));
  try {
    const wide = wideEnsemble();
    let atOnce = 0;
    let most = 0;
    const workshop = scripted(folder, wide, async () => {
      most = Math.max(most, (atOnce += 1));
      await new Promise(setImmediate);
      atOnce -= 1;
    });
    await once(workshop, "wide");
    const wideMs = await timed(async () => {
      for (let run = 0; run < 10; run += 1) await once(workshop, "wide");
    });
    const small = scripted(
      folder,
      "name: small\nagents:\n  - { name: a, model_profile: m }\n  - { name: b, model_profile: m, depends_on: [a] }",
    );
    for (let run = 0; run < 200; run += 1) await once(small, "small");
    const before = heapMb();
    const smallMs = await timed(async () => {
      for (let run = 0; run < RUNS; run += 1) await once(small, "small");
    });
    return [
      {
        what: `${AGENTS} agents, ${PHASES} phases`,
        figures: {
          most_at_once: most,
          run_ms: round(wideMs / 10),
          ms_per_agent: round(wideMs / 10 / AGENTS),
        },
      },
      {
        what: `${RUNS} runs of 2 agents`,
        figures: {
          run_ms: round(smallMs / RUNS),
          ms_per_agent: round(smallMs / RUNS / 2),
          heap_before_mb: before,
          heap_after_mb: heapMb(),
        },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A hundred agents, each of which waits for all of the phase before. */
function wideEnsemble(): string {
  const size = AGENTS / PHASES;
  const name = (phase: number, at: number): string => `p${phase}a${at}`;
  const agents = Array.from({ length: AGENTS }, (_, n) => {
    const phase = Math.floor(n / size);
    const before = phase === 0 ? [] : Array.from({ length: size }, (_, at) => name(phase - 1, at));
    return `  - { name: ${name(phase, n % size)}, model_profile: m, depends_on: [${before.join(", ")}] }`;
  });
  return `name: wide\nagents:\n${agents.join("\n")}`;
}

function scripted(
  folder: string,
  text: string,
  work: () => Promise<void> = () => Promise.resolve(),
): Workshop {
  const open = openWorkshop({ ...process.env, ENSEMBLES_PROJECT: folder, ENSEMBLES_GLOBAL: folder });
  const { value } = parseEnsemble(text, "bench.yaml");
  if (value === undefined) throw new Error("expected an ensemble");
  const models = {
    ...open.models,
    async ask() {
      await work();
      return { text: "an answer of a few words", inputTokens: 10, outputTokens: 6 };
    },
  };
  const engine = {
    ...open.engine,
    models,
    limit: pLimit(AT_ONCE),
    ensemble: () => value,
    profile: (name: string) => ({ name, provider: "ollama", model: "scripted" }),
  };
  return { ...open, models, engine };
}

async function once(workshop: Workshop, name: string): Promise<void> {
  const { run } = await invoke(workshop, name, "the input", {
    signal: new AbortController().signal,
    onEvent: () => {},
  });
  if (run.status !== "completed") throw new Error(`expected completed, got ${run.status}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function heapMb(): number {
  globalThis.gc?.();
  return round(process.memoryUsage().heapUsed / 2 ** 20);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
