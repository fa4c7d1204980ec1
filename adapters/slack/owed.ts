/** The longest that a status waits for its turn to end where edits are scarce, in milliseconds. */
const PATIENCE_MS = 60_000;

/** So long a message counts: another process may have taken it over and given it its end. */
const COUNTED_MS = 15 * 60_000;

/** Edits that are kept for answers: what only moves a status is left out before these are touched. */
const RESERVE = 10;

/**
 * Keeps count of the statuses that have to be edited into answers yet. Edits are what Slack gives least
 * of: an answer that had to wait behind the statuses of others would come minutes late. So a busy
 * workspace sees fewer statuses, and every answer as soon as it is there.
 */
export interface Owed {
  /** The message of the turn shows a status, or is about to; or at last what the turn came to. */
  shown(team: string, turnId: string, isSettled: boolean): void;
  /** How long after its turn began a status is posted at the earliest; `room` as the budget has it. */
  patience(team: string, room: number): number;
  /** Whether a status may be edited into another one. */
  maySpend(team: string, room: number): boolean;
}

export function createOwed(): Owed {
  /** By workspace and turn, when a status was shown last. */
  const turns = new Map<string, Map<string, number>>();
  const left = (team: string, room: number): number => {
    const own = turns.get(team);
    if (own === undefined) return room;
    const until = performance.now() - COUNTED_MS;
    for (const [turnId, at] of own) if (at < until) own.delete(turnId);
    return room - own.size;
  };
  return {
    shown(team, turnId, isSettled) {
      const own = turns.get(team) ?? new Map<string, number>();
      if (isSettled) own.delete(turnId);
      else own.set(turnId, performance.now());
      if (own.size > 0) turns.set(team, own);
      else turns.delete(team);
    },
    patience: (team, room) => (left(team, room) > RESERVE ? 0 : PATIENCE_MS),
    maySpend: (team, room) => left(team, room) > RESERVE,
  };
}
