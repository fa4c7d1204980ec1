import type { Logger } from "pino";

import type { Journal } from "../turn/journal-port.ts";

type Run = (turnId: string, signal: AbortSignal) => Promise<void>;

/** Runs a turn and tells the log how it went. */
export function createLoggedRun(
  run: Run,
  { journal, now, log }: { journal: Journal; now: () => number; log: Logger },
): Run {
  return async (turnId, signal) => {
    const begun = now();
    await run(turnId, signal);
    const turn = await journal.turn(turnId);
    const { conversationId, state, result, error } = turn ?? {};
    const timings = result?.timings;
    const ms = now() - begun;
    log.info({ turn: turnId, conversation: conversationId, state, ms, timings, error }, "turn ran");
    for (const call of result?.toolResults ?? []) {
      log.debug({ turn: turnId, tool: call.toolId, ok: call.ok, ms: call.durationMs }, "call");
    }
  };
}
