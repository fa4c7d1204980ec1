import type { Quote } from "#contract/message.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PastTurn } from "#contract/plan.ts";
import type { TurnResult } from "#contract/turn.ts";

import { shownTogether } from "../base/records.ts";
import { permitIf, taint } from "../base/tainted.ts";
import { runBuilt } from "../store/built.ts";
import type { Db } from "../store/schema.ts";
import { readResult, type StoredTurn } from "./rows.ts";

/** How many earlier turns of the conversation the planner sees. */
const REMEMBERED_TURNS = 6;

/** The last turns of the conversation before this one, oldest first; replies only for those who may see data. */
export async function readPastTurns(db: Db, turn: StoredTurn): Promise<PastTurn[]> {
  const asked = [{ id: turn.id, conversation: turn.conversationId }];
  const rows = await runBuilt(db, "past turns", asked, (on, [{ id, conversation }]) =>
    on
      .selectFrom("turns")
      .select(["id", "message", "given", "result", "allow_summarization"])
      .where("conversation_id", "=", conversation)
      .where("position", "<", on.selectFrom("turns").select("position").where("id", "=", id))
      .where("result", "is not", null)
      .orderBy("position", "desc")
      .limit(REMEMBERED_TURNS),
  );
  if (rows.length === 0) return toldHistory(turn);
  const all = await db
    .selectFrom("calls")
    .leftJoin("approvals", "approvals.id", "calls.approval_id")
    .select([
      "calls.turn_id",
      "calls.tool_id",
      "calls.args",
      "approvals.state as approval",
      "approvals.statement",
    ])
    .where(
      "calls.turn_id",
      "in",
      rows.map(({ id }) => id),
    )
    .orderBy("step")
    .orderBy("place")
    .execute();
  return rows.toReversed().map((row) => {
    const result = readResult(row.result ?? "null");
    const given = JSON.parse(row.given ?? "{}") as Pick<StoredTurn, "quote">;
    const calls = all.filter((call) => call.turn_id === row.id);
    return {
      message: row.message,
      ...quoteFor(turn, given.quote),
      reply: taint(result.reply),
      ...permitIf(turn.allowSummarization),
      calls: calls.map((call) => ({
        tool: call.tool_id,
        args: JSON.parse(call.args) as JsonObject,
        derived: row.allow_summarization !== 0,
        ...(call.approval === "pending" ? waiting(call.statement) : {}),
      })),
      ...shownBy(result),
      ...(result.question === undefined ? {} : { question: result.question }),
    };
  });
}

/** A call that waits for its approval, with what is taken up behind it. */
function waiting(statement: string | null): { waits: true; later?: string[] } {
  const { later } = JSON.parse(statement ?? "{}") as { later?: string[] };
  return { waits: true, ...(later === undefined ? {} : { later }) };
}

/** What a client says was said before, as turns that made no calls. */
function toldHistory(turn: StoredTurn): PastTurn[] {
  const { history = [] } = turn;
  const past = history.flatMap(({ role, text }, at) => {
    if (role === "assistant") return [];
    const next = history[at + 1];
    const reply = next?.role === "assistant" ? next.text : "";
    return { message: text, reply: taint(reply), ...permitIf(turn.allowSummarization), calls: [] };
  });
  return past.slice(-REMEMBERED_TURNS);
}

/** A quote as the planner of a turn may see it: what may hold tool data is left out in privacy mode. */
export function quoteFor(turn: StoredTurn, quote: Quote | undefined): { quote?: Quote } {
  if (quote === undefined || (quote.derived === true && !turn.allowSummarization)) return {};
  return { quote };
}

/** What a person means by "it" and by "the second one". */
function shownBy({ toolResults }: TurnResult): Pick<PastTurn, "shown"> {
  // What was only looked through is not on the screen.
  const shown = shownTogether(toolResults.flatMap(({ ok, data, isAside }) => (ok && !isAside ? [data] : [])));
  return shown.record === undefined && shown.rows.length === 0 ? {} : { shown: taint(shown) };
}
