import { setImmediate as nextRound } from "node:timers/promises";

import type { Core } from "#contract/core.ts";
import type { NumberedEvent, TurnState } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import type { Db } from "../store/schema.ts";
import { readEvents, readNewest, type TurnSignals } from "./events.ts";
import { isFinal } from "./rows.ts";

/** The newest events of a followed turn are kept for followers who are up to date. */
const TAIL_EVENTS = 64;
const TAIL_CHARS = 1_000_000;
/** Followers who are further behind read pages of this many events, at their own pace. */
const PAGE = 32;

/** How long followers are served until other work has its turn, in milliseconds. */
const SLICE_MS = 8;
const MOST_AT_ONCE = 128;

/**
 * `Core.events`: one reader for each followed turn, however many follow it. It reads when there is a
 * signal, keeps the newest events, and tells the followers, some at a time. Nobody waits for a slow one.
 * Rejects with why the turn cannot go on, when the store does not take it.
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
      if (!turn.isOver(1)) await turn.look(signal);
      while (!signal.aborted) {
        if (turn.failure !== undefined) throw turn.failure.error;
        if (at < turn.newest) {
          const next = turn.next(at);
          const events = next === undefined ? await readEvents(parts.db, turnId, at, PAGE) : [next];
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
      if (turn.followers === 0) {
        turn.end();
        if (followed.get(turnId) === turn) followed.delete(turnId);
      }
    }
  };
}

/** Reads a turn as long as somebody follows it. */
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
  #wanted = 0;
  /** The newest events, each with how long it is as JSON. */
  readonly #tail: { numbered: NumberedEvent; chars: number }[] = [];
  #rest: AbortController | undefined;
  readonly #parts: { db: Db; signals: TurnSignals };
  readonly #turnId: string;
  readonly #ended = new AbortController();
  readonly #forLook = new Set<() => void>();

  constructor(parts: { db: Db; signals: TurnSignals }, turnId: string) {
    this.#parts = parts;
    this.#turnId = turnId;
    // A failure is told to everybody who follows.
    void this.#read();
  }

  /** The first kept event after this one; undefined where what comes next is not kept any more. */
  next(seq: number): NumberedEvent | undefined {
    if (seq < this.dropped) return undefined;
    let at = this.#tail.length;
    while (at > 0 && (this.#tail[at - 1]?.numbered.seq ?? 0) > seq) at -= 1;
    return this.#tail[at]?.numbered;
  }

  /** Resolves once a look is over that began after this call, or when the signal aborts. */
  async look(signal: AbortSignal): Promise<void> {
    const wanted = this.#begun + 1;
    this.#wanted = wanted;
    this.#rest?.abort();
    while (!signal.aborted && !this.isOver(wanted)) await woken(this.#forLook, signal);
  }

  isOver(look: number): boolean {
    return this.#over >= look || this.failure !== undefined;
  }

  end(): void {
    this.#ended.abort();
    this.#rest?.abort();
  }

  async #read(): Promise<void> {
    try {
      // Followers who join in the same moment share the first look.
      await nextRound();
      while (!this.#ended.signal.aborted) {
        this.#rest = new AbortController();
        // Waiting begins before reading, so that an event between the two is not missed.
        let stalled: Error | undefined;
        const changed = this.#parts.signals
          .wait(this.#turnId, this.#rest.signal)
          .then((why) => (stalled = why));
        try {
          const isNews = await this.#look();
          await tell(this.#forLook);
          if (isNews) await tell(this.forChange);
          else if (this.#wanted <= this.#begun)
            // Nothing comes after a final state: there is nothing to poll for.
            await (isFinal(this.state) ? woken(new Set(), this.#rest.signal) : changed);
          if (stalled !== undefined) throw stalled;
        } finally {
          this.#rest.abort();
        }
      }
    } catch (error) {
      this.failure = { error };
      await tell(this.#forLook);
      await tell(this.forChange);
    }
  }

  /** Reads what is new; whether anything is. */
  async #look(): Promise<boolean> {
    this.#begun += 1;
    const { db } = this.#parts;
    const turn = await db
      .selectFrom("turns")
      .select("state")
      .where("id", "=", this.#turnId)
      .executeTakeFirst();
    if (turn === undefined) throw new CountersignError("not_found", `There is no turn ${this.#turnId}.`);
    const state = turn.state as TurnState;
    const events = await readNewest(db, this.#turnId, this.newest, TAIL_EVENTS);
    const isNews = events.length > 0 || state !== this.state;
    this.state = state;
    const [first] = events;
    // There are more than are kept: the tail begins anew.
    if (first !== undefined && events.length === TAIL_EVENTS)
      this.#forget(this.#tail.length, first.numbered.seq - 1);
    this.#tail.push(...events);
    this.newest = events.at(-1)?.numbered.seq ?? this.newest;
    this.#trim();
    this.#over = this.#begun;
    return isNews;
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
