import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { ToolFailure } from "../kit/tool.ts";
import type { Converted, Page } from "./markdown-worker.ts";

/**
 * Turns a page into Markdown. Rejects with a ToolFailure `too_complex` for one that takes longer than `timeoutMs`, or
 * more memory or depth than any page for people does.
 */
export function toMarkdown(page: Page, signal: AbortSignal, timeoutMs = 10_000): Promise<Converted> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(import.meta.dirname, "markdown-worker.ts"), {
      workerData: page,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
      stderr: true,
    });
    const fail = (cause?: unknown): void =>
      reject(
        new ToolFailure("too_complex", "the page is too large or too deeply nested to be read", { cause }),
      );
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const stop = (): void => void worker.terminate();
    limit.addEventListener("abort", stop);
    if (limit.aborted) stop();
    worker.once("message", (converted: Converted) => resolve(converted));
    worker.once("error", fail);
    worker.once("exit", () => {
      limit.removeEventListener("abort", stop);
      if (signal.aborted) reject(new ToolFailure("cancelled", "the call was cancelled"));
      fail();
    });
  });
}
