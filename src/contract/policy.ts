import type { JsonObject } from "./json.ts";

/** The rule that decided, resolved to what the ledger needs. */
export interface PolicyDecision {
  decision: "allow" | "ask" | "deny";
  /** Which rule decided, for people: `rule 2 (jira.delete_*)`, `read-only tool of a trusted server`, `default`. */
  rule: string;
  /** Who may approve: `requester`, `channel`, an actor id, or `group:NAME`. */
  approvers: string[];
  excludeRequester: boolean;
  quorum: number;
  /** Milliseconds until a request expires. */
  ttlMs: number;
  /** Milliseconds before it expires at which people are reminded; undefined: never. */
  remindMs?: number;
  reasonRequired: boolean;
  /** A call of this tool may be sent again after a crash. */
  idempotent: boolean;
  /** The read that can tell whether a change of unknown outcome happened, with this call's arguments. */
  lookup?: Lookup;
  /** Whether an approver may allow the same for a while; undefined: never. */
  grants?: GrantTerms;
}

export interface Lookup {
  tool: string;
  args: JsonObject;
}

/** How far an approver may go in allowing more of the same. */
export interface GrantTerms {
  maxTtlMs: number;
  maxUses: number;
  /** Arguments whose value may differ from the approved call; all others must be equal. */
  vary: string[];
}
