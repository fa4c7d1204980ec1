/** What is told when somebody waited in vain. */
interface Seen {
  readonly messages: readonly { user: string; text: string; ts: string }[];
  readonly calls: readonly { method: string; error: string | undefined }[];
}

/** How long something may take that should happen at once: on a busy machine it may take long. */
const PATIENCE_MS = 40_000;

export interface Until {
  /**
   * Resolves with what `find` returns as soon as that is neither undefined, null nor false, looking again at every
   * change. Rejects after 40 seconds (or `patienceMs`) with what was there instead.
   */
  until<T>(find: () => T, patienceMs?: number): Promise<Exclude<T, undefined | null | false>>;
  /** Resolves when everything sent to the app is acknowledged or given up. */
  settled(): Promise<void>;
}

export interface Waiting extends Omit<Until, "settled"> {
  /** Looks again for everyone who waits. */
  check(): void;
  stop(): void;
}

export function createUntil(world: Seen): Waiting {
  const waiters = new Set<() => void>();
  const cancels = new Set<() => void>();
  return {
    check() {
      for (const waiter of waiters) waiter();
    },
    until: (find, patienceMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          waiters.delete(look);
          cancels.delete(cancel);
          clearTimeout(timer);
          settle();
        };
        const look = (): void => {
          try {
            const found = find();
            if (found === undefined || found === null || found === false) return;
            end(() => resolve(found as Exclude<typeof found, undefined | null | false>));
          } catch (error) {
            end(() => reject(error instanceof Error ? error : new Error(String(error))));
          }
        };
        const cancel = (): void => end(() => reject(new Error("the fake was stopped while somebody waited")));
        const timer = setTimeout(() => end(() => reject(new Error(lastSeen(world, patienceMs)))), patienceMs);
        waiters.add(look);
        cancels.add(cancel);
        look();
      }),
    stop() {
      for (const cancel of cancels) cancel();
    },
  };
}

function lastSeen(world: Seen, ms: number): string {
  const messages = world.messages
    .slice(-8)
    .map(({ user, text, ts }) => `  ${ts} ${user}: ${text.slice(0, 120)}`);
  const calls = world.calls
    .slice(-8)
    .map(({ method, error }) => `  ${method}${error === undefined ? "" : `: ${error}`}`);
  return `nothing matched within ${ms} ms; last messages:\n${messages.join("\n")}\nlast calls:\n${calls.join("\n")}`;
}
