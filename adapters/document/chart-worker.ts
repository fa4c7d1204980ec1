import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";

import { Resvg } from "@resvg/resvg-js";
import { init } from "echarts/dist/echarts.esm.min";

import type { ChartElement } from "#contract/card.ts";

import { chartOption, SIZE } from "./chart-option.ts";

export interface ChartRequest {
  id: number;
  element: ChartElement;
  as: "svg" | "png";
}

export type ChartAnswer = { id: number; bytes: Uint8Array } | { id: number; error: string };

/** More than it is shown at, for screens with small pixels; twice would take double the bytes and time. */
const PNG_WIDTH = SIZE.width * 1.5;

const fontFile = createRequire(import.meta.url).resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf");

function svgOf(element: ChartElement): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, ...SIZE });
  try {
    chart.setOption(chartOption(element));
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** Our font has no signs of East Asia, nor emoji. */
const OTHER_SIGNS = /[\u2E80-\uFFEF]|[\u{1F000}-\u{3FFFF}]/u;

function pngOf(svg: string): Uint8Array {
  return new Resvg(svg, {
    background: "#ffffff",
    fitTo: { mode: "width", value: PNG_WIDTH },
    font: { fontFiles: [fontFile], loadSystemFonts: OTHER_SIGNS.test(svg), defaultFontFamily: "DejaVu Sans" },
  })
    .render()
    .asPng();
}

parentPort?.on("message", ({ id, element, as }: ChartRequest) => {
  let answer: ChartAnswer;
  try {
    const svg = svgOf(element);
    answer = { id, bytes: as === "svg" ? Buffer.from(svg) : pngOf(svg) };
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is a thread's
  parentPort?.postMessage(answer);
});
