import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { ApprovalActions, PressAnswer } from "#contract/approval-actions.ts";

import { readAlikeValue } from "./inbox.ts";

/** What came with a press on a button; `seen` is the request that the place guard has read already. */
interface Pressed {
  value: string;
  actor: ActorId;
  seen?: Approval | undefined;
}

/** Does what buttons beside requests and answers stand for; undefined for any other button. */
export async function pressAtDesk(
  action: string | undefined,
  { value, actor, seen }: Pressed,
  desk: ApprovalActions,
): Promise<PressAnswer | undefined> {
  switch (action) {
    case "approve":
    case "deny":
    case "grant":
    case "edit":
    case "settle_happened":
    case "settle_did_not":
    case "lookup":
      return desk.press({ action, approvalId: value, actor, ...(seen === undefined ? {} : { seen }) });
    case "approve_all":
    case "deny_all":
      return desk.pressAll({ action, value, actor });
    case "rate_good":
    case "rate_bad":
      return desk.rate({ turnId: value, actor, verdict: action === "rate_good" ? "good" : "bad" });
    case "approve_alike":
    case "deny_alike": {
      const about = readAlikeValue(value);
      if (about === undefined) return { kind: "shown" };
      return desk.pressAlike({ ...about, decision: action === "approve_alike" ? "approve" : "deny", actor });
    }
    default:
      return undefined;
  }
}
