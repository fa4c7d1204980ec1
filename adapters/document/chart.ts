import { join } from "node:path";
import { Worker } from "node:worker_threads";

import pLimit from "p-limit";

import type { ChartElement } from "#contract/card.ts";

import { INK } from "./chart-option.ts";
import type { ChartAnswer, ChartRequest } from "./chart-worker.ts";

/** A picture takes some milliseconds; one that takes longer is none. */
const LIMIT_MS = 15_000;
/** What draws takes memory: it goes when nobody asks for pictures. */
const IDLE_MS = 60_000;

interface Wanted {
  resolve: (bytes: Uint8Array) => void;
  reject: (error: Error) => void;
}

/** One thread for the whole process, so that drawing stalls nobody. */
let drawer: { worker: Worker; wanted: Map<number, Wanted> } | undefined;
let last = 0;
let idle: NodeJS.Timeout | undefined;

/** Whoever comes when so many wait is told so. */
const MOST_WAITING = 200;
const turns = pLimit(1);

function draw(element: ChartElement, as: ChartRequest["as"]): Promise<Uint8Array> {
  if (turns.pendingCount >= MOST_WAITING)
    return Promise.reject(new Error("the chart could not be drawn: too many are drawn now"));
  return turns(() => drawNow(element, as));
}

function drawNow(element: ChartElement, as: ChartRequest["as"]): Promise<Uint8Array> {
  drawer ??= startDrawer();
  const { worker, wanted } = drawer;
  const id = (last += 1);
  clearTimeout(idle);
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => void worker.terminate(), LIMIT_MS);
    const done = (): void => {
      clearTimeout(limit);
      wanted.delete(id);
      if (wanted.size > 0) return;
      clearTimeout(idle);
      idle = setTimeout(() => void worker.terminate(), IDLE_MS).unref();
    };
    wanted.set(id, {
      resolve: (bytes) => (done(), resolve(bytes)),
      reject: (error) => (done(), reject(error)),
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is a thread's
    worker.postMessage({ id, element, as } satisfies ChartRequest);
  });
}

function startDrawer(): NonNullable<typeof drawer> {
  const worker = new Worker(join(import.meta.dirname, "chart-worker.ts"), {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    stderr: true,
  });
  worker.unref();
  const wanted = new Map<number, Wanted>();
  const own = { worker, wanted };
  worker.on("message", (answer: ChartAnswer) => {
    const one = wanted.get(answer.id);
    if ("error" in answer) one?.reject(new Error(`the chart could not be drawn: ${answer.error}`));
    else one?.resolve(answer.bytes);
  });
  const end = (why: string): void => {
    if (drawer === own) drawer = undefined;
    for (const one of wanted.values()) one.reject(new Error(`the chart could not be drawn: ${why}`));
  };
  worker.on("error", (error) => end(String(error)));
  worker.on("exit", () => end("it took too long"));
  return own;
}

/** Colours where it is dark, by those where it is light. */
const DARK: Readonly<Record<string, string>> = {
  [INK.text]: "#e6edf3",
  [INK.quiet]: "#9da7b3",
  [INK.rule]: "#3d444d",
  "#ffffff": "#0d1117",
};

/**
 * A chart as SVG without anything from outside, in the colours that its reader has set. Rejects where it cannot be
 * drawn.
 */
export async function chartSvg(element: ChartElement): Promise<string> {
  const svg = Buffer.from(await draw(element, "svg")).toString();
  const rules = Object.entries(DARK).map(
    ([light, dark]) => `[fill="${light}"]{fill:${dark}}[stroke="${light}"]{stroke:${dark}}`,
  );
  const style = `<style>@media (prefers-color-scheme:dark){${rules.join("")}}</style>`;
  return svg.replace(/^<svg[^>]*>/, (start) => start + style);
}

/** A chart as PNG, twice as large as it is shown, on white. Rejects where it cannot be drawn. */
export function chartPng(element: ChartElement): Promise<Uint8Array> {
  return draw(element, "png");
}
