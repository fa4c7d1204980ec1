import type { ActorId } from "./actor.ts";
import type { Approval, ApprovalState, DecideReply, DecideRequest, EditRequest, Grant } from "./approval.ts";
import type { Card } from "./card.ts";
import type { JsonValue } from "./json.ts";
import type { PlannerName } from "./plan.ts";
import type { NumberedEvent, ToolCallResult, Turn, TurnRequest, TurnStep } from "./turn.ts";
import type { ServerStatus, Tool } from "./tool.ts";

/** What a surface may ask of the core. Methods reject with an Error that carries a stable `code`. */
export interface Core {
  /**
   * Resolves once the message is durable; the turn then runs even if this process dies.
   * The same event id resolves to the turn it started first, with `duplicate: true`.
   */
  submit(request: TurnRequest): Promise<{ turnId: string; duplicate: boolean }>;
  /**
   * The turn's events after `after` (0: from the start), then live ones. Ends after a result or an
   * error that is the turn's last for now (a pending confirmation ends it as well; what follows an
   * approval is read by asking again with `after`). Aborting ends it without an error.
   */
  events(turnId: string, options: { after?: number; signal: AbortSignal }): AsyncIterable<NumberedEvent>;
  /** The events so far, without waiting for more. */
  eventsSoFar(turnId: string): Promise<NumberedEvent[]>;
  turn(turnId: string): Promise<Turn | undefined>;
  steps(turnId: string): Promise<TurnStep[]>;
  /** Turns of a conversation, oldest first. */
  conversation(conversationId: string): Promise<Turn[]>;
  /** Conversations of a surface with their first message, most recently used first. */
  conversations(surface: string, limit: number): Promise<ConversationSummary[]>;
  /** Stops a running turn, and says whether there was one to stop. Code `not_found` for an unknown id. */
  stop(turnId: string, actor: ActorId): Promise<{ stopped: boolean; message: string }>;
  tools(): ToolListing[];
  health(): Promise<Health>;
  approvals(filter: { state?: ApprovalState; conversationId?: string }): Promise<Approval[]>;
  approval(id: string): Promise<Approval | undefined>;
  /** Records a decision and starts the continuation. Code `not_found` for an unknown id. */
  decide(request: DecideRequest): Promise<DecideReply>;
  /**
   * Replaces a pending request by one with other arguments, which needs approval anew. Codes
   * `not_found`, `not_pending`, `not_eligible`, `bad_args` (details: the fields), `denied_by_policy`.
   */
  edit(request: EditRequest): Promise<Approval>;
  /** Makes the read that can tell whether an unknown outcome happened. Codes `not_found`, `not_unknown`, `no_lookup`, `not_eligible`. */
  lookup(approvalId: string, actor: ActorId): Promise<ToolCallResult>;
  grants(conversationId?: string): Promise<Grant[]>;
  /** Codes `not_found`, `not_eligible`. Revoking twice changes nothing. */
  revokeGrant(grantId: string, actor: ActorId): Promise<Grant>;
  /** Settles a call whose outcome is unknown. Codes `not_found`, `not_unknown`, `not_eligible`. */
  settle(request: SettleRequest): Promise<Approval>;
  /** Slash commands from the configuration, for completion and help. */
  commands(): CommandInfo[];
}

export interface SettleRequest {
  approvalId: string;
  actor: ActorId;
  outcome: "happened" | "did_not";
  note?: string;
}

export interface ConversationSummary {
  conversationId: string;
  title: string;
  turns: number;
  /** Milliseconds since the epoch. */
  lastAt: number;
  /** Approvals that wait in it. */
  pending: number;
}

export interface ToolListing {
  tool: Tool;
  decision: "allow" | "ask" | "deny";
}

export interface CommandInfo {
  /** Without the slash. */
  name: string;
  server: string;
  /** The tool that runs when no subcommand is named. */
  defaultTool?: string;
  subcommands: { name: string; tool: string }[];
}

export interface Health {
  status: "ok" | "degraded" | "starting";
  version: string;
  model: { provider: PlannerName; model: string; reachable: boolean; reason?: string };
  servers: ServerStatus[];
  store: { kind: "sqlite" | "postgres"; ok: boolean; error?: string };
}

/** What a view is given. */
export interface ViewInput {
  toolId: string;
  server: string;
  name: string;
  args: JsonValue;
  ok: boolean;
  data: JsonValue;
  text?: string;
  error?: { code: string; message: string };
}

/** Picks and runs the view of a tool; never throws: a view that fails falls back to the generic one. */
export interface Views {
  result(input: ViewInput): Pick<ToolCallResult, "view" | "card" | "rows">;
}

/** Cards that are not tool results. Pure functions; adapters get them from the composition root. */
export interface Cards {
  approval(approval: Approval): Card;
}
