import type { FormOutcome } from "#contract/approval-actions.ts";
import type { FormField } from "#contract/form.ts";

import { en, type Words } from "../base/words/en.ts";

const NO_REASON = en.recorded.noReason();

/** A reason may be left out unless the rule wants one. */
export function reasonField(required: boolean, { presses: say }: Words): FormField {
  const help = required ? say.reasonRequired : say.reasonHelp;
  return { name: "reason", label: say.reason, kind: "long_text", required, value: "", help };
}

/** Says it beside the reason; by itself that there has to be one. */
export function reasonFault(message: string = NO_REASON): FormOutcome {
  return { ok: false, faults: [{ name: "reason", message }] };
}
