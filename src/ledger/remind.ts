import type { Db } from "../store/schema.ts";
import type { Transact } from "./transact.ts";

/** How many due reminders are made in one sweep. */
const SWEEP_SIZE = 200;

/**
 * Notes that people are to be reminded of requests that wait, once each: compare-and-set of the time
 * in one transaction with its audit entry. Whoever shows turns follows the audit chain. Resolves to
 * how many were noted.
 */
export async function remindDue(db: Db, transact: Transact, now: () => number): Promise<number> {
  const due = await db
    .selectFrom("approvals")
    .select(["id", "turn_id", "tool_id", "expires_at"])
    .where("state", "=", "pending")
    .where("remind_at", "<=", now())
    .where("reminded_at", "is", null)
    .limit(SWEEP_SIZE)
    .execute();
  let count = 0;
  for (const row of due) {
    const isNoted = await transact(async (tx, note) => {
      const at = now();
      const noted = await tx
        .updateTable("approvals")
        .set({ reminded_at: at })
        .where("id", "=", row.id)
        .where("state", "=", "pending")
        .where("reminded_at", "is", null)
        // Nobody is reminded of what can no longer be decided.
        .where("expires_at", ">", at)
        .executeTakeFirst();
      if (noted.numUpdatedRows === 0n) return false;
      note({
        kind: "approval.reminded",
        turnId: row.turn_id,
        approvalId: row.id,
        data: { tool: row.tool_id, expires_at: row.expires_at },
      });
      return true;
    });
    if (isNoted) count += 1;
  }
  return count;
}
