import type { ActorId, Surface } from "#contract/actor.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ArgSources, PlannedStep } from "#contract/plan.ts";
import type { CallOutcome } from "#contract/tool.ts";
import type { LimitedTurn, Turn, TurnResult, TurnState } from "#contract/turn.ts";

import { isLong, type Packed, packed, unpacked, unpackedBeside } from "../store/packed.ts";
import type { Row } from "../store/schema.ts";

type CallState = "planned" | "intent" | "done" | "failed" | "unknown" | "refused";

/** One tool call as the journal knows it. */
export interface CallRecord {
  id: string;
  step: number;
  place: number;
  toolId: string;
  server: string;
  args: JsonObject;
  sources?: ArgSources;
  state: CallState;
  approvalId?: string;
  outcome?: CallOutcome;
  startedAt?: number;
  endedAt?: number;
}

/** The outcome of a planning step. */
export interface RecordedPlan {
  step: number;
  plan: PlannedStep;
  /** When it was recorded. */
  at: number;
  durationMs: number;
}

/** Of `allow_summarization`: a model may have seen data, and made arguments of it, before nothing may be shown any more. */
export const BECAME_PRIVATE = 2;

export interface StoredTurn extends Turn {
  /** Becomes false, also while the turn runs, when somebody makes its channel private. */
  allowSummarization: boolean;
  /** Runs begun since the last one that recorded an outcome. */
  attempts: number;
  /** Which run of the turn this record belongs to. */
  epoch: number;
  /** The limit that it was over when it was accepted. */
  limited?: LimitedTurn;
}

/** What came with the message, and what was found about it then. */
type GivenWithTurn = Pick<StoredTurn, "quote" | "call" | "undoes" | "history" | "mode" | "limited">;

/** The result of a turn as its row has it. */
export function readResult(kept: Packed): TurnResult {
  return unpacked(kept) as TurnResult;
}

/** What is looked for in the text of a result by its row (`askedBefore`) stays plain. */
export function writeResult(result: TurnResult): Packed {
  const text = JSON.stringify(result);
  return isAsking(result) ? text : packed(text);
}

/**
 * The last result of a turn with the outcomes of its reads, which say much the same; undefined where it does not take
 * them along. Calls of requests are written by others as well.
 */
export function writeWithOutcomes(result: TurnResult, calls: readonly CallRecord[]): Packed | undefined {
  const text = JSON.stringify(result);
  const reads = calls.filter(isBesideResult);
  if (isAsking(result) || !isLong(text) || reads.length === 0) return undefined;
  return packed(text, JSON.stringify(Object.fromEntries(reads.map(({ id, outcome }) => [id, outcome]))));
}

/** Of a turn whose result takes outcomes along. */
export function isBesideResult({ approvalId, outcome }: Pick<CallRecord, "approvalId" | "outcome">): boolean {
  return approvalId === undefined && outcome !== undefined;
}

/** The outcomes that are kept with a result, by the ids of their calls. */
export function outcomesBeside(kept: Packed | null): Partial<Record<string, CallOutcome>> {
  const beside = kept === null ? undefined : unpackedBeside(kept);
  return beside ?? {};
}

function isAsking({ question, choices }: TurnResult): boolean {
  return question !== undefined || choices !== undefined;
}

export function toTurn(row: Row<"turns">): StoredTurn {
  return {
    id: row.id,
    surface: row.surface as Surface,
    actor: row.actor as ActorId,
    conversationId: row.conversation_id,
    channel: row.channel,
    message: row.message,
    ...(row.given === null ? {} : (JSON.parse(row.given) as GivenWithTurn)),
    state: row.state as TurnState,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.result === null ? {} : { result: readResult(row.result) }),
    ...(row.error === null ? {} : { error: JSON.parse(row.error) as { code: string; message: string } }),
    ...(row.stopped_by === null ? {} : { stoppedBy: row.stopped_by as ActorId }),
    allowSummarization: row.allow_summarization === 1,
    attempts: row.attempts,
    epoch: row.epoch,
  };
}

export function toCall(row: Row<"calls">): CallRecord {
  return {
    id: row.id,
    step: row.step,
    place: row.place,
    toolId: row.tool_id,
    server: row.server,
    args: JSON.parse(row.args) as JsonObject,
    ...(row.sources === null ? {} : { sources: JSON.parse(row.sources) as ArgSources }),
    state: row.state as CallState,
    ...(row.approval_id === null ? {} : { approvalId: row.approval_id }),
    ...(row.outcome === null ? {} : { outcome: unpacked(row.outcome) as CallOutcome }),
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}

/** Whether a turn has ended for good. */
export function isFinal(state: TurnState): boolean {
  return state === "done" || state === "failed" || state === "stopped";
}
