import type { Core } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Turn } from "#contract/turn.ts";

import { ApiError, statusOfCode, toApiError } from "../errors.ts";
import { resultToWire } from "./wire.ts";

/**
 * Follows a turn until its last event for now and gives the data of its result. A turn that failed
 * rejects with the status of its code.
 */
export async function answerOf(
  core: Core,
  turnId: string,
  after: number,
  signal: AbortSignal,
): Promise<JsonObject> {
  try {
    for await (const _ of core.events(turnId, { after, signal }));
  } catch (error) {
    // It was accepted, so the client is told its id whatever keeps it from going on.
    const { status, code, message, headers } = toApiError(error);
    throw new ApiError(status, code, message, { headers, details: { turn_id: turnId } });
  }
  signal.throwIfAborted();
  const turn = await core.turn(turnId);
  if (turn === undefined) throw unknownTurn(turnId);
  return outcomeOf(await withFreshApproval(core, turn));
}

export function unknownTurn(turnId: string): ApiError {
  return new ApiError(404, "not_found", `turn_id: no turn ${JSON.stringify(turnId.slice(0, 80))}`);
}

/** The result names the approval as it was when the turn paused; votes may have come since. */
export async function withFreshApproval(core: Core, turn: Turn): Promise<Turn> {
  const pending = turn.result?.pendingConfirmation;
  if (turn.result === undefined || pending === undefined) return turn;
  const approval = (await core.approval(pending.id)) ?? pending;
  return { ...turn, result: { ...turn.result, pendingConfirmation: approval } };
}

function outcomeOf(turn: Turn): JsonObject {
  if (turn.state === "failed" || turn.state === "stopped") {
    const code = turn.error?.code ?? (turn.state === "stopped" ? "stopped" : "internal");
    const message = turn.error?.message ?? stoppedMessage(turn);
    throw new ApiError(statusOfCode(code), code, message, { details: { turn_id: turn.id } });
  }
  if (turn.result !== undefined) return resultToWire(turn.id, turn.result);
  throw new ApiError(
    503,
    "not_finished",
    "The turn was accepted and has not finished; ask for it by its id.",
    {
      details: { turn_id: turn.id },
      headers: { "retry-after": "2" },
    },
  );
}

function stoppedMessage(turn: Turn): string {
  return turn.stoppedBy === undefined
    ? "The turn was stopped."
    : `The turn was stopped by ${turn.stoppedBy}.`;
}
