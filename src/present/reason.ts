import type { FormOutcome } from "#contract/approval-actions.ts";
import type { FormField } from "#contract/form.ts";

const NO_REASON = "Say why, so that others can follow the decision.";

/** A reason may be left out unless the rule wants one. */
export function reasonField(required: boolean): FormField {
  const help = required ? "A reason is required." : "Everybody here sees it on the card.";
  return { name: "reason", label: "Reason", kind: "long_text", required, value: "", help };
}

/** Says it beside the reason; by itself that there has to be one. */
export function reasonFault(message: string = NO_REASON): FormOutcome {
  return { ok: false, faults: [{ name: "reason", message }] };
}
