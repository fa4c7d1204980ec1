/** Tells who waits for a turn's events that there are new ones. Only a hint: the store has the events. */
export interface TurnSignals {
  notify(turnId: string): void;
  /** Resolves at the next notification of that turn, or when the signal aborts. */
  wait(turnId: string, signal: AbortSignal): Promise<void>;
}

/**
 * Signals within this process. `pollMs` above 0 ends every wait after that time: with replicas the
 * event may have been written by another.
 */
export function createTurnSignals(pollMs: number): TurnSignals {
  const waiters = new Map<string, Set<() => void>>();
  return {
    notify(turnId) {
      const set = waiters.get(turnId);
      waiters.delete(turnId);
      for (const wake of set ?? []) wake();
    },
    wait: (turnId, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const set = waiters.get(turnId) ?? new Set();
        waiters.set(turnId, set);
        const timer = pollMs > 0 ? setTimeout(() => wake(), pollMs) : undefined;
        const wake = (): void => {
          clearTimeout(timer);
          set.delete(wake);
          if (set.size === 0 && waiters.get(turnId) === set) waiters.delete(turnId);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        set.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      }),
  };
}
