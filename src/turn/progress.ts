import type { CallProgress, Tool } from "#contract/tool.ts";
import type { TurnEvent } from "#contract/turn.ts";

/** Progress reaches people at most this often; each event is a commit. */
const PROGRESS_EVERY_MS = 200;

/** Turns progress notifications into events, the newest first when they come faster than people can read. */
export function progressReporter(
  tool: Tool,
  now: () => number,
  emit: (event: TurnEvent) => Promise<void>,
): { push: (progress: CallProgress) => void; flush: () => Promise<void> } {
  let last = 0;
  let latest: CallProgress | undefined;
  let writing: Promise<void> = Promise.resolve();
  function write(progress: CallProgress): void {
    last = now();
    latest = undefined;
    const { message, total } = progress;
    const event: TurnEvent = {
      type: "progress",
      message: message ?? `Calling ${tool.id}`,
      tool: tool.id,
      progress: progress.progress,
      ...(total === undefined ? {} : { total }),
    };
    // A progress line that cannot be recorded must not end the call.
    writing = writing.then(() => emit(event)).catch(() => undefined);
  }
  return {
    push(progress) {
      if (now() - last >= PROGRESS_EVERY_MS) write(progress);
      else latest = progress;
    },
    async flush() {
      if (latest !== undefined) write(latest);
      await writing;
    },
  };
}
