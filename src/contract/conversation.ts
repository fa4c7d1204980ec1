import type { ActorId } from "./actor.ts";
import type { Turn } from "./turn.ts";

export interface ConversationSummary {
  conversationId: string;
  /** What somebody named it, else its first message. */
  title: string;
  turns: number;
  /** Milliseconds since the epoch. */
  lastAt: number;
  /** Approvals that wait in it. */
  pending: number;
  /** The newest message with all the words that were looked for; absent where the title alone has them. */
  found?: string;
}

/** Which conversations, last used first. */
export interface ConversationFilter {
  surface: string;
  limit: number;
  conversationId?: string;
  /** Words that all stand in the title or in one message, in any order, whatever their case. */
  query?: string;
  /** Only where one of these took part. */
  takenPartBy?: readonly ActorId[];
}

/** Where a page of a conversation begins or ends: ids of its turns. */
export type TurnPlace = "start" | "end" | { before: string } | { after: string };

/** Turns of a conversation, oldest first, and how many there are on either side. */
export interface TurnPage {
  turns: Turn[];
  earlier: number;
  later: number;
}

/** A conversation that goes, with the number of turns that went with it. */
export interface Deleted {
  turns: number;
}

/** Something that happened; how it is now is to be read. */
export interface Change {
  /** `turn`: it began, went on, ended, or a request of it did. */
  kind: "turn" | "grants" | "renamed" | "deleted";
  conversationId: string;
  turnId?: string;
  approvalId?: string;
  /** Of a deleted one: who had taken part. */
  people?: readonly string[];
}

/** Changes in the order in which they were recorded, several of one turn as one. */
export interface ChangeBatch {
  /** To go on from, see Core.changes. */
  seq: number;
  changes: Change[];
  /** False: more happened than is told; look at everything anew. */
  isComplete: boolean;
  /** What works, or does not, is different now: see Core.health. */
  isHealthNew: boolean;
}
