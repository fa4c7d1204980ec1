import type { JsonValue } from "#contract/json.ts";
import type { TurnState } from "#contract/turn.ts";

import { digest } from "../base/digest.ts";
import { CountersignError } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { closeRequests } from "../ledger/close.ts";
import type { AuditNote, Transact } from "../ledger/transact.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import { appendEvent, nextSeq } from "./events.ts";
import type { Journal, RecordedReply } from "./journal-port.ts";
import { createJournalReader } from "./journal-reader.ts";
import { isFinal, type StoredTurn, toPlannedRow, toTurn } from "./rows.ts";
import type { TurnSignals } from "./signals.ts";
import { planNotes, replyNote } from "./stage-notes.ts";
import { forgetCredentials } from "./turn-credentials.ts";

export interface JournalOptions {
  db: Db;
  kind: StoreKind;
  transact: Transact;
  now: () => number;
  signals: TurnSignals;
  failPoint: FailPoint;
}

export function createJournal({ db, kind, transact, now, signals, failPoint }: JournalOptions): Journal {
  /** The turn as it stands, once it is certain that this run is still the one that may write. */
  async function fence(tx: Tx, turn: StoredTurn): Promise<{ state: TurnState; stoppedBy: string | null }> {
    const row = await tx
      .selectFrom("turns")
      .select(["epoch", "state", "stopped_by", "allow_summarization"])
      .where("id", "=", turn.id)
      .$if(kind === "postgres", (query) => query.forUpdate())
      .executeTakeFirstOrThrow();
    if (row.epoch !== turn.epoch) {
      throw new CountersignError(
        "run_replaced",
        `Run ${turn.epoch} of ${turn.id} was replaced by run ${row.epoch}.`,
      );
    }
    // Its channel was made private since it was read; every write comes by here, also before a model is asked.
    if (row.allow_summarization !== 1) turn.allowSummarization = false;
    return { state: row.state as TurnState, stoppedBy: row.stopped_by };
  }

  function write<Result>(
    turn: StoredTurn,
    work: (tx: Tx, note: AuditNote) => Promise<Result>,
  ): Promise<Result> {
    return transact(async (tx, note) => {
      await fence(tx, turn);
      return work(tx, note);
    });
  }

  async function appendStep(
    tx: Tx,
    turnId: string,
    entry: { kind: string; step: number; state: "intent" | "outcome"; data: JsonValue },
  ): Promise<void> {
    const { data, ...columns } = entry;
    await tx
      .insertInto("steps")
      .values((eb) => ({
        turn_id: turnId,
        seq: eb.selectFrom("steps").select(nextSeq).where("turn_id", "=", turnId),
        at: now(),
        data: JSON.stringify(data),
        ...columns,
      }))
      .execute();
    if (entry.state === "outcome") await resetAttempts(tx, turnId);
  }

  async function resetAttempts(tx: Tx, turnId: string): Promise<void> {
    await tx
      .updateTable("turns")
      .set({ attempts: 0 })
      .where("id", "=", turnId)
      .where("attempts", ">", 0)
      .execute();
  }

  async function recordReply(tx: Tx, note: AuditNote, turn: StoredTurn, reply: RecordedReply): Promise<void> {
    const { step, ...data } = reply;
    await appendStep(tx, turn.id, {
      kind: "respond",
      step,
      state: "outcome",
      data: data as unknown as JsonValue,
    });
    note(replyNote(turn, data));
  }

  return {
    ...createJournalReader(db),

    async begin(turnId, { isCounted }) {
      const row = await transact((tx) =>
        tx
          .updateTable("turns")
          .set((eb) => ({
            state: "running",
            updated_at: now(),
            attempts: eb("attempts", "+", isCounted ? 1 : 0),
            epoch: eb("epoch", "+", 1),
          }))
          .where("id", "=", turnId)
          .where("state", "in", ["queued", "running"])
          .returningAll()
          .executeTakeFirst(),
      );
      return row === undefined ? undefined : toTurn(row);
    },

    async emit(turn, event) {
      await write(turn, (tx) => appendEvent(tx, turn.id, event, now()));
      signals.notify(turn.id);
    },

    async planIntent(turn, step, event) {
      await write(turn, async (tx) => {
        await appendEvent(tx, turn.id, event, now());
        await appendStep(tx, turn.id, { kind: "decide", step, state: "intent", data: {} });
      });
      signals.notify(turn.id);
      failPoint("plan.before");
    },

    async planOutcome(turn, step, plan, { find, event }) {
      await write(turn, async (tx, note) => {
        await appendStep(tx, turn.id, {
          kind: "decide",
          step,
          state: "outcome",
          data: plan as unknown as JsonValue,
        });
        const calls = plan.outcome.kind === "calls" ? plan.outcome.calls : [];
        for (const [place, call] of calls.entries()) {
          await tx
            .insertInto("calls")
            .values(toPlannedRow(turn.id, step, place, call, find))
            .execute();
        }
        for (const entry of planNotes(turn, step, plan)) note(entry);
        if (event !== undefined) await appendEvent(tx, turn.id, event, now());
      });
      if (event !== undefined) signals.notify(turn.id);
      failPoint("plan.after");
    },

    async replyOutcome(turn, reply) {
      await write(turn, (tx, note) => recordReply(tx, note, turn, reply));
      failPoint("reply.after");
    },

    async callIntent(turn, call, event) {
      failPoint("intent.before");
      await write(turn, async (tx, note) => {
        await appendEvent(tx, turn.id, event, now());
        await tx
          .updateTable("calls")
          .set({ state: "intent", started_at: now(), repeatable: 1 })
          .where("id", "=", call.id)
          .execute();
        note({
          kind: "call.intent",
          turnId: turn.id,
          data: { call: call.id, tool: call.toolId, args: call.args },
        });
      });
      signals.notify(turn.id);
      failPoint("intent.after");
    },

    async callOutcome(turn, call, state, outcome) {
      await write(turn, async (tx, note) => {
        await tx
          .updateTable("calls")
          .set({ state, ended_at: now(), outcome: JSON.stringify(outcome) })
          .where("id", "=", call.id)
          .execute();
        await resetAttempts(tx, turn.id);
        note({
          kind: `call.${state}`,
          turnId: turn.id,
          data: {
            call: call.id,
            tool: call.toolId,
            outcome: digest(outcome.data),
            error: outcome.error?.code ?? null,
          },
        });
      });
      failPoint("outcome.after");
    },

    async request(turn, work) {
      failPoint("request.before");
      const result = await write(turn, work);
      failPoint("request.after");
      return result;
    },

    async end(turn, prepare, passing) {
      failPoint("end.before");
      if (passing !== undefined) failPoint(`${passing}.before`);
      const hasEnded = await transact(async (tx, note) => {
        const { state, stoppedBy } = await fence(tx, turn);
        if (isFinal(state)) return true;
        const ending = await prepare(tx, note);
        if (ending === undefined) return false;
        if (ending.state === "pending_confirmation" && stoppedBy !== null) {
          throw new CountersignError("turn_stopped", "A person stopped this turn.", {
            details: { by: stoppedBy },
          });
        }
        await tx
          .updateTable("turns")
          .set({
            state: ending.state,
            updated_at: now(),
            attempts: 0,
            ...(ending.result === undefined ? {} : { result: JSON.stringify(ending.result) }),
            ...(ending.error === undefined ? {} : { error: JSON.stringify(ending.error) }),
          })
          .where("id", "=", turn.id)
          .execute();
        if (ending.reply !== undefined) await recordReply(tx, note, turn, ending.reply);
        for (const event of ending.events) await appendEvent(tx, turn.id, event, now());
        note({
          kind: `turn.${ending.state}`,
          turnId: turn.id,
          actor: turn.actor,
          data: { error: ending.error?.code ?? null },
        });
        if (isFinal(ending.state)) {
          await closeRequests(tx, note, turn.id, { at: now(), why: "the turn ended" });
          await forgetCredentials(tx, turn.id);
        }
        return true;
      });
      signals.notify(turn.id);
      if (passing !== undefined) failPoint(`${passing}.after`);
      failPoint("end.after");
      return hasEnded;
    },
  };
}
