import type { Approval } from "#contract/approval.ts";
import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import type { NumberedEvent, Turn, TurnEvent, TurnPhase } from "#contract/turn.ts";

import { isFinal } from "../turn/rows.ts";

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
  /** See TurnView. */
  language?: string;
}

/** The turn as it is to be shown: phase and progress from its events, all else from its record. */
export function toView(facts: TurnFacts): TurnView {
  const { turn, events, approvals, questions = [], isFilled = false, now } = facts;
  const { result, error, state } = turn;
  // Nothing follows for now: the turn has ended or waits for a person.
  const isSettled = state === "pending_confirmation" || isFinal(state);
  const { status, progress } = latest(events);
  const end = isSettled ? turn.updatedAt : now;
  return {
    turnId: turn.id,
    conversationId: turn.conversationId,
    channel: turn.channel,
    ...(facts.language === undefined ? {} : { language: facts.language }),
    actor: turn.actor,
    message: turn.message,
    phase: phaseOf(turn, status?.phase),
    elapsedMs: Math.max(0, end - turn.createdAt),
    ...(state !== "running" || progress === undefined ? {} : { progress }),
    // A turn that goes on after an approval still has the sentence that asked for it.
    ...(!isSettled || result === undefined || error !== undefined ? {} : { reply: result.reply }),
    ...(!isSettled || result?.remarks === undefined ? {} : { remarks: result.remarks }),
    ...(result === undefined ? {} : { planner: result.planner }),
    // The order stays: a window names a result by its place among these.
    results: (result?.toolResults ?? []).filter(({ isAside }) => isAside !== true),
    approvals: shownApprovals(approvals),
    ...(questions.length === 0 ? {} : { questions: [...questions] }),
    ...(!isSettled || isFilled || result?.question === undefined ? {} : { missing: result.question }),
    ...(!isSettled || isFilled || result?.choices === undefined ? {} : { choices: result.choices }),
    ...(!isSettled || result?.next === undefined ? {} : { next: result.next }),
    ...(error === undefined ? {} : { error }),
    ...(turn.stoppedBy === undefined ? {} : { stoppedBy: turn.stoppedBy }),
    log: result?.log ?? [],
    isSettled,
    canStop: !isSettled && turn.stoppedBy === undefined,
  };
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
    // Settling an unknown outcome leaves a note.
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

function latest(events: readonly NumberedEvent[]): {
  status?: Extract<TurnEvent, { type: "status" }>;
  progress?: NonNullable<TurnView["progress"]>;
} {
  const at = events.findLastIndex(({ event }) => event.type === "status");
  const status = events[at]?.event;
  // What was being done belongs to the phase before.
  const told = events.slice(at + 1).findLast(({ event }) => event.type === "progress")?.event;
  const { type: _type, ...progress } = told?.type === "progress" ? told : {};
  return {
    ...(status?.type === "status" ? { status } : {}),
    ...("message" in progress ? { progress } : {}),
  };
}

function phaseOf(turn: Turn, told: TurnPhase | undefined): TurnPhase {
  if (isFinal(turn.state)) return "done";
  if (turn.state === "pending_confirmation") return "awaiting_approval";
  if (turn.state === "queued") return "queued";
  // A turn that goes on after an approval has not told of its phase yet.
  if (told === "awaiting_approval" || told === "done") return "executing_tools";
  return told ?? "queued";
}
