import { type AliasedRawBuilder, sql } from "kysely";

import type { NumberedEvent, TurnEvent } from "#contract/turn.ts";

import type { Db, Tx } from "../store/schema.ts";

/** Appends an event to a turn inside the caller's transaction; notify after the commit. */
export async function appendEvent(tx: Tx | Db, turnId: string, event: TurnEvent, at: number): Promise<void> {
  await tx
    .insertInto("events")
    .values((eb) => ({
      turn_id: turnId,
      seq: eb.selectFrom("events").select(nextSeq).where("turn_id", "=", turnId),
      at,
      data: JSON.stringify(event),
    }))
    .execute();
}

/** One more than the highest `seq` of the selected rows; 1 without any. */
export const nextSeq: AliasedRawBuilder<number, "seq"> = sql<number>`coalesce(max(seq), 0) + 1`.as("seq");

/** The events after `after`, oldest first; at most `most` of them. */
export async function readEvents(
  db: Db,
  turnId: string,
  after: number,
  most?: number,
): Promise<NumberedEvent[]> {
  const rows = await db
    .selectFrom("events")
    .select(["seq", "data"])
    .where("turn_id", "=", turnId)
    .where("seq", ">", after)
    .orderBy("seq")
    .$if(most !== undefined, (query) => query.limit(most ?? 0))
    .execute();
  return rows.map((row) => toNumbered(turnId, row));
}

/** The newest events after `after`, oldest first, with how long each is as JSON. */
export async function readNewest(
  db: Db,
  turnId: string,
  after: number,
  most: number,
): Promise<{ numbered: NumberedEvent; chars: number }[]> {
  const rows = await db
    .selectFrom("events")
    .select(["seq", "data"])
    .where("turn_id", "=", turnId)
    .where("seq", ">", after)
    .orderBy("seq", "desc")
    .limit(most)
    .execute();
  return rows.toReversed().map((row) => ({ numbered: toNumbered(turnId, row), chars: row.data.length }));
}

function toNumbered(turnId: string, { seq, data }: { seq: number; data: string }): NumberedEvent {
  return { turnId, seq, event: JSON.parse(data) as TurnEvent };
}

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
