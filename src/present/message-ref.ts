import type { MessageRef } from "#contract/present.ts";

import type { Db } from "../store/schema.ts";

/** The message that shows a turn; undefined while none was posted. */
export async function readMessageRef(db: Db, turnId: string): Promise<MessageRef | undefined> {
  const row = await db.selectFrom("messages").select("ref").where("turn_id", "=", turnId).executeTakeFirst();
  return row?.ref == null ? undefined : (JSON.parse(row.ref) as MessageRef);
}
