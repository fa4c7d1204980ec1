import type { Approval } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import { type Redactor, withSecretsOf } from "../base/redact.ts";

/** An approval as people may see it: every argument, secrets masked. What is sent stays as it is. */
export function maskApproval(approval: Approval, redactor: Redactor): Approval {
  const { effect, note, lookup } = approval;
  // The arguments are masked by name alone, as an edit of them is compared with.
  const args = redactor.json(approval.args) as JsonObject;
  const all = withSecretsOf(approval.args, redactor);
  const mask = (value: JsonValue): JsonValue => all.json(value);
  return {
    ...approval,
    args,
    ...(effect === undefined ? {} : { effect: { before: mask(effect.before), after: mask(effect.after) } }),
    ...(note === undefined ? {} : { note: all.text(note) }),
    ...(lookup === undefined ? {} : { lookup: { ...lookup, args: mask(lookup.args) as JsonObject } }),
  };
}
