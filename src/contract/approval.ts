import type { ActorId } from "./actor.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ArgSources } from "./plan.ts";
import type { Statement } from "./statement.ts";

export type ApprovalState =
  | "pending"
  | "approved"
  | "executing"
  | "done"
  | "failed"
  | "unknown" // sent, and nobody knows whether it happened
  | "denied"
  | "expired"
  | "void" // the tool or its rule changed since the request
  | "superseded";

/** What the change would do, from a dry run of the tool. */
export interface Effect {
  before: JsonValue;
  after: JsonValue;
}

export interface ApprovalVote {
  actor: ActorId;
  decision: "approve" | "deny";
  reason?: string;
  /** See DecideRequest. */
  via?: "page" | "words";
  /** Milliseconds since the epoch. */
  at: number;
}

/** Where a call acts, of what its turn came with: `source.domain` and its value, and the arguments that take it. */
export interface CallTarget {
  name: string;
  value: string | boolean;
  args: string[];
}

export interface Approval {
  id: string;
  turnId: string;
  conversationId: string;
  channel: string;
  /** `sha256` (hex) over the canonical JSON of tool id, arguments and targets; `approved_keys` of the HTTP API. */
  key: string;
  toolId: string;
  toolDescription: string;
  /** As they will be sent, but for those that the product fills in. */
  args: JsonObject;
  /** What credentials that are filled in point at; absent where there are none. */
  targets?: CallTarget[];
  /** Where each of them comes from. Nothing that is approved hangs on it. */
  sources?: ArgSources;
  effect?: Effect;
  /** What people are asked to say yes to, as it stood when they were asked. */
  statement: Statement;
  state: ApprovalState;
  rule: string;
  requestedBy: ActorId;
  /** See PolicyDecision.approvers. */
  approvers: string[];
  excludeRequester: boolean;
  reasonRequired: boolean;
  quorum: number;
  votes: ApprovalVote[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  expiresAt: number;
  decidedAt?: number;
  /** The read that can tell whether it happened, when the outcome is unknown. */
  lookup?: Lookup;
  /** How far an approver may allow more of the same with the decision; absent: not at all. */
  grants?: GrantTerms;
  /** The standing approval that was given with it, as it is now. */
  standing?: Pick<Grant, "id" | "expiresAt" | "maxUses" | "uses" | "revokedBy">;
  /** What the platform calls the people it names, by actor id; set by whoever draws its card. */
  names?: Readonly<Record<string, string>>;
  /** When people were reminded that it waits. */
  remindedAt?: number;
  /** The request that took its place after an edit. */
  replacedBy?: string;
  /** A result that came after the outcome was already unknown or settled: kept, not applied. */
  evidence?: { state: "done" | "failed" | "unknown"; at: number };
  /** Why it ended as it did: the deny reason, what voided it, the error of the call. */
  note?: string;
}

export interface DecideRequest {
  approvalId: string;
  actor: ActorId;
  decision: "approve" | "deny";
  reason?: string;
  /**
   * `page`: by a browser in which nobody signed in: whoever it says it is, it gives one approval. `words`: who asked
   * took the request back in a message.
   */
  via?: "page" | "words";
  /** With an approval, where the rule offers it: allow the same for so long, so many times. */
  grant?: { ttlMs: number; uses: number };
  /** The request as the caller has just read it, which spares another reading; the ledger checks it. */
  seen?: Approval;
}

/**
 * A standing approval for one tool in one conversation: the same arguments as the approved call but
 * for those that may vary, until it expires, is used up or is revoked.
 */
export interface Grant {
  id: string;
  conversationId: string;
  toolId: string;
  /** What must be equal. */
  args: JsonObject;
  /** What may differ. */
  vary: string[];
  /** Instead of that tool with those arguments: what its server says only reads, in the channel. */
  reads?: ServerReads;
  rule: string;
  grantedBy: ActorId;
  /** The approval it was given with. */
  approvalId: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  expiresAt: number;
  maxUses: number;
  uses: number;
  revokedBy?: ActorId;
}

export interface EditRequest {
  approvalId: string;
  actor: ActorId;
  /** All arguments as they shall be sent. */
  args: JsonObject;
}

/** What a click is answered with. `message` is one plain sentence for the person. */
export interface DecideReply {
  outcome: "approved" | "recorded" | "denied" | "already_decided" | "not_eligible" | "expired" | "void";
  message: string;
  approval: Approval;
}

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
  /** Instead of that: all that its server says only reads, in the channel. */
  reads?: ServerReads;
}

/** The tools of a server that say of themselves that they only read; `seal` stands for them as they are listed. */
export interface ServerReads {
  server: string;
  seal: string;
}
