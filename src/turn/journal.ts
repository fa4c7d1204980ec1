import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ModelAttempt, PlannedOutcome, PlannedStep } from "#contract/plan.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";
import type { TurnEvent, TurnResult, TurnState, TurnStep } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { digest } from "../base/json.ts";
import { type Redactor, withSecretsOf } from "../base/redact.ts";
import type { AuditEntry } from "../ledger/audit.ts";
import { closeRequests } from "../ledger/moves.ts";
import type { AuditNote, Transact } from "../ledger/transact.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import { appendEvent, nextSeq, type TurnSignals } from "./events.ts";
import { forgetCredentials } from "./inbox.ts";
import {
  type CallRecord,
  isFinal,
  type RecordedPlan,
  type StoredTurn,
  toCall,
  toPlannedRow,
  toStep,
  toTurn,
} from "./rows.ts";

/** What a turn ends with, for now or for good. */
export interface TurnEnding {
  state: Extract<TurnState, "done" | "failed" | "stopped" | "pending_confirmation">;
  result?: TurnResult;
  error?: { code: string; message: string };
  /** Recorded with the end, where it was made without a model. */
  reply?: RecordedReply;
  events: TurnEvent[];
}

/** The text of an answer, and the prompt it was made from. */
interface RecordedReply {
  step: number;
  reply: string;
  prompt?: string;
  attempts?: ModelAttempt[];
}

/**
 * The durable record of a turn: each step before its effect and after it. Writing for a run that
 * another has replaced since (`StoredTurn.epoch`) rejects with `run_replaced` and writes nothing.
 */
export interface Journal extends JournalReader {
  /**
   * Marks the turn as running in a new run of its own; undefined when it has ended or waits for a
   * person: whoever decides makes it ready first. `isCounted`: it counts among the runs after which a turn
   * without any progress is given up.
   */
  begin(turnId: string, options: { isCounted: boolean }): Promise<StoredTurn | undefined>;
  emit(turn: StoredTurn, event: TurnEvent): Promise<void>;
  /** Each intent is recorded together with the event that tells people of it. */
  planIntent(turn: StoredTurn, step: number, event: TurnEvent): Promise<void>;
  /** Records a plan together with the calls it asks for. */
  planOutcome(
    turn: StoredTurn,
    step: number,
    plan: PlannedStep,
    also: { find: (id: string) => Tool | undefined; event: TurnEvent | undefined },
  ): Promise<void>;
  /** Records the answer of a model, so that it is asked once. */
  replyOutcome(turn: StoredTurn, reply: RecordedReply): Promise<void>;
  callIntent(turn: StoredTurn, call: CallRecord, event: TurnEvent): Promise<void>;
  callOutcome(
    turn: StoredTurn,
    call: CallRecord,
    state: "done" | "failed",
    outcome: CallOutcome,
  ): Promise<void>;
  /** Writes a request for approval that the turn does not have to wait for. */
  request<Result>(turn: StoredTurn, work: (tx: Tx, note: AuditNote) => Promise<Result>): Promise<Result>;
  /**
   * Ends the turn in one transaction with what `prepare` writes, and closes its open requests when it
   * ends for good. A turn that ended before, because a person stopped it, stays as it is and `prepare`
   * is not called. Rejects with `turn_stopped` (details: by) instead of letting a turn wait that a person
   * has stopped. Resolves to false when `prepare` finds that the turn has to go on.
   */
  end(
    turn: StoredTurn,
    prepare: (tx: Tx, note: AuditNote) => TurnEnding | Promise<TurnEnding | undefined>,
    passing?: "request",
  ): Promise<boolean>;
}

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

