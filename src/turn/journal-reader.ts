import type { PlannedStep } from "#contract/plan.ts";
import type { TurnStep } from "#contract/turn.ts";

import type { Db } from "../store/schema.ts";
import { type CallRecord, type RecordedPlan, type StoredTurn, toCall, toStep, toTurn } from "./rows.ts";

/** What the journal says of turns. */
export interface JournalReader {
  turn(turnId: string): Promise<StoredTurn | undefined>;
  /** The plans recorded so far, in order. */
  plans(turnId: string): Promise<RecordedPlan[]>;
  /** The answer, once it was made. */
  reply(turnId: string): Promise<string | undefined>;
  calls(turnId: string): Promise<CallRecord[]>;
  steps(turnId: string): Promise<TurnStep[]>;
  /** Turns that are ready to run or were running, in order of acceptance. */
  unfinished(): Promise<{ turnId: string; conversationId: string }[]>;
}

export function createJournalReader(db: Db): JournalReader {
  return {
    async turn(turnId) {
      const row = await db.selectFrom("turns").selectAll().where("id", "=", turnId).executeTakeFirst();
      return row === undefined ? undefined : toTurn(row);
    },

    async plans(turnId) {
      const rows = await db
        .selectFrom("steps")
        .selectAll()
        .where("turn_id", "=", turnId)
        .where("kind", "=", "decide")
        .orderBy("seq")
        .execute();
      return rows
        .filter((row) => row.state === "outcome")
        .map((row) => {
          const begun = rows.findLast(
            (one) => one.state === "intent" && one.step === row.step && one.seq < row.seq,
          );
          const plan = JSON.parse(row.data) as PlannedStep;
          return { step: row.step, plan, at: row.at, durationMs: row.at - (begun?.at ?? row.at) };
        });
    },

    async reply(turnId) {
      const row = await db
        .selectFrom("steps")
        .select("data")
        .where("turn_id", "=", turnId)
        .where("kind", "=", "respond")
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : (JSON.parse(row.data) as { reply: string }).reply;
    },

    async calls(turnId) {
      const rows = await db
        .selectFrom("calls")
        .selectAll()
        .where("turn_id", "=", turnId)
        .orderBy("step")
        .orderBy("place")
        .execute();
      return rows.map(toCall);
    },

    async steps(turnId) {
      const rows = await db
        .selectFrom("steps")
        .selectAll()
        .where("turn_id", "=", turnId)
        .orderBy("seq")
        .execute();
      return rows.map(toStep);
    },

    async unfinished() {
      const rows = await db
        .selectFrom("turns")
        .select(["id", "conversation_id"])
        .where((eb) =>
          eb.or([
            eb("state", "in", ["queued", "running"]),
            // Decided, and the process ended before the turn was made ready: nothing is open in it.
            eb.and([
              eb("state", "=", "pending_confirmation"),
              eb.not(
                eb.exists(
                  eb
                    .selectFrom("approvals")
                    .select("approvals.id")
                    .whereRef("approvals.turn_id", "=", "turns.id")
                    .where("approvals.state", "in", ["pending", "unknown"]),
                ),
              ),
            ]),
          ]),
        )
        .orderBy("position")
        .execute();
      return rows.map((row) => ({ turnId: row.id, conversationId: row.conversation_id }));
    },
  };
}
