import { type AliasedRawBuilder, sql } from "kysely";

import type { NumberedEvent, TurnEvent, TurnState } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import type { Db, Tx } from "../store/schema.ts";
import { isFinal } from "./rows.ts";
import type { TurnSignals } from "./signals.ts";

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

export async function readEvents(db: Db, turnId: string, after: number): Promise<NumberedEvent[]> {
  const rows = await db
    .selectFrom("events")
    .select(["seq", "data"])
    .where("turn_id", "=", turnId)
    .where("seq", ">", after)
    .orderBy("seq")
    .execute();
  return rows.map((row) => ({ turnId, seq: row.seq, event: JSON.parse(row.data) as TurnEvent }));
}

/**
 * The events after `after`, then live ones, up to and including the result or error that is the last
 * for now. See Core.events. Rejects with why the turn cannot go on, when the store does not take it.
 */
export async function* streamEvents(
  db: Db,
  signals: TurnSignals,
  turnId: string,
  options: { after?: number; signal: AbortSignal },
): AsyncGenerator<NumberedEvent> {
  let after = options.after ?? 0;
  let last: NumberedEvent | undefined;
  while (!options.signal.aborted) {
    // Waiting begins before reading, so that an event between the two is not missed.
    const read = new AbortController();
    const changed = signals.wait(turnId, AbortSignal.any([options.signal, read.signal]));
    try {
      const turn = await db.selectFrom("turns").select("state").where("id", "=", turnId).executeTakeFirst();
      if (turn === undefined) throw new CountersignError("not_found", `There is no turn ${turnId}.`);
      const state = turn.state as TurnState;
      const events = await readEvents(db, turnId, after);
      for (const numbered of events) {
        after = numbered.seq;
        last = numbered;
        yield numbered;
      }
      if (events.length > 0) continue;
      // A result is the last only when nothing goes on after it: an approval may have continued the turn.
      if (isFinal(state) || (last !== undefined && isClosing(last.event) && !isGoingOn(state))) return;
      const stalled = await changed;
      if (stalled !== undefined) throw stalled;
    } finally {
      read.abort();
    }
  }
}

function isClosing(event: TurnEvent): boolean {
  return event.type === "result" || event.type === "error";
}

function isGoingOn(state: TurnState): boolean {
  return state === "queued" || state === "running";
}
