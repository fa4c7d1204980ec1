import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ModelAttempt, PlannedOutcome, PlannedStep } from "#contract/plan.ts";

import { digest } from "../base/digest.ts";
import type { AuditEntry } from "../ledger/audit.ts";
import type { StoredTurn } from "./rows.ts";

/**
 * What the audit log says of a planning step: each perception, then the decision, with the digests of
 * what every model call was given and what it gave back.
 */
export function planNotes(turn: StoredTurn, step: number, plan: PlannedStep): AuditEntry[] {
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
export function replyNote(
  turn: StoredTurn,
  answer: { reply: string; attempts?: ModelAttempt[] },
): AuditEntry {
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
