/** Milliseconds until the next try: doubling from `minMs` to `maxMs`, of which half is jitter. */
export function backoff(failures: number, { minMs, maxMs }: { minMs: number; maxMs: number }): number {
  const full = Math.min(maxMs, minMs * 2 ** Math.min(Math.max(failures - 1, 0), 20));
  return full / 2 + (Math.random() * full) / 2;
}
