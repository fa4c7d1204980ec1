import type { ActorId } from "#contract/actor.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Question } from "#contract/question.ts";

import { iso, present } from "./fields.ts";

/** What a server asks in the middle of a call. A page is told to the person it is for, and to nobody else. */
export function questionToWire(question: Question, viewer: ActorId): JsonObject {
  const isTheirs = question.actor === viewer;
  return {
    question_id: question.id,
    turn_id: question.turnId,
    session_id: question.conversationId.replace(/^http:/, ""),
    kind: question.kind,
    ...(question.kind === "form" ? { message: question.message, schema: question.schema } : {}),
    ...(question.kind === "link" && isTheirs
      ? { message: question.message, url: question.url, domain: question.domain }
      : {}),
    server: question.server,
    tool_id: question.toolId,
    actor: question.actor,
    state: question.state,
    created_at: iso(question.createdAt),
    expires_at: iso(question.expiresAt),
    ...present({
      answered_at: question.answeredAt === undefined ? undefined : iso(question.answeredAt),
      note: question.note,
    }),
  };
}
