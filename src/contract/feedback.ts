import type { ActorId } from "./actor.ts";

/** What a person thinks of an answer; of each person the last one counts. */
export interface Rating {
  turnId: string;
  actor: ActorId;
  verdict: "good" | "bad";
  /** What they say of it, or what should have come: at most 2,000 characters. */
  words?: string;
}
