import type { TurnResult } from "#contract/turn.ts";

import { canonicalJson } from "../base/json.ts";
import { nextPage, pageOf, withoutPage } from "../base/paging.ts";
import type { ToolBox } from "#contract/tool.ts";
import { toolById } from "../base/tool-names.ts";
import type { Db } from "../store/schema.ts";
import { type CallRecord, readResult, type StoredTurn } from "./rows.ts";

/** Earlier turns in which the page before one is looked for. */
const LOOKED_AT = 12;

/**
 * How many rows of their lists earlier pages of the conversation showed, by the ids of the calls that ask for a
 * later page: that of the page whose cursor the call has, and what came before that.
 */
export async function rowsBefore(
  db: Db,
  turn: StoredTurn,
  calls: readonly CallRecord[],
  tools: Pick<ToolBox, "find">,
): Promise<ReadonlyMap<string, number>> {
  const before = new Map<string, number>();
  for (const call of calls) {
    const schema = toolById(tools, call.toolId)?.inputSchema;
    const page = schema && pageOf(schema, call.args);
    if (schema === undefined || page === undefined) continue;
    if (page.by === "offset") before.set(call.id, Number(page.value));
    if (page.by === "offset") continue;
    const wanted = canonicalJson(call.args);
    const same = canonicalJson(withoutPage(schema, call.args));
    const earlier = await earlierResults(db, turn);
    const found = earlier
      .flatMap(({ toolResults }) => toolResults)
      .find((one) => {
        if (one.toolId !== call.toolId || canonicalJson(withoutPage(schema, one.args)) !== same) return false;
        const next = nextPage(schema, one.args, one.data);
        return next !== undefined && canonicalJson(next.args) === wanted;
      });
    if (found !== undefined) before.set(call.id, (found.from ?? 0) + (found.rows ?? 0));
  }
  return before;
}

/** Of the turns of a conversation before or beside one, newest first. */
export async function earlierResults(db: Db, { id, conversationId }: StoredTurn): Promise<TurnResult[]> {
  const rows = await db
    .selectFrom("turns")
    .select("result")
    .where("conversation_id", "=", conversationId)
    .where("id", "<>", id)
    .where("result", "is not", null)
    .orderBy("position", "desc")
    .limit(LOOKED_AT)
    .execute();
  return rows.map(({ result }) => readResult(result ?? "null"));
}
