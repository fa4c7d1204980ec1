import { readAuditHead } from "../ledger/audit.ts";
import type { Db } from "../store/schema.ts";

/** What waits and runs, on all replicas. Times in milliseconds. */
export interface Figures {
  turns: Record<"queued" | "running" | "pending_confirmation", number>;
  oldestQueuedMs: number;
  approvals: Record<"pending" | "approved" | "executing" | "unknown", number>;
  oldestPendingMs: number;
  auditHead: number;
}

/** Read through indexes of what is open, so that it costs the same however much has ended. */
export async function readFigures(db: Db, now: number): Promise<Figures> {
  const turns: Figures["turns"] = { queued: 0, running: 0, pending_confirmation: 0 };
  const approvals: Figures["approvals"] = { pending: 0, approved: 0, executing: 0, unknown: 0 };
  const [turnRows, approvalRows, head] = await Promise.all([
    db
      .selectFrom("turns")
      .select((eb) => [
        "state",
        eb.fn.countAll().as("count"),
        // What waits for its limit (`LimitedTurn.waits`) waits by intention.
        eb.fn
          .min(eb.case().when("given", "like", '%"waits":true%').then(null).else(eb.ref("updated_at")).end())
          .as("since"),
      ])
      // As the condition of the index has it.
      .where("state", "in", ["queued", "running", "pending_confirmation"])
      .groupBy("state")
      .execute(),
    db
      .selectFrom("approvals")
      .select((eb) => ["state", eb.fn.countAll().as("count"), eb.fn.min("created_at").as("since")])
      .where("state", "in", ["pending", "approved", "executing", "unknown"])
      .groupBy("state")
      .execute(),
    readAuditHead(db),
  ]);
  const age = (rows: readonly { state: string; since: number | string | null }[], state: string): number => {
    const since = rows.find((row) => row.state === state)?.since ?? now;
    return Math.max(0, now - Number(since));
  };
  for (const { state, count } of turnRows) turns[state as keyof Figures["turns"]] = Number(count);
  for (const { state, count } of approvalRows) approvals[state as keyof Figures["approvals"]] = Number(count);
  return {
    turns,
    oldestQueuedMs: age(turnRows, "queued"),
    approvals,
    oldestPendingMs: age(approvalRows, "pending"),
    auditHead: head.seq,
  };
}
