import type { ActorId } from "./actor.ts";

/** What is being typed for an argument of a configured command. */
export interface SuggestRequest {
  /** The command's name, without the slash. */
  command: string;
  /** The argument, as the tool's schema names it. */
  argument: string;
  text: string;
  actor: ActorId;
  channel: string;
  signal: AbortSignal;
}

export interface Suggestion {
  value: string;
  /** What people see; the value itself where the source names nothing else. */
  label: string;
}

/**
 * Values for an argument from the read that the configuration names; none where it names none, or policy
 * does not allow that read without asking. Rejects when the read fails.
 */
export type Suggest = (request: SuggestRequest) => Promise<Suggestion[]>;
