import type { ActorId, Surface } from "./actor.ts";
import type { Approval } from "./approval.ts";
import type { JsonObject } from "./json.ts";
import type { Choice, NextStep, PendingQuestion } from "./plan.ts";
import type { Question } from "./question.ts";
import type { ToolCallResult, TurnPhase, TurnRequest } from "./turn.ts";

/** Where a turn is shown, such as channel and thread, as its adapter needs it. Kept in the store. */
export type Place = JsonObject;

/** A message that was posted, as its adapter needs it to edit it. Kept in the store. */
export type MessageRef = JsonObject;

/** A turn as it is to be shown now, in the turn's one message. The newest one holds all that is known. */
export interface TurnView {
  turnId: string;
  conversationId: string;
  channel: string;
  /** What people read there is written in, as the setting names it; absent: English. */
  language?: string;
  actor: ActorId;
  message: string;
  phase: TurnPhase;
  elapsedMs: number;
  /** What is being done, and how far it is; absent once the turn has ended. */
  progress?: { message: string; detail?: string; tool?: string; progress?: number; total?: number };
  /** Set when there is an answer, also while it waits for approval. */
  reply?: string;
  /** See TurnResult: what stands beside a request that waits, in place of the reply. */
  remarks?: string;
  /** Who planned, for the footer. */
  planner?: string;
  results: ToolCallResult[];
  /** The request that waits, or that ended this turn; shown with its final state. */
  approvals: Approval[];
  /** What servers asked in its calls, oldest first, with their final state; only the turn's actor may answer. */
  questions?: Question[];
  /** Arguments that it ended by asking for; a form can supply them, see TurnRequest.call. */
  missing?: PendingQuestion;
  /** See TurnResult. */
  choices?: Choice[];
  next?: NextStep[];
  error?: { code: string; message: string };
  stoppedBy?: ActorId;
  log: { atMs: number; stage: string; message: string; durationMs?: number }[];
  /** Nothing follows for now: the turn has ended or waits for a person. */
  isSettled: boolean;
  /** The turn can be stopped. */
  canStop: boolean;
}

/**
 * What a chat platform offers to the presenter. A method that rejects is tried again later. An adapter holds calls
 * back to keep rate limits: one call at a time for a message, each with the newest view.
 */
export interface MessagePort {
  readonly surface: Surface;
  post(place: Place, view: TurnView): Promise<MessageRef>;
  edit(ref: MessageRef, view: TurnView): Promise<void>;
  /** What an earlier process posted for the turn without recording it, if the platform can tell. */
  find(place: Place, turnId: string): Promise<MessageRef | undefined>;
  /**
   * Milliseconds to wait for the turn to end before its status is posted: a quicker one is posted as its answer,
   * which people are notified of. Longer where limits leave few edits.
   */
  statusDelayMs(place: Place): number;
  /**
   * Tells people beside the message that a request waits, or how it ended. Never calls a whole channel, and a
   * group only where the rule names it. Rejects with `retryAfterMs` only where nothing was posted. Without it the
   * card alone tells.
   */
  notify?(notice: Notice): Promise<void>;
}

/** `asked`: who may approve is told; `reminder`: once more; `outcome`: who asked is told how it ended. */
export type NoticeKind = "asked" | "reminder" | "outcome";

/** How people are told: mentioned in the thread, by direct message, or in the thread and its channel. */
export type NotifyWay = "mention" | "dm" | "channel";

/** What is told of one or more requests of a conversation in one go. */
export interface Notice {
  /** By which its messages are found again. */
  id: string;
  kind: NoticeKind;
  way: NotifyWay;
  /** Of the first request. */
  place: Place;
  ref: MessageRef;
  /** At least one, oldest first: all wait, or all have ended. */
  approvals: Approval[];
  /** It comes in quiet hours. */
  isSilent: boolean;
  /** An earlier process may have posted it without recording that: look before posting again. */
  mayBePosted: boolean;
}

/** Shows turns on chat platforms, one message each, also across restarts and replicas. */
export interface Presenter {
  /** Accepts a message and records where its turn is shown, in one transaction. Durable when it resolves. */
  submit(request: TurnRequest, place: Place): Promise<{ turnId: string; duplicate: boolean }>;
  /** Begins to show, and takes up what an earlier process left unshown. */
  start(): Promise<void>;
  /** Lets edits that are under way end. */
  stop(): Promise<void>;
}
