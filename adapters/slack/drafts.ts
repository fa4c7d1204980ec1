import { randomUUID } from "node:crypto";

import type { ActorId } from "#contract/actor.ts";
import type { FilledCall, Quote } from "#contract/given.ts";

import type { ChatState } from "../chat/parts.ts";

/** A turn that waits for what a person fills into a window. */
export interface Draft {
  team: string;
  channel: string;
  /** Who fills it in, and nobody else; drafts of before this was recorded have none. */
  actor?: ActorId;
  /** The thread that the answer goes to; without one it begins a thread of its own. */
  thread?: string;
  /** Absent where the answer begins a conversation of its own. */
  conversationId?: string;
  /** Where to say that the channel is closed to the bot. */
  respond?: string;
  /** What the turn says was asked; a question about a message asks for it. */
  message: string;
  about: { kind: "call"; call: FilledCall } | { kind: "quote"; quote: Quote; authorId?: string };
}

/** Kept in the store: a window may come back to another replica, and holds little itself. */
export interface Drafts {
  /** Resolves to the name of the draft, once it is durable. */
  keep(draft: Draft): Promise<string>;
  find(id: string): Promise<Draft | undefined>;
}

/** Long enough for a window that stays open overnight. */
const KEPT_MS = 48 * 3_600_000;

export function createDrafts(state: ChatState<Draft>): Drafts {
  return {
    async keep(draft) {
      const id = `draft_${randomUUID()}`;
      await state.set(id, draft, KEPT_MS);
      return id;
    },
    find: (id) => state.get(id),
  };
}
