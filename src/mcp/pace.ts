import { setImmediate as nextRound, setTimeout as delay } from "node:timers/promises";

/** So many messages of a server are taken at once, and so many bytes of them, until others have their turn. */
export const slice: { messages: number; bytes: number } = { messages: 32, bytes: 4 * 1024 };

/** Work that is done by then is no burden to others. */
const LIGHT_MS = 4;
const LONGEST_REST_MS = 100;

/**
 * Resolves when others have had their turn after work that began at `begunMs` (of `performance.now()`): what it
 * set off is done by then, and where that took long, a server waits twice as long before it is heard again. So a
 * flood of messages takes a third of this process's time at most, and fills the server's own pipe.
 */
export async function rest(begunMs: number): Promise<void> {
  await nextRound();
  const tookMs = performance.now() - begunMs;
  if (tookMs > LIGHT_MS) await delay(Math.min(2 * tookMs, LONGEST_REST_MS));
}
