import { setImmediate as nextRound } from "node:timers/promises";

import type { Core } from "#contract/core.ts";
import type { NumberedEvent, TurnState } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import type { Db } from "../store/schema.ts";
import { readEvents, readNewest, type TurnSignals, type TurnTold, type WrittenEvent } from "./events.ts";
import { isFinal } from "./rows.ts";

/** The newest events of a followed turn are kept for followers who are up to date. */
const TAIL_EVENTS = 64;
const TAIL_CHARS = 1_000_000;
/** Followers who are further behind read pages of this many events, at their own pace. */
const PAGE = 32;

/** How long followers are served until other work has its turn, in milliseconds; a request may wait for several. */
const SLICE_MS = 3;
const MOST_AT_ONCE = 128;

/** Turns that were accepted here and that nobody has followed yet are kept ready for so many. */
const MOST_TURNS = 200;

/**
 * `Core.events`: one record of each followed turn, however many follow it. What this process writes is told to it,
 * and it reads only what it cannot know: what came before, and what another replica wrote. It keeps the newest
 * events, and tells the followers, some at a time. Nobody waits for a slow one. Rejects with why the turn cannot
 * go on, when the store does not take it.
 */
export function followEvents(parts: { db: Db; signals: TurnSignals }): Core["events"] {
  const followed = new Map<string, FollowedTurn>();

  function join(turnId: string): FollowedTurn {
    const known = followed.get(turnId);
    if (known !== undefined && known.failure === undefined) return known;
    const turn = new FollowedTurn(parts, turnId);
    followed.set(turnId, turn);
    return turn;
  }

  function leave(turnId: string, turn: FollowedTurn): void {
    turn.end();
    if (followed.get(turnId) === turn) followed.delete(turnId);
  }

  parts.signals.onTold((turnId, told) => {
    let turn = followed.get(turnId);
    const isNews = typeof told === "object" && "events" in told;
    if (turn === undefined && isNews && told.events[0]?.numbered.seq === 1) {
      turn = new FollowedTurn(parts, turnId, true);
      followed.set(turnId, turn);
      for (const one of followed) {
        if (followed.size <= MOST_TURNS) break;
        if (one[1].followers === 0 && one[1] !== turn) leave(...one);
      }
    }
    turn?.take(told);
    // Whoever comes later reads it.
    if (turn?.followers === 0 && (!isNews || isFinal(turn.state))) leave(turnId, turn);
  });

  return async function* follow(turnId, { after = 0, signal }): AsyncGenerator<NumberedEvent> {
    if (signal.aborted) return;
    const turn = join(turnId);
    turn.followers += 1;
    let at = after;
    /** Whether the last event that was given is a result or an error. */
    let isClosed = false;
    let hasLookedSince = false;
    try {
      // What is known already is good enough to begin with: news since then is told as a change.
      await (turn.isOver(1) ? turn.enter(signal) : turn.look(signal));
      while (!signal.aborted) {
        if (turn.failure !== undefined) throw turn.failure.error;
        if (at < turn.newest) {
          const next = turn.next(at);
          const events = next === undefined ? await readEvents(parts.db, turnId, at, { most: PAGE }) : [next];
          if (events.length === 0) at = turn.dropped;
          for (const numbered of events) {
            if (signal.aborted) return;
            at = numbered.seq;
            isClosed = numbered.event.type === "result" || numbered.event.type === "error";
            hasLookedSince = false;
            yield numbered;
          }
        } else if (isFinal(turn.state)) return;
        else if (isClosed && !hasLookedSince) {
          // A result is the last only when nothing goes on after it: an approval may have continued the turn.
          hasLookedSince = true;
          await turn.look(signal);
        } else if (isClosed && turn.state !== "queued" && turn.state !== "running") return;
        else await woken(turn.forChange, signal);
      }
    } finally {
      turn.followers -= 1;
      // Who decides follows it again.
      if (turn.followers === 0 && turn.state !== "pending_confirmation") leave(turnId, turn);
    }
  };
}

/** What is known of a turn as long as somebody follows it. */
class FollowedTurn {
  followers = 0;
  /** As of the last look: first the state was read, then the events. */
  state: TurnState = "queued";
  newest = 0;
  /** Events up to this one are not kept. */
  dropped = 0;
  failure: { error: unknown } | undefined;
  readonly forChange: Set<() => void> = new Set();
  /** Looks that have begun, and those of them that are over. */
  #begun = 0;
  #over = 0;
  /** The number of the look that somebody waits for. */
  #wanted = 1;
  /** How often it was told something. */
  #told = 0;
  /** Followers are to be told. */
  #isNews = false;
  #stalled: Error | undefined;
  /** The newest events, each with how long it is as JSON. */
  readonly #tail: WrittenEvent[] = [];
  readonly #parts: { db: Db; signals: TurnSignals };
  readonly #turnId: string;
  #isEnded = false;
  #wake = (): void => undefined;
  readonly #forLook = new Set<() => void>();

  /** `isNew`: all that there is of it is told from now on. */
  constructor(parts: { db: Db; signals: TurnSignals }, turnId: string, isNew = false) {
    this.#parts = parts;
    this.#turnId = turnId;
    if (isNew) this.#begun = this.#over = 1;
    // A failure is told to everybody who follows.
    void this.#read();
  }

