import type { NumberedEvent, TurnEvent, TurnState } from "#contract/turn.ts";

import { postBuilt } from "../store/built.ts";
import type { Db, Tx } from "../store/schema.ts";
import { readResult } from "./rows.ts";

/** An event, and how long it is as JSON. */
export interface WrittenEvent {
  numbered: NumberedEvent;
  chars: number;
}

/**
 * Appends an event to a turn that somebody else may be writing to, inside the caller's transaction, which has the
 * turn from then on; notify after the commit.
 */
export async function appendEvent(
  tx: Tx,
  turnId: string,
  event: TurnEvent,
  at: number,
): Promise<WrittenEvent[]> {
  const { event_count: seq } = await tx
    .updateTable("turns")
    .set((eb) => ({ event_count: eb("event_count", "+", 1) }))
    .where("id", "=", turnId)
    .returning("event_count")
    .executeTakeFirstOrThrow();
  return insertEvents(tx, turnId, seq, [event], at);
}

/** Writes events that are counted in their turn already, numbered from `first`; `kept`: as their rows have them. */
export async function insertEvents(
  tx: Tx,
  turnId: string,
  first: number,
  events: readonly TurnEvent[],
  at: number,
  kept: readonly object[] = events,
): Promise<WrittenEvent[]> {
  if (events.length === 0) return [];
  const rows = kept.map((event, n) => ({
    turn_id: turnId,
    seq: first + n,
    at,
    data: JSON.stringify(event),
  }));
  await postBuilt(tx, "add events", rows, (db, all) => db.insertInto("events").values(all));
  return events.map((event, n) => ({
    numbered: { turnId, seq: first + n, event },
    chars: rows[n]?.data.length ?? 0,
  }));
}

/**
 * The events after `after`, oldest first; at most `most` of them. `isBare`: whoever reads them has no use for the
 * result of a turn that is done.
 */
export async function readEvents(
  db: Db,
  turnId: string,
  after: number,
  { most, isBare = false }: { most?: number; isBare?: boolean } = {},
): Promise<NumberedEvent[]> {
  const rows = await db
    .selectFrom("events")
    .select(["seq", "data"])
    .where("turn_id", "=", turnId)
    .where("seq", ">", after)
    .orderBy("seq")
    .$if(most !== undefined, (query) => query.limit(most ?? 0))
    .execute();
  const events = rows.map((row) => toNumbered(turnId, row));
  return isBare ? events : withResult(db, turnId, events);
}

/** The newest events after `after`, oldest first, with how long each is as JSON. */
export async function readNewest(
  db: Db,
  turnId: string,
  after: number,
  most: number,
): Promise<WrittenEvent[]> {
  const rows = await db
    .selectFrom("events")
    .select(["seq", "data"])
    .where("turn_id", "=", turnId)
    .where("seq", ">", after)
    .orderBy("seq", "desc")
    .limit(most)
    .execute();
  const newest = rows.toReversed();
  const events = await withResult(
    db,
    turnId,
    newest.map((row) => toNumbered(turnId, row)),
  );
  return events.map((numbered, n) => ({ numbered, chars: newest[n]?.data.length ?? 0 }));
}

/** An event as its row has it: the result of a turn that is done stands in the turn. */
export function withoutResult(event: TurnEvent): object {
  return event.type === "result" ? { type: event.type } : event;
}

async function withResult(db: Db, turnId: string, events: NumberedEvent[]): Promise<NumberedEvent[]> {
  const isWithout = ({ event }: NumberedEvent): boolean => event.type === "result" && !("result" in event);
  if (!events.some(isWithout)) return events;
  const turn = await db.selectFrom("turns").select("result").where("id", "=", turnId).executeTakeFirst();
  if (turn?.result == null) return events.filter((one) => !isWithout(one));
  const event: TurnEvent = { type: "result", result: readResult(turn.result) };
  return events.map((one) => (isWithout(one) ? { ...one, event } : one));
}

function toNumbered(turnId: string, { seq, data }: { seq: number; data: string }): NumberedEvent {
  return { turnId, seq, event: JSON.parse(data) as TurnEvent };
}

/** Whether people are told more by it than how far the turn is. */
export function isAnswer({ type }: TurnEvent): boolean {
  return type !== "status" && type !== "progress";
}

/** What a commit of this process brought; without a state that is as it was. */
export interface TurnNews {
  state?: TurnState;
  events: readonly WrittenEvent[];
}

/** What is told of a turn: news, why it cannot go on for now, or the number of an event that another replica wrote. */
export type TurnTold = TurnNews | Error | number;

/** Tells who follows a turn, or waits for its events, what there is. The store has all of it. */
export interface TurnSignals {
  /** How often who waits looks for themselves, in milliseconds; 0: never, as nobody else writes. */
  readonly pollMs: number;
  notify(turnId: string, news: TurnNews): void;
  /** Tells who waits at this moment that the turn cannot go on for now, and why. */
  stall(turnId: string, why: Error): void;
  /** Another replica has written the event. */
  heard(turnId: string, seq: number): void;
  onTold(listener: (turnId: string, told: TurnTold) => void): void;
  /** Calls `hear` with what is told of that turn, until what it gives back is called. */
  watch(turnId: string, hear: (told: TurnTold) => void): () => void;
  /** Resolves at the next notification of that turn, or when the signal aborts; to why it stalls. */
  wait(turnId: string, signal: AbortSignal): Promise<Error | undefined>;
}

/**
 * Signals within this process. `pollMs` above 0 ends every wait after that time: with replicas the
 * event may have been written by another.
 */
export function createTurnSignals(pollMs: number): TurnSignals {
  const waiters = new Map<string, Set<(why?: Error) => void>>();
  const listeners: ((turnId: string, told: TurnTold) => void)[] = [];
  const watching = new Map<string, Set<(told: TurnTold) => void>>();

  function wakeAll(turnId: string, why?: Error): void {
    const set = waiters.get(turnId);
    waiters.delete(turnId);
    for (const wake of set ?? []) wake(why);
  }

  function tell(turnId: string, told: TurnTold): void {
    for (const listener of listeners) listener(turnId, told);
    for (const hear of watching.get(turnId) ?? []) hear(told);
    wakeAll(turnId, told instanceof Error ? told : undefined);
  }

  return {
    pollMs,
    notify: tell,
    stall: tell,
    heard: tell,
    onTold: (listener) => void listeners.push(listener),
    watch(turnId, hear) {
      const set = watching.get(turnId) ?? new Set();
      watching.set(turnId, set.add(hear));
      return () => {
        set.delete(hear);
        if (set.size === 0) watching.delete(turnId);
      };
    },
    wait: (turnId, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve(undefined);
          return;
        }
        const set = waiters.get(turnId) ?? new Set();
        waiters.set(turnId, set);
        const timer = pollMs > 0 ? setTimeout(() => wake(), pollMs) : undefined;
        const wake = (why?: Error): void => {
          clearTimeout(timer);
          set.delete(wake);
          if (set.size === 0 && waiters.get(turnId) === set) waiters.delete(turnId);
          signal.removeEventListener("abort", leave);
          resolve(why);
        };
        const leave = (): void => wake();
        set.add(wake);
        signal.addEventListener("abort", leave, { once: true });
      }),
  };
}
