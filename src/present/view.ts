import type { Approval } from "#contract/approval.ts";
import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import type { NumberedEvent, Turn, TurnEvent, TurnPhase } from "#contract/turn.ts";

import { isFinal } from "../turn/rows.ts";

type Status = Extract<TurnEvent, { type: "status" }>;
type Progress = Extract<TurnEvent, { type: "progress" }>;

/** What is known of a turn at one moment. */
export interface TurnFacts {
  turn: Turn;
  /** At least what `keepShown` keeps of them, in order. */
  events: readonly NumberedEvent[];
  /** All of the turn, oldest first. */
  approvals: readonly Approval[];
  /** All of the turn, oldest first. */
  questions?: readonly Question[];
  /** What it ended by asking for has been answered in its conversation. */
  isFilled?: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The turn as it is to be shown: phase and progress from its events, all else from its record. */
export function toView({
  turn,
  events,
  approvals,
  questions = [],
  isFilled = false,
  now,
}: TurnFacts): TurnView {
  const { result, error } = turn;
  const isSettled = isTurnSettled(turn);
  const { status, progress } = latest(events);
  const end = isSettled ? turn.updatedAt : now;
  return {
    turnId: turn.id,
    conversationId: turn.conversationId,
    channel: turn.channel,
    actor: turn.actor,
    message: turn.message,
    phase: phaseOf(turn, status?.phase),
    elapsedMs: Math.max(0, end - turn.createdAt),
    ...(turn.state !== "running" || progress === undefined ? {} : { progress: withoutType(progress) }),
    // A turn that goes on after an approval still has the sentence that asked for it.
    ...(!isSettled || result === undefined || error !== undefined ? {} : { reply: result.reply }),
    ...(result === undefined ? {} : { planner: result.planner }),
    results: result?.toolResults ?? [],
    approvals: shownApprovals(approvals),
    ...(questions.length === 0 ? {} : { questions: [...questions] }),
    ...(!isSettled || isFilled || result?.question === undefined ? {} : { missing: result.question }),
    ...(error === undefined ? {} : { error }),
    ...(turn.stoppedBy === undefined ? {} : { stoppedBy: turn.stoppedBy }),
    log: result?.log ?? [],
    isSettled,
    canStop: !isSettled && turn.stoppedBy === undefined,
  };
}

/** Nothing follows for now: the turn has ended or waits for a person. */
function isTurnSettled(turn: Pick<Turn, "state">): boolean {
  return turn.state === "pending_confirmation" || isFinal(turn.state);
}

/**
 * The requests that people have to do with: not those that an edit replaced by another of the same
 * turn, nor changes that policy allows, unless their outcome is in doubt.
 */
export function shownApprovals(approvals: readonly Approval[]): Approval[] {
  return approvals.filter((approval) => {
    const { replacedBy, quorum, state, note, evidence } = approval;
    if (replacedBy !== undefined && approvals.some((other) => other.id === replacedBy)) return false;
    if (quorum > 0 || evidence !== undefined) return true;
    // Whoever settles an unknown outcome leaves a note.
    if (state === "done") return note !== undefined;
    return state !== "approved" && state !== "executing" && state !== "failed";
  });
}

/** The events that a view is made of, so that those of a long turn need not be kept: the latest phase and progress. */
export function keepShown(events: readonly NumberedEvent[]): NumberedEvent[] {
  const status = events.findLast(({ event }) => event.type === "status");
  const progress = events.findLast(({ event }) => event.type === "progress");
  return [status, progress].filter((event) => event !== undefined).toSorted((a, b) => a.seq - b.seq);
}

function latest(events: readonly NumberedEvent[]): { status?: Status; progress?: Progress } {
  let status: Status | undefined;
  let progress: Progress | undefined;
  for (const { event } of events) {
    if (event.type === "status") {
      status = event;
      // What was being done belongs to the phase before.
      progress = undefined;
    } else if (event.type === "progress") {
      progress = event;
    }
  }
  return { ...(status === undefined ? {} : { status }), ...(progress === undefined ? {} : { progress }) };
}

function withoutType(event: Progress): Omit<Progress, "type"> {
  const { type: _type, ...progress } = event;
  return progress;
}

function phaseOf(turn: Turn, told: TurnPhase | undefined): TurnPhase {
  if (isFinal(turn.state)) return "done";
  if (turn.state === "pending_confirmation") return "awaiting_approval";
  if (turn.state === "queued") return "queued";
  // A turn that goes on after an approval has not told of its phase yet.
  if (told === "awaiting_approval" || told === "done") return "executing_tools";
  return told ?? "queued";
}
