import type { FilledCall } from "#contract/given.ts";
import type { PendingQuestion } from "#contract/plan.ts";
import type { TurnView } from "#contract/present.ts";
import type { TurnResult } from "#contract/turn.ts";

import type { Db } from "../store/schema.ts";

/** So many turns after a question are looked at: whoever answers later than that asks anew. */
const LOOKED_AT = 20;

interface Row {
  position: number;
  conversation_id: string;
}

/**
 * Whether a turn of the same conversation has come back to what a turn ended by asking for: by the form, or
 * by calling the tool, or by asking for the rest.
 */
export async function isFilled(
  db: Db,
  { position, conversation_id }: Row,
  asked: PendingQuestion,
): Promise<boolean> {
  const later = await db
    .selectFrom("turns")
    .select(["given", "result"])
    .where("conversation_id", "=", conversation_id)
    .where("position", ">", position)
    .orderBy("position")
    .limit(LOOKED_AT)
    .execute();
  return later.some(({ given, result }) => toolsOf(given, result).has(asked.tool));
}

/** Earlier turns of a turn's conversation that ended by asking for arguments of one of these tools. */
export async function askedBefore(db: Db, turnId: string, tools: ReadonlySet<string>): Promise<string[]> {
  if (tools.size === 0) return [];
  const turn = await db
    .selectFrom("turns")
    .select(["conversation_id", "position"])
    .where("id", "=", turnId)
    .executeTakeFirst();
  if (turn === undefined) return [];
  const lately = db
    .selectFrom("turns")
    .select("id")
    .where("conversation_id", "=", turn.conversation_id)
    .where("position", "<", turn.position)
    .orderBy("position", "desc")
    .limit(LOOKED_AT);
  const earlier = await db
    .selectFrom("turns")
    .select(["id", "result"])
    .where("id", "in", lately)
    // Most results are long, and few of them end with a question.
    .where("result", "like", '%"question":{%')
    .execute();
  return earlier.flatMap(({ id, result }) => {
    const asked = parse<Partial<TurnResult>>(result)?.question;
    return asked !== undefined && tools.has(asked.tool) ? [id] : [];
  });
}

/** The tools that a turn has to do with. */
function toolsOf(given: string | null, result: string | null): Set<string> {
  const call = parse<{ call?: FilledCall }>(given)?.call?.tool;
  const { toolResults = [], question, pendingConfirmation } = parse<Partial<TurnResult>>(result) ?? {};
  const results = toolResults.map(({ toolId }) => toolId);
  const tools = [call, question?.tool, pendingConfirmation?.toolId, ...results];
  return new Set(tools.filter((tool) => tool !== undefined));
}

/** The tools that a settled turn has to do with, as its message shows it. */
export function toolsIn({ results, approvals, missing }: TurnView): Set<string> {
  const tools = [
    missing?.tool,
    ...approvals.map(({ toolId }) => toolId),
    ...results.map(({ toolId }) => toolId),
  ];
  return new Set(tools.filter((tool) => tool !== undefined));
}

function parse<Value>(text: string | null): Value | undefined {
  return text === null ? undefined : (JSON.parse(text) as Value);
}
