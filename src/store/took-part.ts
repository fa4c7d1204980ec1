import type { SelectQueryBuilder } from "kysely";

import type { Db, Schema } from "./schema.ts";

/**
 * Ids of the conversations that somebody took part in, by any of their ids: who asked in it, who decided a
 * request of it, and whose request is one of it since they edited it.
 */
export function conversationsOf(
  db: Db,
  actors: readonly string[],
): SelectQueryBuilder<Schema, "turns", { conversation_id: string }> {
  return db
    .selectFrom("turns")
    .select("conversation_id")
    .where("actor", "in", actors)
    .union(db.selectFrom("approvals").select("conversation_id").where("requested_by", "in", actors))
    .union(
      db
        .selectFrom("votes")
        .innerJoin("approvals", "approvals.id", "votes.approval_id")
        .select("approvals.conversation_id")
        .where("votes.actor", "in", actors),
    );
}
