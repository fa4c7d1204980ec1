import { CountersignError } from "../../base/errors.ts";

/** Lets so many pieces of work run at once; the others wait in order. */
export interface Semaphore {
  /** What gives the place back, where one is free. */
  tryEnter(): (() => void) | undefined;
  /**
   * Resolves to what gives the place back. Rejects when the signal aborts, and with code `busy` after
   * `waitMs` milliseconds.
   */
  enter(signal: AbortSignal, waitMs: number): Promise<() => void>;
  /** Places that are taken. */
  readonly taken: number;
}

export function createSemaphore(places: number): Semaphore {
  const waiting: (() => void)[] = [];
  let taken = 0;

  function leave(): void {
    const next = waiting.shift();
    // The place passes on: nobody who comes later can take it in between.
    if (next === undefined) taken -= 1;
    else next();
  }

  function once(): () => void {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      leave();
    };
  }

  function tryEnter(): (() => void) | undefined {
    if (taken >= places) return undefined;
    taken += 1;
    return once();
  }

  return {
    get taken() {
      return taken;
    },
    tryEnter,
    enter(signal, waitMs) {
      const leave = tryEnter();
      if (leave !== undefined) return Promise.resolve(leave);
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          const at = waiting.indexOf(admit);
          if (at !== -1) waiting.splice(at, 1);
        };
        const admit = (): void => {
          settle();
          resolve(once());
        };
        const onAbort = (): void => {
          settle();
          reject(new CountersignError("stopped", "stopped while waiting for a free place"));
        };
        const timer = setTimeout(() => {
          settle();
          reject(new CountersignError("busy", `${places} calls are under way and none has ended`));
        }, waitMs);
        waiting.push(admit);
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort, { once: true });
      });
    },
  };
}
