import type { ModelAttempt, PlannedStep } from "#contract/plan.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";
import type { TurnEvent, TurnResult, TurnState } from "#contract/turn.ts";

import type { AuditNote } from "../ledger/transact.ts";
import type { Tx } from "../store/schema.ts";
import type { JournalReader } from "./journal-reader.ts";
import type { CallRecord, StoredTurn } from "./rows.ts";

/** What a turn ends with, for now or for good. */
export interface TurnEnding {
  state: Extract<TurnState, "done" | "failed" | "stopped" | "pending_confirmation">;
  result?: TurnResult;
  error?: { code: string; message: string };
  /** Recorded with the end, where it was made without a model. */
  reply?: RecordedReply;
  events: TurnEvent[];
}

/** The text of an answer, and the prompt it was made from. */
export interface RecordedReply {
  step: number;
  reply: string;
  prompt?: string;
  attempts?: ModelAttempt[];
}

/**
 * The durable record of a turn: each step before its effect and after it. Writing for a run that
 * another has replaced since (`StoredTurn.epoch`) rejects with `run_replaced` and writes nothing.
 */
export interface Journal extends JournalReader {
  /**
   * Marks the turn as running in a new run of its own; undefined when it has ended or waits for a
   * person: whoever decides makes it ready first. `isCounted`: it counts among the runs after which a turn
   * without any progress is given up.
   */
  begin(turnId: string, options: { isCounted: boolean }): Promise<StoredTurn | undefined>;
  emit(turn: StoredTurn, event: TurnEvent): Promise<void>;
  /** Each intent is recorded together with the event that tells people of it. */
  planIntent(turn: StoredTurn, step: number, event: TurnEvent): Promise<void>;
  /** Records a plan together with the calls it asks for. */
  planOutcome(
    turn: StoredTurn,
    step: number,
    plan: PlannedStep,
    also: { find: (id: string) => Tool | undefined; event: TurnEvent | undefined },
  ): Promise<void>;
  /** Records the answer of a model, so that it is asked once. */
  replyOutcome(turn: StoredTurn, reply: RecordedReply): Promise<void>;
  callIntent(turn: StoredTurn, call: CallRecord, event: TurnEvent): Promise<void>;
  callOutcome(
    turn: StoredTurn,
    call: CallRecord,
    state: "done" | "failed",
    outcome: CallOutcome,
  ): Promise<void>;
  /** Writes a request for approval that the turn does not have to wait for. */
  request<Result>(turn: StoredTurn, work: (tx: Tx, note: AuditNote) => Promise<Result>): Promise<Result>;
  /**
   * Ends the turn in one transaction with what `prepare` writes, and closes its open requests when it
   * ends for good. A turn that ended before, because a person stopped it, stays as it is and `prepare`
   * is not called. Rejects with `turn_stopped` (details: by) instead of letting a turn wait that a person
   * has stopped. Resolves to false when `prepare` finds that the turn has to go on.
   */
  end(
    turn: StoredTurn,
    prepare: (tx: Tx, note: AuditNote) => TurnEnding | Promise<TurnEnding | undefined>,
    passing?: "request",
  ): Promise<boolean>;
}
