/** What the fake takes its time from, so that a test can move it instead of waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `action` once, `ms` from now; the returned function calls it off. */
  after(ms: number, action: () => void): () => void;
}

/** The machine's time. Its timers keep no process alive. */
export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends Clock {
  /** Moves the time on and runs what becomes due, in order. */
  advance(ms: number): void;
}

/** A clock that stands still until it is moved. Starts at the machine's time, since signatures are checked against it. */
export function manualClock(start: number = Date.now()): ManualClock {
  let time = start;
  const due = new Set<{ at: number; action: () => void }>();
  return {
    now: () => time,
    after(ms, action) {
      const entry = { at: time + ms, action };
      due.add(entry);
      return () => due.delete(entry);
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = [...due].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        due.delete(next);
        time = Math.max(time, next.at);
        next.action();
      }
      time = end;
    },
  };
}
