import type { Tx } from "../store/schema.ts";

/** No database takes any number of values in one statement. */
const AT_ONCE = 500;

/** Deletes turns and everything that belongs to them and their requests, but for the audit record. */
export async function eraseTurns(tx: Tx, all: readonly string[]): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const turns = all.slice(from, from + AT_ONCE);
    const requests = tx.selectFrom("approvals").select("id").where("turn_id", "in", turns);
    for (const table of ["votes", "notices", "grants"] as const)
      await tx.deleteFrom(table).where("approval_id", "in", requests).execute();
    for (const table of ["approvals", "questions", "memories", "events", "steps", "calls"] as const)
      await tx.deleteFrom(table).where("turn_id", "in", turns).execute();
    for (const table of ["messages", "files", "feedback"] as const)
      await tx.deleteFrom(table).where("turn_id", "in", turns).execute();
    await tx.deleteFrom("turns").where("id", "in", turns).execute();
  }
}

/** Deletes what people gave a conversation that has no turns any more. */
export async function eraseIfEmpty(tx: Tx, conversations: Iterable<string>): Promise<void> {
  for (const id of conversations) {
    const rest = tx.selectFrom("turns").select("conversation_id").where("conversation_id", "=", id);
    await tx.deleteFrom("conversations").where("id", "=", id).where("id", "not in", rest).execute();
  }
}
