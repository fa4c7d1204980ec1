import type { ActorId } from "./actor.ts";
import type { JsonValue } from "./json.ts";
import type { Statement } from "./statement.ts";

/** The newest entry of the chain; kept elsewhere, it shows later whether entries were cut off. */
export interface AuditHead {
  seq: number;
  hash: string;
}

export type AuditVerdict =
  /** `forgotten`: entries that say no more than that there was one, as their person was forgotten. */
  | { ok: true; entries: number; head: AuditHead; forgotten?: number }
  | { ok: false; entries: number; broken: { seq: number; why: string } };

/** `decisions`: what was asked for, decided and changed. `messages`: what people said. */
export type AuditAbout = "decisions" | "messages" | "all";

export interface AuditFilter {
  about: AuditAbout;
  /** Words that all stand in the entry, whatever their case; "" for every entry. */
  query: string;
  /** Entries before this number; without it from the newest. */
  before?: number;
  limit: number;
}

/** One entry with what people know of it. */
export interface AuditItem {
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** Such as `approval.vote`. */
  kind: string;
  actor?: ActorId;
  /** What the actor is called, as far as it is known. */
  name?: string;
  turnId?: string;
  approvalId?: string;
  /** Absent where it was deleted, and where the entry is of none. */
  conversationId?: string;
  toolId?: string;
  statement?: Statement;
  /** Secrets are masked in it; larger inputs and outputs stand in it as digests. */
  data: JsonValue;
  hash: string;
}

/** Newest first. */
export interface AuditPage {
  items: AuditItem[];
  /** The `before` with which older ones are looked for; absent: there are none. */
  next?: number;
}

/** Reads the audit record for operators. */
export interface AuditReader {
  /** Looks through a bounded number of entries: with few that fit, `next` may be there beside fewer than the limit. */
  page(filter: AuditFilter): Promise<AuditPage>;
  head(): Promise<AuditHead>;
  /** Recomputes the whole chain. Concurrent callers share one look. */
  verify(): Promise<AuditVerdict>;
}
