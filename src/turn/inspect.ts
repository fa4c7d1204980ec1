import type { JsonValue } from "#contract/json.ts";
import type { TurnStep } from "#contract/turn.ts";

import { createRedactor, isSecretKey, type Redactor } from "../base/redact.ts";

/** Journal entries without what models were asked and said, for where operators may not read it. */
export function withoutPrompts(steps: readonly TurnStep[]): TurnStep[] {
  return steps.map((step) => ({ ...step, data: hide(step.data) }));
}

/**
 * Journal entries as they may leave: secrets masked, also where the value of a secret argument stands in the
 * text of a prompt or an answer.
 */
export function maskSteps(steps: readonly TurnStep[], redactor: Redactor): TurnStep[] {
  const found = new Set<string>();
  for (const { data } of steps) collectSecrets(data, false, found);
  const inTexts = createRedactor([...found].flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]));
  return steps.map((step) => ({ ...step, data: inTexts.json(redactor.json(step.data)) }));
}

function collectSecrets(data: JsonValue, isSecret: boolean, found: Set<string>): void {
  if (typeof data === "string" || typeof data === "number") {
    if (isSecret) found.add(String(data));
  } else if (typeof data === "object" && data !== null) {
    for (const [key, value] of Object.entries(data))
      collectSecrets(value, isSecret || isSecretKey(key), found);
  }
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
