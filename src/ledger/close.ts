import type { CallOutcome } from "#contract/tool.ts";

import type { Tx } from "../store/schema.ts";
import type { AuditNote } from "./transact.ts";

/**
 * Closes the requests of a turn that ends for good, so that none goes on saying that it waits or runs:
 * what was not sent is void; what was sent and has no outcome is unknown, and a result that still comes
 * is kept as evidence.
 */
export async function closeRequests(
  tx: Tx,
  note: AuditNote,
  turnId: string,
  { at, why }: { at: number; why: string },
): Promise<void> {
  // In this order: a claim that comes in between is waited for, and the second finds what it took.
  await close({ from: ["pending", "approved"], to: "void", message: `${why} before the call was sent` });
  await close({ from: ["executing"], to: "unknown", message: `${why} after the call was sent` });

  async function close(change: { from: string[]; to: "void" | "unknown"; message: string }): Promise<void> {
    const { from, to, message } = change;
    const closed = await tx
      .updateTable("approvals")
      .set((eb) => ({
        state: to,
        note: message,
        decided_at: eb.fn.coalesce("decided_at", eb.val(at)),
        lease_owner: null,
        lease_until: null,
      }))
      .where("turn_id", "=", turnId)
      .where("state", "in", from)
      .returning(["id", "call_id", "tool_id", "key"])
      .execute();
    const error: CallOutcome["error"] =
      to === "unknown"
        ? { code: "transport", message, sent: "maybe" }
        : { code: "refused", message, sent: "no" };
    for (const { id, call_id, tool_id, key } of closed) {
      await tx
        .updateTable("calls")
        .set({
          state: to === "unknown" ? "unknown" : "refused",
          ended_at: at,
          outcome: JSON.stringify({ ok: false, data: null, error }),
        })
        .where("id", "=", call_id)
        .execute();
      note({ kind: `approval.${to}`, turnId, approvalId: id, data: { tool: tool_id, key, note: message } });
    }
  }
}
