import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ModelAttempt, PlannedOutcome, PlannedStep } from "#contract/plan.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";
import type { TurnEvent, TurnResult, TurnState, TurnStep } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import { digest, isObject } from "../base/json.ts";
import { type Redactor, withSecretsOf } from "../base/redact.ts";
import type { AuditEntry } from "../ledger/audit.ts";
import { closeRequests } from "../ledger/moves.ts";
import type { AuditNote, Transact } from "../ledger/transact.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import { appendEvent, nextSeq, type TurnSignals } from "./events.ts";
import { forgetCredentials } from "./inbox.ts";
import { type CallRecord, isFinal, type RecordedPlan, type StoredTurn, toCall, toTurn } from "./rows.ts";

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

export interface JournalOptions {
  db: Db;
  kind: StoreKind;
  transact: Transact;
  now: () => number;
  signals: TurnSignals;
  failPoint: FailPoint;
}

type Work<Result> = (tx: Tx, note: AuditNote) => Promise<Result>;

/**
 * The durable record of a turn: each step before its effect and after it. Writing for a run that
 * another has replaced since (`StoredTurn.epoch`) rejects with `run_replaced` and writes nothing.
 */
export class Journal {
  readonly #options: JournalOptions;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  async turn(turnId: string): Promise<StoredTurn | undefined> {
    const { db } = this.#options;
    const row = await db.selectFrom("turns").selectAll().where("id", "=", turnId).executeTakeFirst();
    return row === undefined ? undefined : toTurn(row);
  }

  /** The plans recorded so far, in order. */
  async plans(turnId: string): Promise<RecordedPlan[]> {
    const rows = await this.#options.db
      .selectFrom("steps")
      .selectAll()
      .where("turn_id", "=", turnId)
      .where("kind", "=", "decide")
      .orderBy("seq")
      .execute();
    return rows
      .filter((row) => row.state === "outcome")
      .map(({ step, seq, at, data }) => {
        const begun = rows.findLast((one) => one.state === "intent" && one.step === step && one.seq < seq);
        return { step, plan: JSON.parse(data) as PlannedStep, at, durationMs: at - (begun?.at ?? at) };
      });
  }

  /** The answer, once it was made. */
  async reply(turnId: string): Promise<string | undefined> {
    const row = await this.#options.db
      .selectFrom("steps")
      .select("data")
      .where("turn_id", "=", turnId)
      .where("kind", "=", "respond")
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? undefined : (JSON.parse(row.data) as { reply: string }).reply;
  }

  async calls(turnId: string): Promise<CallRecord[]> {
    const rows = await this.#options.db
      .selectFrom("calls")
      .selectAll()
      .where("turn_id", "=", turnId)
      .orderBy("step")
      .orderBy("place")
      .execute();
    return rows.map(toCall);
  }

  async steps(turnId: string): Promise<TurnStep[]> {
    const { db } = this.#options;
    const rows = await db
      .selectFrom("steps")
      .selectAll()
      .where("turn_id", "=", turnId)
      .orderBy("seq")
      .execute();
    return rows.map(({ seq, kind, state, at, data }) => {
      const parsed = JSON.parse(data) as JsonValue;
      return { seq, kind, state: state === "outcome" ? "outcome" : "intent", at, data: parsed };
    });
  }

  /** Turns that are ready to run or were running, in order of acceptance. */
  async unfinished(): Promise<{ turnId: string; conversationId: string }[]> {
    return this.#options.db
      .selectFrom("turns")
      .select(["id as turnId", "conversation_id as conversationId"])
      .where((eb) => {
        const open = eb
          .selectFrom("approvals")
          .select("approvals.id")
          .whereRef("approvals.turn_id", "=", "turns.id")
          .where("approvals.state", "in", ["pending", "unknown"]);
        return eb.or([
          eb("state", "in", ["queued", "running"]),
          // Decided, and the process ended before the turn was made ready: nothing is open in it.
          eb.and([eb("state", "=", "pending_confirmation"), eb.not(eb.exists(open))]),
        ]);
      })
      .orderBy("position")
      .execute();
  }

  /**
   * Marks the turn as running in a new run of its own. Returns undefined when it has ended or waits for a
   * person: a decision makes it ready first. `isCounted`: counts among the runs without any progress.
   */
  async begin(turnId: string, { isCounted }: { isCounted: boolean }): Promise<StoredTurn | undefined> {
    const row = await this.#options.transact((tx) =>
      tx
        .updateTable("turns")
        .set((eb) => ({
          state: "running",
          updated_at: this.#options.now(),
          attempts: eb("attempts", "+", isCounted ? 1 : 0),
          epoch: eb("epoch", "+", 1),
        }))
        .where("id", "=", turnId)
        .where("state", "in", ["queued", "running"])
        .returningAll()
        .executeTakeFirst(),
    );
    return row === undefined ? undefined : toTurn(row);
  }

  async emit(turn: StoredTurn, event: TurnEvent): Promise<void> {
    await this.#write(turn, event, () => Promise.resolve());
  }

  /** Each intent is recorded together with the event that tells people of it. */
  async planIntent(turn: StoredTurn, step: number, event: TurnEvent): Promise<void> {
    await this.#write(turn, event, (tx) =>
      this.#appendStep(tx, turn.id, { kind: "decide", step, state: "intent", data: {} }),
    );
    this.#options.failPoint("plan.before");
  }

  /** Records a plan together with the calls it asks for. */
  async planOutcome(
    turn: StoredTurn,
    step: number,
    plan: PlannedStep,
    { find, event }: { find: (id: string) => Tool | undefined; event: TurnEvent | undefined },
  ): Promise<void> {
    await this.#write(turn, event, async (tx, note) => {
      await this.#appendStep(tx, turn.id, { kind: "decide", step, state: "outcome", data: plan });
      const calls = plan.outcome.kind === "calls" ? plan.outcome.calls : [];
      for (const [place, call] of calls.entries()) {
        await tx
          .insertInto("calls")
          .values({
            id: newId("call"),
            turn_id: turn.id,
            step,
            place,
            tool_id: call.tool,
            server: find(call.tool)?.server ?? call.tool.split(".")[0] ?? "",
            args: JSON.stringify(call.args),
            sources: call.sources === undefined ? null : JSON.stringify(call.sources),
            state: "planned",
            repeatable: 0,
          })
          .execute();
      }
      for (const entry of planNotes(turn, step, plan)) note(entry);
    });
    this.#options.failPoint("plan.after");
  }

  /** Records what the calls have brought so far; the next event has it shown. */
  async found(turn: StoredTurn, result: TurnResult): Promise<void> {
    await this.#write(turn, undefined, (tx) =>
      tx
        .updateTable("turns")
        .set({ result: JSON.stringify(result) })
        .where("id", "=", turn.id)
        .execute(),
    );
  }

  /** Records the answer of a model, so that it is asked once. */
  async replyOutcome(turn: StoredTurn, reply: RecordedReply): Promise<void> {
    await this.#write(turn, undefined, (tx, note) => this.#recordReply(tx, note, turn, reply));
    this.#options.failPoint("reply.after");
  }

  async callIntent(turn: StoredTurn, call: CallRecord, event: TurnEvent): Promise<void> {
    const { now, failPoint } = this.#options;
    failPoint("intent.before");
    await this.#write(turn, event, async (tx, note) => {
      await tx
        .updateTable("calls")
        .set({ state: "intent", started_at: now(), repeatable: 1 })
        .where("id", "=", call.id)
        .execute();
      const data = { call: call.id, tool: call.toolId, args: call.args };
      note({ kind: "call.intent", turnId: turn.id, data });
    });
    failPoint("intent.after");
  }

  async callOutcome(
    turn: StoredTurn,
    call: CallRecord,
    state: "done" | "failed",
    outcome: CallOutcome,
  ): Promise<void> {
    const { now, failPoint } = this.#options;
    await this.#write(turn, undefined, async (tx, note) => {
      await tx
        .updateTable("calls")
        .set({ state, ended_at: now(), outcome: JSON.stringify(outcome) })
        .where("id", "=", call.id)
        .execute();
      await resetAttempts(tx, turn.id);
      const error = outcome.error?.code ?? null;
      const data = { call: call.id, tool: call.toolId, outcome: digest(outcome.data), error };
      note({ kind: `call.${state}`, turnId: turn.id, data });
    });
    failPoint("outcome.after");
  }

  /** Writes a request for approval that the turn does not have to wait for. */
  async request<Result>(turn: StoredTurn, work: Work<Result>): Promise<Result> {
    this.#options.failPoint("request.before");
    const result = await this.#write(turn, undefined, work);
    this.#options.failPoint("request.after");
    return result;
  }

  /**
   * Ends the turn in one transaction with what `prepare` writes, and closes its open requests when it
   * ends for good. A turn that ended before, because a person stopped it, stays as it is and `prepare`
   * is not called. Rejects with `turn_stopped` (details: by) instead of letting a turn wait that a person
   * has stopped. Resolves to false when `prepare` finds that the turn has to go on.
   */
  async end(
    turn: StoredTurn,
    prepare: (tx: Tx, note: AuditNote) => TurnEnding | Promise<TurnEnding | undefined>,
    passing?: "request",
  ): Promise<boolean> {
    const { transact, now, signals, failPoint } = this.#options;
    failPoint("end.before");
    if (passing !== undefined) failPoint(`${passing}.before`);
    const hasEnded = await transact(async (tx, note) => {
      const { state, stoppedBy } = await this.#fence(tx, turn);
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
      if (ending.reply !== undefined) await this.#recordReply(tx, note, turn, ending.reply);
      for (const event of ending.events) await appendEvent(tx, turn.id, event, now());
      const data = { error: ending.error?.code ?? null };
      note({ kind: `turn.${ending.state}`, turnId: turn.id, actor: turn.actor, data });
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
  }

  /** Writes for the run of a turn, with the event that tells people of it. */
  async #write<Result>(turn: StoredTurn, event: TurnEvent | undefined, work: Work<Result>): Promise<Result> {
    const { transact, now, signals } = this.#options;
    const result = await transact(async (tx, note) => {
      await this.#fence(tx, turn);
      if (event !== undefined) await appendEvent(tx, turn.id, event, now());
      return work(tx, note);
    });
    if (event !== undefined) signals.notify(turn.id);
    return result;
  }

  /** The turn as it stands, once it is certain that this run is still the one that may write. */
  async #fence(tx: Tx, turn: StoredTurn): Promise<{ state: TurnState; stoppedBy: string | null }> {
    const row = await tx
      .selectFrom("turns")
      .select(["epoch", "state", "stopped_by", "allow_summarization"])
      .where("id", "=", turn.id)
      .$if(this.#options.kind === "postgres", (query) => query.forUpdate())
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

  async #appendStep(
    tx: Tx,
    turnId: string,
    { data, ...columns }: { kind: string; step: number; state: "intent" | "outcome"; data: object },
  ): Promise<void> {
    await tx
      .insertInto("steps")
      .values((eb) => ({
        turn_id: turnId,
        seq: eb.selectFrom("steps").select(nextSeq).where("turn_id", "=", turnId),
        at: this.#options.now(),
        data: JSON.stringify(data),
        ...columns,
      }))
      .execute();
    if (columns.state === "outcome") await resetAttempts(tx, turnId);
  }

  async #recordReply(tx: Tx, note: AuditNote, turn: StoredTurn, reply: RecordedReply): Promise<void> {
    const { step, ...data } = reply;
    await this.#appendStep(tx, turn.id, { kind: "respond", step, state: "outcome", data });
    const calls = reply.attempts?.map(modelCall) ?? [];
    note({
      kind: "respond",
      turnId: turn.id,
      data: { reply: digest(reply.reply), ...(calls.length === 0 ? {} : { calls }) },
    });
  }
}

