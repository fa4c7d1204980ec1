import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { PlannedStep } from "#contract/plan.ts";
import type { TurnStep } from "#contract/turn.ts";

import { codeOf } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { type Redactor, withSecretsOf } from "../base/redact.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import { runBuilt } from "../store/built.ts";
import { unpacked } from "../store/packed.ts";
import type { Row } from "../store/schema.ts";
import type { Hold } from "./queue.ts";
import { type CallRecord, type RecordedPlan, type StoredTurn, toTurn } from "./rows.ts";
import { type JournalOptions, readCalls, TurnRun } from "./run.ts";

/** The durable record of turns: each step before its effect and after it. */
export class Journal {
  readonly #options: JournalOptions;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  async turn(turnId: string): Promise<StoredTurn | undefined> {
    const { db } = this.#options;
    const [row] = await runBuilt(db, "read turn", [{ turnId }], (on, [one]) =>
      on.selectFrom("turns").selectAll().where("id", "=", one.turnId),
    );
    return row === undefined ? undefined : toTurn(row);
  }

  calls(turnId: string): Promise<CallRecord[]> {
    return readCalls(this.#options.db, turnId);
  }

  async steps(turnId: string): Promise<TurnStep[]> {
    const rows = await this.#stepRows(turnId);
    return rows.map(({ seq, kind, state, at, data }) => {
      return {
        seq,
        kind,
        state: state === "outcome" ? "outcome" : "intent",
        at,
        data: unpacked(data) as JsonValue,
      };
    });
  }

  /** Turns that are ready to run or were running, in order of acceptance. */
  async unfinished(): Promise<ReadyTurn[]> {
    const rows = await this.#options.db
      .selectFrom("turns")
      .select(["id as turnId", "conversation_id as conversationId", "actor", "channel", "epoch", "given"])
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
    return rows.map(({ turnId, conversationId, actor, channel, epoch, given }) => {
      // One that had begun goes on.
      if (epoch > 0) return { turnId, conversationId };
      const { limited } = JSON.parse(given ?? "{}") as Pick<StoredTurn, "limited">;
      const waits = limited?.waits === true ? { notBefore: limited.until } : {};
      return { turnId, conversationId, of: { person: actor, channel }, ...waits };
    });
  }

  /**
   * Begins a run of its own of the turn. Undefined when it has ended or waits for a person: a decision makes it ready
   * first. `isCounted`: counts among the runs without any progress. `isFresh`: this process has just made the turn
   * ready, so that nothing of it can have killed a process: its beginning is recorded with what it writes first, and
   * every other run's before it does anything. `letGo`: see Hold.
   */
  async open(
    turnId: string,
    how: { isCounted: boolean; isFresh: boolean; letGo?: Hold["letGo"] | undefined },
  ): Promise<TurnRun | undefined> {
    const turn = await this.turn(turnId);
    if (turn?.state !== "queued" && turn?.state !== "running") return undefined;
    if (how.isCounted) turn.attempts += 1;
    const isFirst = turn.epoch === 0;
    // While it runs somewhere, nothing that is read here stays true before this run has begun.
    const isLazy = how.isFresh && turn.state === "queued";
    const run = new TurnRun(turn, { isLazy, letGo: how.letGo }, this.#options);
    try {
      if (!isLazy) await run.commit();
    } catch (error) {
      // It ended, or another run began, since it was read.
      if (codeOf(error) === "run_replaced") return undefined;
      throw error;
    }
    if (isFirst) return run;
    const [steps, calls] = await Promise.all([this.#stepRows(turnId), this.calls(turnId)]);
    const said = steps.findLast(({ kind }) => kind === "respond");
    const reply = said && (unpacked(said.data) as { reply: string }).reply;
    run.take({ calls, plans: plansOf(steps), reply, lastStep: steps.at(-1)?.seq ?? 0 });
    return run;
  }

  #stepRows(turnId: string): Promise<Row<"steps">[]> {
    const { db } = this.#options;
    return db.selectFrom("steps").selectAll().where("turn_id", "=", turnId).orderBy("seq").execute();
  }
}

/** The plans that were made, in order. */
function plansOf(steps: readonly Row<"steps">[]): RecordedPlan[] {
  return steps.flatMap(({ kind, state, step, at, data }, place) => {
    if (kind !== "decide" || state !== "outcome") return [];
    const begun = steps.slice(0, place).findLast((one) => one.state === "intent" && one.step === step);
    return [{ step, plan: unpacked(data) as PlannedStep, at, durationMs: at - (begun?.at ?? at) }];
  });
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
