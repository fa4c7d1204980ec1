import type { Approval } from "#contract/approval.ts";
import type { JsonValue } from "#contract/json.ts";
import type { PlannedStep } from "#contract/plan.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";
import type { LimitedTurn, TurnEvent, TurnResult, TurnState } from "#contract/turn.ts";

import { codeOf, CountersignError } from "../base/errors.ts";
import type { FailPoint, FailPointName } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import { digest } from "../base/json.ts";
import type { AuditEntry } from "../ledger/audit.ts";
import { closeRequests } from "../ledger/moves.ts";
import type { AuditNote, Transact } from "../ledger/transact.ts";
import { postBuilt, runBuilt } from "../store/built.ts";
import type { StoreKind } from "../store/migrations.ts";
import { type Packed, packed } from "../store/packed.ts";
import type { Db, Row, Tx } from "../store/schema.ts";
import { insertEvents, type TurnSignals, withoutResult } from "./events.ts";
import { type CallIdentity, forgetCredentials } from "./inbox.ts";
import type { Limits, Used } from "./limits.ts";
import { planNotes, type RecordedReply, replyNote, tokensOf } from "./notes.ts";
import type { Hold } from "./queue.ts";
import {
  type CallRecord,
  isBesideResult,
  isFinal,
  outcomesBeside,
  type RecordedPlan,
  type StoredTurn,
  toCall,
  writeResult,
  writeWithOutcomes,
} from "./rows.ts";

/** What a turn ends with, for now or for good. */
export interface TurnEnding {
  state: Extract<TurnState, "done" | "failed" | "stopped" | "pending_confirmation">;
  result?: TurnResult;
  error?: { code: string; message: string };
  events: TurnEvent[];
  /** None of its requests can change any more. */
  isClear?: boolean;
}

export interface JournalOptions {
  db: Db;
  /** Absent: there are no limits. */
  limits?: Pick<Limits, "spend">;
  kind: StoreKind;
  transact: Transact;
  now: () => number;
  signals: TurnSignals;
  failPoint: FailPoint;
}

type Work<Result> = (tx: Tx, note: AuditNote) => Promise<Result>;

/** What the journal had of a turn when a run of it began. */
interface Journaled {
  plans: RecordedPlan[];
  calls: CallRecord[];
  reply: string | undefined;
  /** The number of the newest step. */
  lastStep: number;
}

/** What waits for the next commit. */
interface Held {
  events: TurnEvent[];
  steps: Omit<Row<"steps">, "turn_id">[];
  notes: AuditEntry[];
  /** Calls to be written as they stand then. */
  calls: Set<CallRecord>;
  result: TurnResult | undefined;
  /** What counts for the limits of its person, channel and workspace. */
  used: Used;
  /** Passed once it is durable. */
  points: FailPointName[];
}

/**
 * One run of a turn: what it knows of the turn, and all that it writes. Nobody else writes these records while it
 * is the newest run, so that planning, dispatch and answering read them here and not in the store; only the calls
 * of requests move by other hands (see `reload`). What has no effect outside waits for the next commit, so that
 * what belongs together is one transaction. Writing for a run that another has replaced rejects with
 * `run_replaced` and writes nothing.
 */
export class TurnRun {
  readonly turn: StoredTurn;
  readonly plans: RecordedPlan[] = [];
  calls: CallRecord[] = [];
  /** The answer, once it was made. */
  reply: string | undefined;
  /** The limit that keeps it from going on, once it has reached one. */
  limited: LimitedTurn | undefined;
  /** For whom its calls are made, once one was. */
  caller: CallIdentity | undefined;
  /** What its changes act on, as it was read before they were asked for; by call, undefined where nothing can be read. */
  readonly records = new Map<string, JsonValue | undefined>();
  /** Requests of its calls as they came to their end in this run. */
  readonly ended = new Map<string, Approval>();
  readonly #options: JournalOptions;
  readonly #isLazy: boolean;
  readonly #letGo: Hold["letGo"] | undefined;
  #lastStep = 0;
  #planningSince = 0;
  #hasBegun = false;
  /** Calls that have a row. */
  readonly #known = new Set<string>();
  #held: Held = nothing();
  /** One commit after the other: each is fenced by what the one before it wrote. */
  #writing: Promise<unknown> = Promise.resolve();

