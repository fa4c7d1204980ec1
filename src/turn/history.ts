import type { JsonObject } from "#contract/json.ts";
import type { PastTurn } from "#contract/plan.ts";
import type { TurnResult } from "#contract/turn.ts";

import type { Db } from "../store/schema.ts";
import type { StoredTurn } from "./rows.ts";

/** How many earlier turns of the conversation the planner sees. */
const REMEMBERED_TURNS = 6;

/** The last turns of the conversation before this one, oldest first. */
export async function readPastTurns(db: Db, turn: StoredTurn): Promise<PastTurn[]> {
  const before = db.selectFrom("turns").select("position").where("id", "=", turn.id);
  const rows = await db
    .selectFrom("turns")
    .select(["id", "message", "result"])
    .where("conversation_id", "=", turn.conversationId)
    .where("position", "<", before)
    .where("result", "is not", null)
    .orderBy("position", "desc")
    .limit(REMEMBERED_TURNS)
    .execute();
  const past: PastTurn[] = [];
  for (const row of rows.toReversed()) {
    const result = JSON.parse(row.result ?? "null") as TurnResult;
    const calls = await db
      .selectFrom("calls")
      .select(["tool_id", "args"])
      .where("turn_id", "=", row.id)
      .orderBy("step")
      .orderBy("place")
      .execute();
    past.push({
      message: row.message,
      reply: result.reply,
      calls: calls.map((call) => ({ tool: call.tool_id, args: JSON.parse(call.args) as JsonObject })),
      ...(result.question === undefined ? {} : { question: result.question }),
    });
  }
  return past;
}
