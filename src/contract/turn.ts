import type { ActorId, Surface } from "./actor.ts";
import type { Approval } from "./approval.ts";
import type { Card } from "./card.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Credentials, EarlierMessage, FilledCall, Quote, TurnMode } from "./message.ts";
import type { ArgSources, Choice, NextStep, PendingQuestion, PlannerName } from "./plan.ts";
import type { Question } from "./question.ts";
import type { CallFile } from "./tool.ts";

export type TurnState = "queued" | "running" | "pending_confirmation" | "done" | "failed" | "stopped";

export type TurnPhase =
  | "queued"
  | "planning"
  | "executing_tools"
  | "awaiting_approval"
  | "summarizing"
  | "done";

/** What a surface hands to the core when a person says something. */
export interface TurnRequest {
  surface: Surface;
  actor: ActorId;
  /** The thread whose turns are ordered. */
  conversationId: string;
  /** The place that owns MCP sessions and settings. */
  channel: string;
  message: string;
  /** Deduplicates: the same event id of the same surface starts one turn. */
  eventId?: string;
  /** False: no byte of a tool result is sent to a model. */
  allowSummarization?: boolean;
  /** What the message is about: data, whatever it says. */
  quote?: Quote;
  /** The call that the person filled in: it is planned as it is, and policy decides about it as about any. */
  call?: FilledCall;
  /** The turn of the same conversation whose change is to be taken back, instead of anything in the message. */
  undoes?: string;
  /** Used where the conversation has no earlier turn. */
  history?: EarlierMessage[];
  /** Absent: `migration` where the credentials are those of a migration. */
  mode?: TurnMode;
  /** Kept sealed until the turn ends. */
  credentials?: Credentials;
}

/** One tool call of a turn, as people and API clients see it. */
export interface ToolCallResult {
  toolId: string;
  server: string;
  /** What was sent, secrets masked. */
  args: JsonObject;
  /** Where each argument comes from; absent where nobody planned the call. */
  sources?: ArgSources;
  ok: boolean;
  /** Structured content, or the text of the result. */
  data: JsonValue;
  error?: { code: string; message: string };
  /** The view that made the card, such as `JiraIssueView`. */
  view: string;
  card: Card;
  rows?: number;
  /** Rows of the same list that earlier pages of the conversation showed. */
  from?: number;
  /** What it brought beside data; those with an id can be read with Core.file. */
  files?: CallFile[];
  /** Only looked through: something else answers, or was found. Surfaces fold it or leave it out. */
  isAside?: true;
  durationMs: number;
}

export interface LogLine {
  /** Milliseconds since the turn was accepted. */
  atMs: number;
  stage: "inbox" | "plan" | "policy" | "call" | "approval" | "respond" | "recover";
  message: string;
  durationMs?: number;
}

export interface TurnTimings {
  queuedMs: number;
  planningMs: number;
  toolsMs: number;
  summarizingMs: number;
  totalMs: number;
}

/** Whose limit it is, and what of. */
export type LimitScope = "person" | "channel" | "workspace";
export type LimitKind = "turns" | "calls" | "tokens";

/** What keeps a turn from running, or from going on, for now. */
export interface LimitedTurn {
  scope: LimitScope;
  what: LimitKind;
  amount: number;
  withinMs: number;
  /** When there is room again, in milliseconds since the epoch. */
  until: number;
  /** It begins by itself then. */
  waits?: boolean;
}

export interface TurnResult {
  reply: string;
  /** How the message was read, and what of it was left out, in Markdown; the reply begins with it. */
  remarks?: string;
  planner: PlannerName;
  toolResults: ToolCallResult[];
  /** Set while the turn waits for approval. */
  pendingConfirmation?: Approval;
  /** Further requests that wait at the same time, in the order in which they were asked for. */
  alsoPending?: Approval[];
  /** Set when the turn ended by asking for arguments. */
  question?: PendingQuestion;
  /** What may have been meant where nothing could be planned, the likeliest first; a form can supply the rest. */
  choices?: Choice[];
  /** What can be done with what the calls brought, the first first. */
  next?: NextStep[];
  /** The limit that ended the turn before it began, or on its way. */
  limited?: LimitedTurn;
  log: LogLine[];
  timings: TurnTimings;
}

/** What a turn emits. Every surface renders from these alone. */
export type TurnEvent =
  | { type: "status"; phase: TurnPhase; elapsedMs: number }
  | { type: "progress"; message: string; detail?: string; tool?: string; progress?: number; total?: number }
  /** A server asks something, or what it asked was answered or closed: the question as it is now. */
  | { type: "question"; question: Question }
  | { type: "result"; result: TurnResult }
  | { type: "error"; code: string; message: string };

/** An event with its place in the turn: `seq` counts from 1 and has no gaps. */
export interface NumberedEvent {
  turnId: string;
  seq: number;
  event: TurnEvent;
}

/** A turn as it stands in the store. */
export interface Turn {
  id: string;
  surface: Surface;
  actor: ActorId;
  conversationId: string;
  channel: string;
  message: string;
  /** See TurnRequest. */
  quote?: Quote;
  call?: FilledCall;
  undoes?: string;
  history?: EarlierMessage[];
  mode?: TurnMode;
  state: TurnState;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  /** The last result, also while the turn waits for approval. */
  result?: TurnResult;
  error?: { code: string; message: string };
  stoppedBy?: ActorId;
}

/** One journal entry, for operators. */
export interface TurnStep {
  seq: number;
  kind: string;
  state: "intent" | "outcome";
  at: number;
  data: JsonValue;
}