  /** `isLazy`: the turn waits in the queue, and its beginning is recorded with the first commit. */
  constructor(
    turn: StoredTurn,
    { isLazy, letGo }: { isLazy: boolean; letGo: Hold["letGo"] | undefined },
    options: JournalOptions,
  ) {
    this.turn = turn;
    this.#isLazy = isLazy;
    this.#letGo = letGo;
    this.#options = options;
  }

  /** What earlier runs have left. */
  take({ plans, calls, reply, lastStep }: Journaled): void {
    this.plans.push(...plans);
    this.calls = calls;
    this.reply = reply;
    this.#lastStep = lastStep;
    for (const { id } of calls) this.#known.add(id);
  }

  /** Whether any call of the turn was asked for. */
  get hasRequests(): boolean {
    return this.calls.some(({ approvalId }) => approvalId !== undefined);
  }

  /** Makes what waits durable, at first also that this run has begun. */
  async commit(): Promise<void> {
    if (this.#hasBegun && isEmpty(this.#held)) return;
    await this.#commit();
  }

  /** Gives up what waits. */
  drop(): void {
    this.#held = nothing();
  }

  /** What people are told with the next commit. */
  tell(event: TurnEvent): void {
    this.#held.events.push(event);
  }

  async emit(event: TurnEvent): Promise<void> {
    this.tell(event);
    await this.#commit();
  }

  /** `isSlow`: the planner takes its time, and may kill the process, so that its beginning is recorded first. */
  async planIntent(step: number, event: TurnEvent, isSlow: boolean): Promise<void> {
    this.tell(event);
    this.#planningSince = this.#step("decide", step, "intent", {});
    if (isSlow) await this.#commit();
    this.#options.failPoint("plan.before");
  }

  /** Takes a plan down together with the calls it asks for. */
  planOutcome(
    step: number,
    plan: PlannedStep,
    { find, event }: { find: (id: string) => Tool | undefined; event: TurnEvent | undefined },
  ): void {
    if (event !== undefined) this.tell(event);
    const at = this.#step("decide", step, "outcome", plan);
    this.plans.push({ step, plan, at, durationMs: at - this.#planningSince });
    const planned = plan.outcome.kind === "calls" ? plan.outcome.calls : [];
    for (const [place, { tool, args, sources }] of planned.entries()) {
      const server = find(tool)?.server ?? tool.split(".")[0] ?? "";
      const call: CallRecord = {
        id: newId("call"),
        step,
        place,
        toolId: tool,
        server,
        args,
        state: "planned",
        ...(sources === undefined ? {} : { sources }),
      };
      this.calls.push(call);
      this.#held.calls.add(call);
    }
    this.#held.notes.push(...planNotes(this.turn, step, plan));
    this.#held.used.tokens += tokensOf(plan.attempts);
    this.#held.points.push("plan.after");
  }

  /** What the calls have brought so far; the next event has it shown. */
  found(result: TurnResult): void {
    this.#held.result = result;
  }

  /** The answer, and what it was made from; one of a model is committed at once, so that it is asked once. */
  answered({ step, ...data }: RecordedReply): void {
    this.reply = data.reply;
    this.#step("respond", step, "outcome", data);
    this.#held.notes.push(replyNote(this.turn, data));
    this.#held.used.tokens += tokensOf(data.attempts ?? []);
    if (data.prompt !== undefined) this.#held.points.push("reply.after");
  }

  /** Records that calls are about to be made; each event tells people of one. */
  async callIntents(calls: readonly CallRecord[], events: readonly TurnEvent[]): Promise<void> {
    const { now, failPoint } = this.#options;
    for (const call of calls) {
      call.state = "intent";
      call.startedAt = now();
      this.#held.calls.add(call);
      const data = { call: call.id, tool: call.toolId, args: call.args };
      this.#held.notes.push({ kind: "call.intent", turnId: this.turn.id, data });
      this.#held.points.push("intent.after");
    }
    this.#held.events.push(...events);
    this.#held.used.calls += calls.length;
    failPoint("intent.before");
    await this.#commit();
  }

  /** Waits for the next commit: a read that is lost with its outcome is made again. */
  callOutcome(call: CallRecord, state: "done" | "failed", outcome: CallOutcome): void {
    const error = outcome.error?.code ?? null;
    const data = { call: call.id, tool: call.toolId, outcome: digest(outcome.data), error };
    Object.assign(call, { state, endedAt: this.#options.now(), outcome });
    this.#held.calls.add(call);
    this.#held.notes.push({ kind: `call.${state}`, turnId: this.turn.id, data });
    this.#held.points.push("outcome.after");
  }

  /** What a change of a request was seen to have done; waits for the next commit. */
  seen(call: CallRecord, outcome: CallOutcome): void {
    call.outcome = outcome;
    this.#held.calls.add(call);
  }

  /** Writes a request for approval that the turn does not have to wait for. */
  async request(work: Work<void>): Promise<void> {
    this.#options.failPoint("request.before");
    await this.#commit(async (tx, note) => {
      await work(tx, note);
      return undefined;
    });
    this.#options.failPoint("request.after");
  }

  /**
   * Makes what waits, with one more event, part of a transaction of the ledger: `also` is to be its last write.
   * Where that is not called, it goes on waiting.
   */
  joined<Result>(
    event: TurnEvent | undefined,
    transaction: (also: Work<void>) => Promise<Result>,
  ): Promise<Result> {
    return this.#inOrder(async (held) => {
      let committed: (() => void) | undefined;
      const result = await transaction(async (tx, note) => {
        await this.#writeCalls(tx, held);
        committed = await this.#write(tx, note, {
          ...held,
          events: [...held.events, ...(event === undefined ? [] : [event])],
          used: { ...held.used, calls: held.used.calls + 1 },
        });
      });
      if (committed === undefined) this.#putBack(held);
      committed?.();
      return result;
    });
  }

  /** The calls of requests as the ledger and people have moved them. */
  async reload(): Promise<void> {
    await this.commit();
    this.calls = await readCalls(this.#options.db, this.turn.id);
    for (const { id } of this.calls) this.#known.add(id);
  }

  /** Held to the end of the transaction: a decision either comes before it or sees what the run has written. */
  async lock(tx: Tx): Promise<void> {
    if (this.#options.kind !== "postgres") return;
    await tx.selectFrom("turns").select("id").where("id", "=", this.turn.id).forUpdate().execute();
  }

  /**
   * Ends the turn in one transaction, maybe with what `how` writes, and closes its open requests when it
   * ends for good. A turn that ended before, because a person stopped it, stays as it is.
   * Rejects with `turn_stopped` (details: by) instead of letting a turn wait that a person
   * has stopped. Resolves to false when `how` finds that the turn has to go on.
   */
  async end(how: TurnEnding | Work<TurnEnding | undefined>, passing?: "request"): Promise<boolean> {
    const { failPoint, now } = this.#options;
    const { turn } = this;
    failPoint("end.before");
    if (passing !== undefined) failPoint(`${passing}.before`);
    let ending: TurnEnding | undefined;
    try {
      await this.#commit(async (tx, note) => {
        ending = typeof how === "function" ? await how(tx, note) : how;
        if (ending === undefined || !isFinal(ending.state)) return ending;
        if (this.hasRequests && ending.isClear !== true)
          await closeRequests(tx, note, turn.id, { at: now(), why: "the turn ended" });
        // Most come with none, as a call has found.
        if (this.caller === undefined || this.caller.credentials !== undefined)
          await forgetCredentials(tx, turn.id);
        return ending;
      }, this.#keptBeside(how));
    } catch (error) {
      if (codeOf(error) !== "run_replaced") throw error;
      return true;
    }
    if (ending === undefined) return false;
    if (passing !== undefined) failPoint(`${passing}.after`);
    failPoint("end.after");
    return true;
  }

  /** Returns when it was recorded. */
  #step(kind: string, step: number, state: "intent" | "outcome", data: object): number {
    const at = this.#options.now();
    this.#lastStep += 1;
    const kept = packed(JSON.stringify(data));
    this.#held.steps.push({ seq: this.#lastStep, kind, step, state, at, data: kept });
    return at;
  }

  #putBack(held: Held): void {
    const since = this.#held;
    this.#held = {
      events: [...held.events, ...since.events],
      steps: [...held.steps, ...since.steps],
      notes: [...held.notes, ...since.notes],
      calls: new Set([...held.calls, ...since.calls]),
      result: since.result ?? held.result,
      used: { calls: held.used.calls + since.used.calls, tokens: held.used.tokens + since.used.tokens },
      points: [...held.points, ...since.points],
    };
  }

  /** Gives `work` what waits; it waits on where that fails. */
  #inOrder<Result>(work: (held: Held) => Promise<Result>): Promise<Result> {
    const done = this.#writing.then(async () => {
      const held = this.#held;
      this.#held = nothing();
      try {
        return await work(held);
      } catch (error) {
        this.#putBack(held);
        throw error;
      }
    });
    this.#writing = done.catch(() => undefined);
    return done;
  }

  /** The result of a turn that is done, where it takes the outcomes of its calls along. */
  #keptBeside(how: TurnEnding | Work<unknown>): Packed | undefined {
    if (typeof how === "function" || how.state !== "done" || how.result === undefined) return undefined;
    return writeWithOutcomes(how.result, this.calls);
  }

  /** Writes what waits and what `work` writes in one transaction; with an ending of `work` also that. */
  #commit(work?: Work<TurnEnding | undefined>, beside?: Packed): Promise<void> {
    return this.#inOrder(async (held) => {
      const committed = await this.#options.transact(async (tx, note) => {
        await this.#writeCalls(tx, held, beside !== undefined);
        return this.#write(tx, note, held, await work?.(tx, note), beside);
      });
      committed();
    });
  }

  /** `isBeside`: the result has the outcomes of reads. */
  async #writeCalls(tx: Tx, { calls }: Held, isBeside = false): Promise<void> {
    const toColumns = (call: CallRecord): CallColumns => {
      const columns = callColumns(call);
      return isBeside && isBesideResult(call) ? { ...columns, outcome: null } : columns;
    };
    const added = [...calls].filter(({ id }) => !this.#known.has(id));
    const rows = added.map((call) => ({ id: call.id, turn_id: this.turn.id, ...toColumns(call) }));
    if (rows.length > 0)
      await postBuilt(tx, "add calls", rows, (db, all) => db.insertInto("calls").values(all));
    const written = isBeside ? this.calls.filter(isBesideResult) : [];
    for (const call of new Set([...calls, ...written]))
      if (this.#known.has(call.id))
        await postBuilt(tx, "write call", [{ id: call.id, ...toColumns(call) }], (db, [{ id, ...set }]) =>
          db.updateTable("calls").set(set).where("id", "=", id),
        );
  }

  /** The rest of what waits, where this run is still the newest; returns what is done once it is durable. */
  async #write(
    tx: Tx,
    note: AuditNote,
    held: Held,
    ending?: TurnEnding,
    beside?: Packed,
  ): Promise<() => void> {
    const { turn } = this;
    const { now, limits, signals, failPoint } = this.#options;
    const { steps, notes, calls } = held;
    const at = now();
    const events = [...held.events, ...(ending?.events ?? [])];
    // A turn that is done has its result in its row, and nowhere else.
    const kept = ending?.state === "done" ? events.map(withoutResult) : events;
    const result = ending?.result ?? held.result;
    const epoch = this.#hasBegun ? turn.epoch : turn.epoch + 1;
    const isProgress =
      ending !== undefined ||
      steps.some(({ state }) => state === "outcome") ||
      [...calls].some(({ outcome }) => outcome !== undefined);
    const change = {
      ...(this.#hasBegun ? {} : { epoch, state: "running", updated_at: at }),
      ...(isProgress ? { attempts: 0 } : this.#hasBegun ? {} : { attempts: turn.attempts }),
      ...(result === undefined ? {} : { result: beside ?? writeResult(result) }),
      ...(ending === undefined ? {} : { state: ending.state, updated_at: at }),
      ...(ending?.error === undefined ? {} : { error: JSON.stringify(ending.error) }),
    };
    const states = this.#hasBegun ? ["running"] : this.#isLazy ? ["queued"] : ["queued", "running"];
    const [row] = await runBuilt(
      tx,
      `write turn in ${states.join()}`,
      [{ id: turn.id, was: turn.epoch, added: events.length, ...change }],
      (db, [{ id, was, added, ...set }]) =>
        db
          .updateTable("turns")
          .set((eb) => ({ event_count: eb("event_count", "+", added), ...set }))
          .where("id", "=", id)
          .where("epoch", "=", was)
          .where("state", "in", states)
          .returning(["event_count", "stopped_by", "allow_summarization"]),
    );
    if (row === undefined)
      throw new CountersignError("run_replaced", `Run ${epoch} of ${turn.id} was replaced by another.`);
    if (ending?.state === "pending_confirmation" && row.stopped_by !== null)
      throw new CountersignError("turn_stopped", "A person stopped this turn.", {
        details: { by: row.stopped_by },
      });
    const first = row.event_count - events.length + 1;
    const written = await insertEvents(tx, turn.id, first, events, at, kept);
    const stepRows = steps.map((step) => ({ turn_id: turn.id, ...step }));
    if (steps.length > 0)
      await postBuilt(tx, "add steps", stepRows, (db, all) => db.insertInto("steps").values(all));
    const limited = await limits?.spend(tx, turn, held.used);
    for (const entry of notes) note(entry);
    if (ending !== undefined) {
      const data = { error: ending.error?.code ?? null };
      note({ kind: `turn.${ending.state}`, turnId: turn.id, actor: turn.actor, data });
    }
    const released = ending && (await this.#letGo?.(tx));
    return () => {
      released?.();
      this.#hasBegun = true;
      for (const { id } of calls) this.#known.add(id);
      const { state = "running", events: _events, ...ended } = ending ?? {};
      Object.assign(turn, { epoch, state, ...ended });
      this.limited = limited ?? this.limited;
      // Its channel was made private since it was read; every write comes by here, also before a model is asked.
      if (row.allow_summarization !== 1) turn.allowSummarization = false;
      signals.notify(turn.id, { state, events: written });
      for (const point of held.points) failPoint(point);
    };
  }
}

function nothing(): Held {
  const used = { calls: 0, tokens: 0 };
  return { events: [], steps: [], notes: [], calls: new Set(), result: undefined, used, points: [] };
}

function isEmpty({ events, steps, notes, calls, result }: Held): boolean {
  return events.length + steps.length + notes.length + calls.size === 0 && result === undefined;
}

type CallColumns = Omit<Row<"calls">, "id" | "turn_id" | "approval_id">;

function callColumns(call: CallRecord): CallColumns {
  const { step, place, toolId, server, args, sources, state, outcome } = call;
  return {
    step,
    place,
    tool_id: toolId,
    server,
    args: JSON.stringify(args),
    sources: sources === undefined ? null : JSON.stringify(sources),
    state,
    // A change has its intent in the ledger.
    repeatable: call.startedAt === undefined ? 0 : 1,
    outcome: outcome === undefined ? null : packed(JSON.stringify(outcome)),
    started_at: call.startedAt ?? null,
    ended_at: call.endedAt ?? null,
  };
}

export async function readCalls(db: Db, turnId: string): Promise<CallRecord[]> {
  const rows = await db
    .selectFrom("calls")
    .selectAll()
    .where("turn_id", "=", turnId)
    .orderBy("step")
    .orderBy("place")
    .execute();
  const calls = rows.map(toCall);
  if (!calls.some((call) => isEnded(call) && call.outcome === undefined)) return calls;
  const turn = await db.selectFrom("turns").select("result").where("id", "=", turnId).executeTakeFirst();
  const beside = outcomesBeside(turn?.result ?? null);
  return calls.map((call) => {
    const outcome = call.outcome ?? beside[call.id];
    return outcome === undefined ? call : { ...call, outcome };
  });
}

function isEnded({ state }: CallRecord): boolean {
  return state === "done" || state === "failed";
}
