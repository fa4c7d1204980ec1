import type { ActorId } from "./actor.ts";
import type { JsonObject, JsonValue } from "./json.ts";

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
  /** Milliseconds since the epoch. */
  at: number;
}

export interface Approval {
  id: string;
  turnId: string;
  conversationId: string;
  channel: string;
  /** `sha256` (hex) over the canonical JSON of tool id and arguments; `approved_keys` of the HTTP API. */
  key: string;
  toolId: string;
  toolDescription: string;
  /** As they will be sent. */
  args: JsonObject;
  effect?: Effect;
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
  /** Why it ended as it did: the deny reason, what voided it, the error of the call. */
  note?: string;
}

export interface DecideRequest {
  approvalId: string;
  actor: ActorId;
  decision: "approve" | "deny";
  reason?: string;
}

/** What a click is answered with. `message` is one plain sentence for the person. */
export interface DecideReply {
  outcome: "approved" | "recorded" | "denied" | "already_decided" | "not_eligible" | "expired" | "void";
  message: string;
  approval: Approval;
}
