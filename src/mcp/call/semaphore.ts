import { CountersignError } from "../../base/errors.ts";

/** Lets at most `size` pieces of work run at once; the others wait in order. */
export class Semaphore {
  readonly size: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Resolves to what gives the place back. Rejects with code `stopped` when the signal aborts, and with
   * `busy` after `waitMs` milliseconds.
   */
  enter(signal: AbortSignal, waitMs: number): Promise<() => void> {
    if (this.#taken < this.size) return Promise.resolve(this.#take());
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#waiting.delete(admit);
      };
      const admit = (): void => {
        settle();
        resolve(this.#take());
      };
      const refuse = (code: string, message: string): void => {
        settle();
        reject(new CountersignError(code, message));
      };
      const onAbort = (): void => refuse("stopped", "stopped while waiting for a free place");
      const onTimeout = (): void => refuse("busy", `${this.size} calls are under way and none has ended`);
      const timer = setTimeout(onTimeout, waitMs);
      this.#waiting.add(admit);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #take(): () => void {
    this.#taken += 1;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#taken -= 1;
      // The place passes on at once, so that no later caller takes it in between.
      const [next] = this.#waiting;
      next?.();
    };
  }
}
