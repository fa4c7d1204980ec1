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
  reasonRequired: boolean;
  /** A call of this tool may be sent again after a crash. */
  idempotent: boolean;
}