async function resetAttempts(tx: Tx, turnId: string): Promise<void> {
  await tx
    .updateTable("turns")
    .set({ attempts: 0 })
    .where("id", "=", turnId)
    .where("attempts", ">", 0)
    .execute();
}

/**
 * What the audit log says of a planning step: each perception, then the decision, with the digests of
 * what every model call was given and what it gave back.
 */
function planNotes(turn: StoredTurn, step: number, plan: PlannedStep): AuditEntry[] {
  const { perception: perceived = [], other = [] } = Object.groupBy(plan.attempts, ({ stage }) =>
    stage === "perception" ? stage : "other",
  );
  const perceptions = (plan.perceptions ?? []).map((one) => ({
    call: one.call,
    perception: digest(one.perception),
  }));
  const { planner, outcome, attempts } = plan;
  const decided: AuditEntry = {
    kind: "plan.decided",
    turnId: turn.id,
    actor: turn.actor,
    data: {
      step,
      planner,
      raw: digest(attempts),
      outcome: outcomeOf(outcome),
      calls: other.map(modelCall),
    },
  };
  if (perceived.length === 0) return [decided];
  const data = { step, perceptions, calls: perceived.map(modelCall) };
  return [{ kind: "plan.perceived", turnId: turn.id, data }, decided];
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

/** Journal entries without what models were asked and said, for where operators may not read it. */
export function withoutPrompts(steps: readonly TurnStep[]): TurnStep[] {
  return steps.map((step) => ({ ...step, data: withoutPrompt(step.data) }));
}

function withoutPrompt(data: JsonValue): JsonValue {
  if (!isObject(data)) return data;
  const { attempts, perceptions, ...rest } = data;
  return {
    ...hidden(rest, ["prompt"]),
    ...(Array.isArray(attempts)
      ? { attempts: attempts.map((one) => (isObject(one) ? hidden(one, ["prompt", "raw", "fault"]) : one)) }
      : {}),
    ...(Array.isArray(perceptions) ? { perceptions: perceptions.length } : {}),
  };
}

function hidden(data: JsonObject, names: string[]): JsonObject {
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    names.includes(name) ? "(hidden: model.inspect is false)" : value,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
