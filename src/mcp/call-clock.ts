/** Why a call ran out of time. */
export interface OutOfTime {
  limit: "idle" | "total";
  ms: number;
}

/** What ends one call before its answer: its time limits, and whatever else ends it. */
export interface CallClock {
  /** Aborts when the call is to end. */
  readonly signal: AbortSignal;
  /** Which limit ended it; undefined when something else did, or nothing yet. */
  outOfTime(): OutOfTime | undefined;
  /** Ends the call when this signal aborts as well. */
  heed(signal: AbortSignal): void;
  /** The server gave a sign of life. */
  touch(): void;
  /**
   * A person is waited for: neither limit counts until the returned function is called. Several may
   * be waited for at once.
   */
  hold(): () => void;
  /** The call has ended. */
  stop(): void;
}

export function startClock({ idleMs, totalMs }: { idleMs: number; totalMs: number }): CallClock {
  const over = new AbortController();
  // Not AbortSignal.any: most of these signals live long, and each call would add to what they hold.
  const heeded = new Set<AbortSignal>();
  let ending: OutOfTime | undefined;
  let left = totalMs;
  let runningSince = performance.now();
  let held = 0;
  let idle: NodeJS.Timeout | undefined;
  let total: NodeJS.Timeout | undefined;

  function end(reason: OutOfTime): void {
    ending = reason;
    abort();
  }

  function abort(): void {
    if (over.signal.aborted) return;
    stop();
    over.abort(new Error(ending === undefined ? "the call was stopped" : "the call is out of time"));
  }

  function stop(): void {
    clearTimeout(idle);
    clearTimeout(total);
    idle = undefined;
    total = undefined;
  }

  function run(): void {
    runningSince = performance.now();
    idle = setTimeout(() => end({ limit: "idle", ms: idleMs }), idleMs);
    total = setTimeout(() => end({ limit: "total", ms: totalMs }), Math.max(left, 1));
  }

  run();
  return {
    signal: over.signal,
    outOfTime: () => ending,
    heed(signal) {
      if (signal.aborted) return abort();
      if (heeded.has(signal)) return undefined;
      heeded.add(signal);
      return signal.addEventListener("abort", abort, { once: true });
    },
    touch: () => void idle?.refresh(),
    hold() {
      if (held === 0 && total !== undefined) {
        left -= performance.now() - runningSince;
        stop();
      }
      held += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        held -= 1;
        if (held === 0 && !over.signal.aborted) run();
      };
    },
    stop() {
      // A hold that ends afterwards must not start it again.
      held += 1;
      stop();
      for (const signal of heeded) signal.removeEventListener("abort", abort);
      heeded.clear();
    },
  };
}
