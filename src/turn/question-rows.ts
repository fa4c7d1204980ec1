import type { ActorId } from "#contract/actor.ts";
import type { Question, QuestionBody, QuestionState } from "#contract/question.ts";
import type { Selectable } from "kysely";

import type { Db, QuestionsTable } from "../store/schema.ts";
import { conversationsOf } from "../store/took-part.ts";

export function toQuestion(row: Selectable<QuestionsTable>): Question {
  return {
    ...(JSON.parse(row.body) as QuestionBody),
    id: row.id,
    turnId: row.turn_id,
    conversationId: row.conversation_id,
    channel: row.channel,
    actor: row.actor as ActorId,
    server: row.server,
    toolId: row.tool_id,
    state: row.state as QuestionState,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.answered_at === null ? {} : { answeredAt: row.answered_at }),
    ...(row.note === null ? {} : { note: row.note }),
  };
}

export interface QuestionFilter {
  state?: QuestionState;
  conversationId?: string;
  turnId?: string;
  takenPartBy?: readonly ActorId[];
}

/** Oldest first. */
export async function readQuestions(db: Db, filter: QuestionFilter): Promise<Question[]> {
  const rows = await db
    .selectFrom("questions")
    .selectAll()
    .$if(filter.state !== undefined, (query) => query.where("state", "=", filter.state ?? ""))
    .$if(filter.conversationId !== undefined, (query) =>
      query.where("conversation_id", "=", filter.conversationId ?? ""),
    )
    .$if(filter.turnId !== undefined, (query) => query.where("turn_id", "=", filter.turnId ?? ""))
    .$if(filter.takenPartBy !== undefined, (query) =>
      query.where("conversation_id", "in", conversationsOf(db, filter.takenPartBy ?? [])),
    )
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(MOST_SHOWN)
    .execute();
  return rows.toReversed().map(toQuestion);
}

const MOST_SHOWN = 500;
