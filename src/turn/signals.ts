/** Tells who waits for a turn's events that there are new ones. Only a hint: the store has the events. */
export interface TurnSignals {
  notify(turnId: string): void;
  /** Tells who waits at this moment that the turn cannot go on for now, and why. */
  stall(turnId: string, why: Error): void;
  /** Resolves at the next notification of that turn, or when the signal aborts; to why it stalls. */
  wait(turnId: string, signal: AbortSignal): Promise<Error | undefined>;
}

/**
 * Signals within this process. `pollMs` above 0 ends every wait after that time: with replicas the
 * event may have been written by another.
 */
export function createTurnSignals(pollMs: number): TurnSignals {
  const waiters = new Map<string, Set<(why?: Error) => void>>();
  function wakeAll(turnId: string, why?: Error): void {
    const set = waiters.get(turnId);
    waiters.delete(turnId);
    for (const wake of set ?? []) wake(why);
  }
  return {
    notify: (turnId) => wakeAll(turnId),
    stall: wakeAll,
    wait: (turnId, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve(undefined);
          return;
        }
        const set = waiters.get(turnId) ?? new Set();
        waiters.set(turnId, set);
        const timer = pollMs > 0 ? setTimeout(() => wake(), pollMs) : undefined;
        const wake = (why?: Error): void => {
          clearTimeout(timer);
          set.delete(wake);
          if (set.size === 0 && waiters.get(turnId) === set) waiters.delete(turnId);
          signal.removeEventListener("abort", leave);
          resolve(why);
        };
        const leave = (): void => wake();
        set.add(wake);
        signal.addEventListener("abort", leave, { once: true });
      }),
  };
}
