import { CountersignError } from "../../base/errors.ts";
import { createShares, type Owner } from "../../base/shares.ts";

/** Lets at most `size` pieces of work run at once; of the others whoever has least goes first. */
export class Semaphore {
  readonly size: number;
  readonly #waiting = new Map<() => void, Owner | undefined>();
  readonly #shares = createShares();
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
   * `busy` after `waitMs` milliseconds. `of`: whose work it is.
   */
  enter(signal: AbortSignal, waitMs: number, of?: Owner): Promise<() => void> {
    if (this.#taken < this.size) return Promise.resolve(this.#take(of));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#waiting.delete(admit);
      };
      const admit = (): void => {
        settle();
        resolve(this.#take(of));
      };
      const refuse = (code: string, message: string): void => {
        settle();
        reject(new CountersignError(code, message));
      };
      const onAbort = (): void => refuse("stopped", "stopped while waiting for a free place");
      const onTimeout = (): void => refuse("busy", `${this.size} calls are under way and none has ended`);
      const timer = setTimeout(onTimeout, waitMs);
      this.#waiting.set(admit, of);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #take(of: Owner | undefined): () => void {
    this.#taken += 1;
    this.#shares.began(of);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#taken -= 1;
      this.#shares.ended(of);
      // The place passes on at once, so that no later caller takes it in between.
      const next = [...this.#waiting].reduce<[() => void, Owner | undefined] | undefined>(
        (first, one) => (first === undefined || this.#shares.isBefore(one[1], first[1]) ? one : first),
        undefined,
      );
      next?.[0]();
    };
  }
}
