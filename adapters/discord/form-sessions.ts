import { randomUUID } from "node:crypto";

import type { ActorId } from "#contract/actor.ts";
import type { DeskTopic } from "#contract/desk.ts";
import type { FilledCall, Quote } from "#contract/given.ts";
import type { Place } from "#contract/present.ts";

import type { ChatState } from "../chat/parts.ts";

/** What a form is filled in for. */
export type FormPurpose =
  | { kind: "desk"; topic: DeskTopic }
  /** An answer to what a server asks in the middle of a call. */
  | { kind: "question"; questionId: string }
  /** A turn of one call. */
  | { kind: "call"; call: FilledCall; start: TurnStart }
  /** A turn about somebody's message. */
  | { kind: "quote"; quote: Quote; start: TurnStart };

/** The turn that a form or a command begins. */
export interface TurnStart {
  conversationId: string;
  channel: string;
  /** What the turn says was asked. */
  message: string;
  place: Place;
  /** Its message answers the interaction that begins it. */
  isAnswer: boolean;
}

/** A form that a person fills in, over as many windows as it needs. */
export interface FormSession {
  actor: ActorId;
  /** The channel or thread in which it was begun; nowhere else it goes on. */
  channel: string;
  purpose: FormPurpose;
  /** What was filled in so far, by field. */
  values: Record<string, string>;
}

/** Kept in the store: a window may come back to another replica, and holds little itself. */
export interface FormSessions {
  /** Resolves to the name of the session, once it is durable. */
  begin(session: FormSession): Promise<string>;
  find(id: string): Promise<FormSession | undefined>;
  /** Adds what one window brought. */
  keep(id: string, session: FormSession): Promise<void>;
}

/** Long enough for a window that stays open overnight. */
const KEPT_MS = 48 * 3_600_000;

export function createFormSessions(state: ChatState<FormSession>): FormSessions {
  return {
    async begin(session) {
      const id = randomUUID();
      await state.set(id, session, KEPT_MS);
      return id;
    },
    find: (id) => state.get(id),
    async keep(id, session) {
      await state.set(id, session, KEPT_MS);
    },
  };
}