  /** Takes what was told, as far as it goes on from what is known. */
  take(told: TurnTold): void {
    this.#told += 1;
    if (told instanceof Error) this.#stalled = told;
    else if (typeof told === "number") {
      if (told > this.newest) this.#wantLook();
    } else if (this.#over === 0 || (told.events[0]?.numbered.seq ?? 0) > this.newest + 1) this.#wantLook();
    else {
      // Nothing comes after a final state.
      if (!isFinal(this.state)) this.state = told.state ?? this.state;
      this.#keep(told.events);
      this.#isNews = true;
    }
    this.#wake();
  }

  /** The first kept event after this one; undefined where what comes next is not kept any more. */
  next(seq: number): NumberedEvent | undefined {
    if (seq < this.dropped) return undefined;
    let at = this.#tail.length;
    while (at > 0 && (this.#tail[at - 1]?.numbered.seq ?? 0) > seq) at -= 1;
    return this.#tail[at]?.numbered;
  }

  #wantLook(): void {
    this.#wanted = this.#begun + 1;
  }

  /**
   * Resolves once a look is over that began after this call, or when the signal aborts. Where nobody else writes,
   * there is nothing to look for that was not told.
   */
  async look(signal: AbortSignal): Promise<void> {
    if (this.#parts.signals.pollMs === 0 && this.isOver(1)) return;
    this.#wantLook();
    const wanted = this.#wanted;
    this.#wake();
    while (!signal.aborted && !this.isOver(wanted)) await woken(this.#forLook, signal);
  }

  /** Those who come at the same moment are served some at a time. */
  async enter(signal: AbortSignal): Promise<void> {
    const entered = woken(this.#forLook, signal);
    this.#wake();
    await entered;
  }

  isOver(look: number): boolean {
    return this.#over >= look || this.failure !== undefined;
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async #read(): Promise<void> {
    try {
      // Followers who join in the same moment share the first look.
      await nextRound();
      while (!this.#isEnded) {
        if (this.#stalled !== undefined) throw this.#stalled;
        if (this.#wanted > this.#over) {
          if (await this.#look()) this.#isNews = true;
          await tell(this.#forLook);
        } else if (this.#forLook.size > 0) await tell(this.#forLook);
        else if (this.#isNews) {
          this.#isNews = false;
          await tell(this.forChange);
        } else await this.#rest();
      }
    } catch (error) {
      this.failure = { error };
      await tell(this.#forLook);
      await tell(this.forChange);
    }
  }

  /** Until it is told something, or looks for itself. */
  async #rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      this.#wantLook();
      resolve();
    };
    const { pollMs } = this.#parts.signals;
    // Nothing comes after a final state.
    const timer =
      pollMs > 0 && this.followers > 0 && !isFinal(this.state) ? setTimeout(look, pollMs) : undefined;
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** Reads what is new; whether anything is. */
  async #look(): Promise<boolean> {
    this.#begun += 1;
    const look = this.#begun;
    const { db } = this.#parts;
    for (;;) {
      const told = this.#told;
      const turn = await db
        .selectFrom("turns")
        .select(["state", "event_count"])
        .where("id", "=", this.#turnId)
        .executeTakeFirst();
      if (turn === undefined) throw new CountersignError("not_found", `There is no turn ${this.#turnId}.`);
      const events =
        turn.event_count > this.newest ? await readNewest(db, this.#turnId, this.newest, TAIL_EVENTS) : [];
      // What was told meanwhile may be newer than what was read.
      if (this.#told !== told) continue;
      const state = turn.state as TurnState;
      const isNews = events.length > 0 || state !== this.state;
      this.state = state;
      const [first] = events;
      // There are more than are kept: the tail begins anew.
      if (first !== undefined && events.length === TAIL_EVENTS)
        this.#forget(this.#tail.length, first.numbered.seq - 1);
      this.#keep(events);
      this.#over = look;
      return isNews;
    }
  }

  #keep(events: readonly WrittenEvent[]): void {
    this.#tail.push(...events.filter(({ numbered }) => numbered.seq > this.newest));
    this.newest = this.#tail.at(-1)?.numbered.seq ?? this.newest;
    this.#trim();
  }

  /** The newest event always stays: many may wait for it. */
  #trim(): void {
    let chars = this.#tail.reduce((sum, one) => sum + one.chars, 0);
    let many = 0;
    for (const { chars: own } of this.#tail.slice(0, -1)) {
      if (this.#tail.length - many <= TAIL_EVENTS && chars <= TAIL_CHARS) break;
      chars -= own;
      many += 1;
    }
    if (many > 0) this.#forget(many, this.#tail[many - 1]?.numbered.seq ?? 0);
  }

  #forget(many: number, upTo: number): void {
    this.#tail.splice(0, many);
    this.dropped = upTo;
  }
}

/** Resolves at the next wake of those who wait, or when the signal aborts. */
function woken(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    return signal.addEventListener("abort", wake);
  });
}

/** Wakes all who wait now, some at a time: what they do comes before the next ones and other work between. */
async function tell(waiting: Set<() => void>): Promise<void> {
  const all = [...waiting];
  waiting.clear();
  let many = 16;
  for (let at = 0; at < all.length;) {
    const begun = performance.now();
    for (const wake of all.slice(at, at + many)) wake();
    at += many;
    await nextRound();
    const isSlow = performance.now() - begun > SLICE_MS;
    many = isSlow ? Math.max(1, many >> 1) : Math.min(MOST_AT_ONCE, many << 1);
  }
}
