import { ToolFailure } from "../kit/tool.ts";

/** How long a question may take, and whether anybody still waits for its answer. */
export interface Limit {
  /** Aborted when either is over. */
  signal: AbortSignal;
  /** Throws `cancelled` or `timeout` once it is over, also where no timer had its turn. */
  check(): void;
}

export function limitOf(ms: number, signal: AbortSignal = new AbortController().signal): Limit {
  const until = performance.now() + ms;
  const timer = AbortSignal.timeout(ms);
  return {
    signal: AbortSignal.any([signal, timer]),
    check() {
      if (signal.aborted) throw new ToolFailure("cancelled", "the call was cancelled");
      if (timer.aborted || performance.now() >= until)
        throw new ToolFailure("timeout", `the knowledge service did not answer within ${ms / 1000} s`);
    },
  };
}
