import type { JsonValue } from "#contract/json.ts";
import type { TurnStep } from "#contract/turn.ts";

import { type Redactor, withSecretsOf } from "../base/redact.ts";

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