function createJournalReader(db: Db): JournalReader {
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

/**
 * What the audit log says of a planning step: each perception, then the decision, with the digests of
 * what every model call was given and what it gave back.
 */
function planNotes(turn: StoredTurn, step: number, plan: PlannedStep): AuditEntry[] {
  const perceived = plan.attempts.filter((attempt) => attempt.stage === "perception");
  const others = plan.attempts.filter((attempt) => attempt.stage !== "perception");
  const perceptions = plan.perceptions ?? [];
  const notes: AuditEntry[] = [];
  if (perceived.length > 0) {
    const made = perceptions.map(({ call, perception }) => ({ call, perception: digest(perception) }));
    notes.push({
      kind: "plan.perceived",
      turnId: turn.id,
      data: { step, perceptions: made, calls: perceived.map(modelCall) },
    });
  }
  notes.push({
    kind: "plan.decided",
    turnId: turn.id,
    actor: turn.actor,
    data: {
      step,
      planner: plan.planner,
      raw: digest(plan.attempts),
      outcome: outcomeOf(plan.outcome),
      calls: others.map(modelCall),
    },
  });
  return notes;
}

/** What the audit log says of an answer. */
function replyNote(turn: StoredTurn, answer: { reply: string; attempts?: ModelAttempt[] }): AuditEntry {
  const calls = answer.attempts?.map(modelCall) ?? [];
  return {
    kind: "respond",
    turnId: turn.id,
    data: { reply: digest(answer.reply), ...(calls.length === 0 ? {} : { calls }) },
  };
}

/** One call of a model: what it was given and what it gave back, as digests. */
function modelCall(attempt: ModelAttempt): JsonObject {
  const { stage, model, prompt, raw, fault, usage } = attempt;
  return {
    ...(stage === undefined ? {} : { stage }),
    ...(model === undefined ? {} : { model }),
    ...(prompt === undefined ? {} : { input: digest(prompt) }),
    output: digest(raw),
    ...(fault === undefined ? {} : { refused: digest(fault) }),
    ...(usage === undefined ? {} : { usage: { ...usage } }),
  };
}

/** An answer that was made with the decision may hold tool data: its digest stands for it. */
function outcomeOf(outcome: PlannedOutcome): JsonValue {
  if (outcome.kind !== "final") return outcome as unknown as JsonValue;
  return { kind: "final", ...(outcome.reply === undefined ? {} : { reply: digest(outcome.reply) }) };
}

/** Journal entries without what models were asked and said, for where operators may not read it. */
export function withoutPrompts(steps: readonly TurnStep[]): TurnStep[] {
  return steps.map((step) => ({ ...step, data: hide(step.data) }));
}

/**
 * Journal entries as they may leave: secrets masked, also where the value of a secret argument stands in the
 * text of a prompt or an answer. `text` masks the same in what else is told of the turn.
 */
export function maskSteps(
  steps: readonly TurnStep[],
  redactor: Redactor,
): { steps: TurnStep[]; text: (value: string) => string } {
  const all = withSecretsOf(
    steps.map(({ data }) => data),
    redactor,
  );
  return {
    steps: steps.map((step) => ({ ...step, data: all.json(step.data) })),
    text: (value) => all.text(value),
  };
}

function hide(data: JsonValue): JsonValue {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
  const { prompt, attempts, perceptions, ...rest } = data;
  return {
    ...rest,
    ...(prompt === undefined ? {} : { prompt: HIDDEN }),
    ...(Array.isArray(attempts) ? { attempts: attempts.map(hideAttempt) } : {}),
    ...(Array.isArray(perceptions) ? { perceptions: perceptions.length } : {}),
  };
}

const HIDDEN = "(hidden: model.inspect is false)";

function hideAttempt(attempt: JsonValue): JsonValue {
  if (typeof attempt !== "object" || attempt === null || Array.isArray(attempt)) return attempt;
  const { prompt, raw, fault, ...rest } = attempt;
  return {
    ...rest,
    ...(prompt === undefined ? {} : { prompt: HIDDEN }),
    ...(raw === undefined ? {} : { raw: HIDDEN }),
    ...(fault === undefined ? {} : { fault: HIDDEN }),
  };
}
