import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";

/** Work that is done by then is no burden to others. */
const LIGHT_MS = 4;
const LONGEST_REST_MS = 100;

/**
 * Resolves when others have had their turn after work that began at `begunMs` (of `performance.now()`): what it
 * set off is done by then, and where that took long, it is followed by twice as long a rest. So what one server
 * or one large result costs takes a third of this process's time at most.
 */
export async function pauseAfter(begunMs: number): Promise<void> {
  await nextRound();
  const tookMs = performance.now() - begunMs;
  if (tookMs > LIGHT_MS) await delay(Math.min(2 * tookMs, LONGEST_REST_MS));
}
