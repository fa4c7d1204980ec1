import { readAuditHead } from "../ledger/verify.ts";
import type { Db } from "../store/schema.ts";

/** Tells of changes that are no events of a turn, on whichever replica they were made. */
export interface Changes {
  /** See Core.onChange. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface ChangesOptions {
  db: Db;
  /** How often the audit chain is looked at while somebody listens, in milliseconds. */
  pollMs: number;
  log: { warn: (data: object, message: string) => void };
}

/** Whatever changes is in the audit chain, in the order of the commits: one look serves all who listen. */
export function createChanges({ db, pollMs, log }: ChangesOptions): Changes {
  const listeners = new Set<() => void>();
  let seen: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const { seq } = await readAuditHead(db);
      const from = seen ?? seq;
      const isNews = seq > from && (await tellsOfChange(from));
      seen = seq;
      if (isNews) for (const listener of listeners) listener();
    } catch (error) {
      log.warn({ error }, "changes could not be looked for, will be tried again");
    }
  }

  async function tellsOfChange(after: number): Promise<boolean> {
    const found = await db
      .selectFrom("audit")
      .select("seq")
      .where("seq", ">", after)
      .where((eb) => eb.or([eb("kind", "like", "approval.%"), eb("kind", "=", "privacy.set")]))
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  function goOn(): void {
    if (listeners.size === 0) return;
    timer = setTimeout(() => {
      looking = look().then(goOn);
    }, pollMs);
  }

  return {
    onChange(listener) {
      listeners.add(listener);
      if (listeners.size === 1) looking = looking.then(look).then(goOn);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearTimeout(timer);
      };
    },
    async close() {
      listeners.clear();
      clearTimeout(timer);
      await looking;
    },
  };
}
