import type { ActorId } from "./actor.ts";
import type { PersonAccount } from "./people.ts";
import type { JsonObject, JsonSchema } from "./json.ts";

export type QuestionState = "open" | "accepted" | "declined" | "cancelled" | "expired";

/** What a server asks in the middle of a call (MCP's elicitation). Its texts are data, never formatted. */
export type QuestionBody =
  /** Fields to fill in, as a JSON Schema of an object with flat members. */
  | { kind: "form"; message: string; schema: JsonSchema; topic?: QuestionTopic }
  /** A page to open; nobody but the person opens it. `domain` is what has to be shown before that. */
  | { kind: "link"; message: string; url: string; domain: string };

/**
 * What a question of the product itself is about; a server's has none. `account`: who somebody is in a server, one of
 * `choices`, a `search` for others, or the `name` of an account.
 */
export interface QuestionTopic {
  kind: "account";
  /** Absent: somebody who was only named; the answer is for this once. */
  actor?: ActorId;
  server: string;
  choices: PersonAccount[];
}

/** A question as a server asks it. */
export type QuestionDraft = QuestionBody & {
  toolId: string;
  /** How long a person may take, in milliseconds. */
  ttlMs: number;
  /** Why it is not asked: it is recorded as declined, so that people see what was asked for. */
  refusal?: string;
};

/** What the server is told. `cancel` also where nobody could be asked, or nobody answered in time. */
export type QuestionReply = { action: "accept"; content?: JsonObject } | { action: "decline" | "cancel" };

/** A question in the store. The call that asked it waits, wherever it runs; any replica takes the answer. */
export type Question = QuestionBody & {
  id: string;
  turnId: string;
  conversationId: string;
  channel: string;
  /** Who started the turn: nobody else may answer. */
  actor: ActorId;
  server: string;
  toolId: string;
  state: QuestionState;
  /** Milliseconds since the epoch. */
  createdAt: number;
  expiresAt: number;
  answeredAt?: number;
  /** Why it was closed without an answer. */
  note?: string;
};

export interface AnswerRequest {
  questionId: string;
  actor: ActorId;
  action: "accept" | "decline" | "cancel";
  /** With `accept` of a form: the fields. Defaults of the schema fill in what is absent. */
  content?: JsonObject;
}
