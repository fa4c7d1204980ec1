import type { Readable } from "node:stream";

const burst = 40;
const perSecond = 10;
const longestLine = 2_000;
const remembered = 12;
const reportMs = 1_000;

/** The output of a launched server, line by line. */
export interface LineLog {
  /** The last lines, for the message of a server that died. */
  tail(): string[];
}

/**
 * Reads a stream to its end and hands its lines on, at most 40 at once and 10 a second; what is
 * over is counted and named later. It never stops reading, so a talkative server cannot block.
 */
export function logLines(stream: Readable, write: (line: string) => void): LineLog {
  const last: string[] = [];
  let partial = "";
  let tokens = burst;
  let refilledAt = Date.now();
  let dropped = 0;
  let reporting: NodeJS.Timeout | undefined;

  function refill(): void {
    const now = Date.now();
    tokens = Math.min(burst, tokens + ((now - refilledAt) / 1000) * perSecond);
    refilledAt = now;
  }

  function reportDropped(): void {
    clearTimeout(reporting);
    reporting = undefined;
    if (dropped === 0) return;
    write(`(${dropped} more lines left out)`);
    dropped = 0;
  }

  function take(raw: string): void {
    const line = raw.length > longestLine ? `${raw.slice(0, longestLine)}…` : raw.trimEnd();
    if (line === "") return;
    last.push(line);
    if (last.length > remembered) last.shift();
    refill();
    if (tokens < 1) {
      dropped += 1;
      // Nothing may follow that would carry the count.
      reporting ??= setTimeout(reportDropped, reportMs).unref();
      return;
    }
    reportDropped();
    tokens -= 1;
    write(line);
  }

  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (partial + chunk).split("\n");
    partial = lines.pop() ?? "";
    // A line without an end must not grow for ever.
    if (partial.length > longestLine * 4) {
      take(partial);
      partial = "";
    }
    for (const line of lines) take(line);
  });
  stream.on("error", () => {});
  stream.on("close", () => {
    take(partial);
    partial = "";
    reportDropped();
  });
  return { tail: () => [...last] };
}
