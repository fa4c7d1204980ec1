import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ModelAttempt, PlannedOutcome, PlannedStep } from "#contract/plan.ts";

import { digest } from "../base/json.ts";
import type { AuditEntry } from "../ledger/audit.ts";
import type { StoredTurn } from "./rows.ts";

/** The text of an answer, and the prompt it was made from; none where no model made it. */
export interface RecordedReply {
  step: number;
  reply: string;
  prompt?: string;
  attempts?: ModelAttempt[];
}

/** Tokens that models used for these answers, where their servers counted them. */
export function tokensOf(attempts: readonly ModelAttempt[]): number {
  return attempts.reduce(
    (sum, { usage }) => sum + (usage?.promptTokens ?? 0) + (usage?.answerTokens ?? 0),
    0,
  );
}

/** What the audit log says of an answer. */
export function replyNote(
  turn: StoredTurn,
  { reply, attempts = [] }: Pick<RecordedReply, "reply" | "attempts">,
): AuditEntry {
  const calls = attempts.map(modelCall);
  const data = { reply: digest(reply), ...(calls.length === 0 ? {} : { calls }) };
  return { kind: "respond", turnId: turn.id, data };
}

/**
 * What the audit log says of a planning step: each perception, then the decision, with the digests of
 * what every model call was given and what it gave back.
 */
export function planNotes(turn: StoredTurn, step: number, plan: PlannedStep): AuditEntry[] {
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
