import type { Approval } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import type { Redactor } from "../base/redact.ts";

/** An approval as people may see it: every argument, secrets masked. What is sent stays as it is. */
export function maskApproval(approval: Approval, redactor: Redactor): Approval {
  const { effect, note, lookup } = approval;
  const mask = (value: JsonValue): JsonValue => redactor.json(value);
  return {
    ...approval,
    args: mask(approval.args) as JsonObject,
    ...(effect === undefined ? {} : { effect: { before: mask(effect.before), after: mask(effect.after) } }),
    ...(note === undefined ? {} : { note: redactor.text(note) }),
    ...(lookup === undefined ? {} : { lookup: { ...lookup, args: mask(lookup.args) as JsonObject } }),
  };
}
