import { hash } from "node:crypto";

import type { MessagePort, MessageRef } from "#contract/present.ts";

import { codeOf, messageOf } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { backOff, sleep } from "../base/time.ts";
import { isAnswer, type TurnSignals, type TurnTold } from "../turn/events.ts";
import type { MessageRecord, Messages } from "./messages.ts";
import type { Snapshot } from "./snapshot.ts";

export interface LiveMessageDeps {
  port: MessagePort;
  messages: Messages;
  read: (turnId: string, before: Snapshot | undefined) => Promise<Snapshot>;
  /** The newest event of a turn, or the newest that is more than a status; cheap questions. */
  newest: (turnId: string, of: "all" | "answers") => Promise<number>;
  signals: Pick<TurnSignals, "watch" | "pollMs">;
  now: () => number;
  failPoint: FailPoint;
  log: { warn: (data: object, message: string) => void };
  pace: Pace;
  /** Told of events that were shown together with a later one; must not throw. */
  onCoalesced: (events: number) => void;
}

/** All in milliseconds. */
export interface Pace {
  /** The shortest pause between two edits of a turn that goes on. */
  minEditMs: number;
  /** How often the message of a turn that runs is edited at least, so that its elapsed time moves. */
  refreshMs: number;
  retry: { minMs: number; maxMs: number };
  /** After so long without success, what a platform keeps refusing is given up. */
  giveUpMs: number;
}

export interface LiveMessageOptions {
  record: MessageRecord;
  leasedUntil: number;
  /** It was just accepted: nobody can have posted it, and this is what there is to show. */
  first?: Snapshot;
  /** Waits for its turn to call the platform, as long as no call for this message has succeeded. */
  gate: <Result>(call: () => Promise<Result>) => Promise<Result>;
}

/** A message that this worker holds, until all there is to show is shown. */
export interface LiveMessage {
  /** Something about the turn changed that its events may not tell. */
  wake(): void;
  /** The lease was prolonged. */
  renewed(until: number): void;
  /** Ends after the call that is under way, without letting the message go. */
  end(): void;
  /** Resolves when the first call was tried, or none was needed. */
  readonly tried: Promise<void>;
  /** Resolves to whether something changed that was not looked at any more. */
  readonly ended: Promise<boolean>;
}

/**
 * Shows a turn in its message: one call at a time, each with all that is known when it begins, so that
 * whatever happened meanwhile costs one edit. What the platform refuses is tried again.
 */
export function createLiveMessage(deps: LiveMessageDeps, options: LiveMessageOptions): LiveMessage {
  const { port, messages, pace, log } = deps;
  const { turnId, place } = options.record;
  const over = new AbortController();
  const tried = Promise.withResolvers<void>();
  let { leasedUntil } = options;
  let gate: typeof options.gate | undefined = options.gate;
  let ref: MessageRef | undefined = options.record.ref;
  let isRefRecorded = true;
  // Another process, or a call without an answer, may have posted it.
  let mayBePosted = options.first === undefined && ref === undefined;
  // The first view is at hand; reading it again would only delay the post.
  let prepared = options.first;
  let seen = options.first;
  let shownKey: string | undefined;
  let shownSeq = options.record.shown?.seq ?? 0;
  let lastCall = options.first === undefined ? -Infinity : performance.now();
  let failures = 0;
  let failingSince = 0;
  let isWoken = false;
  let waiting: (() => void) | undefined;

  function wake(): void {
    isWoken = true;
    waiting?.();
  }

  async function run(): Promise<boolean> {
    while (!over.signal.aborted) {
      try {
        if (await advance()) break;
      } catch (error) {
        if (await isGivenUp(error)) break;
      }
    }
    tried.resolve();
    return isWoken;
  }

  /** One look and what follows from it; true when there is nothing more to do. */
  async function advance(): Promise<boolean> {
    if (!isRefRecorded) await recordRef();
    if (over.signal.aborted) return true;
    isWoken = false;
    const now = prepared ?? (await deps.read(turnId, seen));
    prepared = undefined;
    seen = now;
    const { view } = now;
    if (!isNews(now)) {
      failures = 0;
      tried.resolve();
      if (view.isSettled) return letGo(now);
      await untilChanged(now.seq, untilRefresh(now), "all");
      return false;
    }
    // A person who is asked something does not wait for others' answers.
    const isUrgent = view.isSettled || (ref === undefined && (view.questions ?? []).length > 0);
    const rest = isUrgent ? 0 : untilAllowed();
    if (rest > 0) {
      await untilChanged(now.seq, Math.min(rest, RECHECK_MS), "answers");
      return false;
    }
    if (!(await holdsLease())) return true;
    let isShownNow = false;
    try {
      isShownNow = await (gate === undefined ? show(now) : gate(() => show(now)));
      gate = undefined;
    } finally {
      lastCall = performance.now();
    }
    tried.resolve();
    failures = 0;
    if (isShownNow && view.isSettled && !isWoken) return letGo(now);
    if (!isRefRecorded) await recordRef();
    return false;
  }

  function isNews(now: Snapshot): boolean {
    if (ref === undefined) return true;
    if (shownKey !== undefined) return keyOf(now) !== shownKey || untilRefresh(now) <= 0;
    const { shown } = options.record;
    return !now.view.isSettled || shown?.seq !== now.seq || shown.approvals !== now.approvals;
  }

  /** False when it is not called for any more. */
  async function show(now: Snapshot): Promise<boolean> {
    if (over.signal.aborted) return false;
    if (ref === undefined && mayBePosted) {
      ref = await port.find(place, turnId);
      mayBePosted = false;
      if (ref !== undefined) {
        isRefRecorded = false;
        await recordRef();
        if (over.signal.aborted) return false;
      }
    }
    if (ref === undefined) {
      await post(now);
    } else {
      await port.edit(ref, now.view);
    }
    shownKey = keyOf(now);
    if (now.seq > shownSeq + 1) deps.onCoalesced(now.seq - shownSeq - 1);
    shownSeq = now.seq;
    return true;
  }

  async function post(now: Snapshot): Promise<void> {
    mayBePosted = true;
    try {
      ref = await port.post(place, now.view);
    } catch (error) {
      const refusal = toRefusal(error);
      // Refused for certain: there is nothing to look for.
      if (refusal.retryAfterMs !== undefined || refusal.kind === "place_gone") mayBePosted = false;
      throw error;
    }
    deps.failPoint("present.posted");
    mayBePosted = false;
    isRefRecorded = false;
  }

  async function recordRef(): Promise<void> {
    if (ref === undefined) return;
    const isHeld = await messages.recordRef(turnId, ref);
    isRefRecorded = true;
    if (isHeld) return;
    // Another process has it, or it was let go by a write that seemed to fail: whoever looks next compares.
    isWoken = true;
    end();
  }

  async function letGo(now: Snapshot): Promise<boolean> {
    const state = now.isFinal ? "final" : "settled";
    await messages.letGo(turnId, { ref, seq: now.seq, approvals: now.approvals, state });
    return true;
  }

  /** Waits before the next try; true when there will be none. */
  async function isGivenUp(failure: unknown): Promise<boolean> {
    tried.resolve();
    const refusal = toRefusal(failure);
    failures += 1;
    if (failures === 1) failingSince = deps.now();
    const about = { turn: turnId, error: messageOf(failure), failures };
    if (refusal.kind === "message_gone") {
      ref = undefined;
      mayBePosted = false;
      shownKey = undefined;
      if (failures === 1) return false;
    }
    if (refusal.kind === "place_gone" || deps.now() - failingSince > pace.giveUpMs) {
      log.warn(about, "the turn cannot be shown where it was asked, given up");
      const shown = { ref, seq: seen?.seq ?? 0, approvals: null, state: "undeliverable" as const };
      await messages.letGo(turnId, shown).catch(() => undefined);
      return true;
    }
    if (failures === 1 || failures % 10 === 0)
      log.warn(about, "the turn could not be shown, will be tried again");
    const delay = Math.max(backOff(failures, pace.retry), refusal.retryAfterMs ?? 0);
    await sleep(delay, over.signal);
    return false;
  }

  async function holdsLease(): Promise<boolean> {
    if (deps.now() < leasedUntil) return true;
    return (await messages.renew([turnId])).has(turnId);
  }

  /** Until the turn has newer events than `seq`, something else woke the message, or `ms` passed. */
  async function untilChanged(seq: number, ms: number, of: "all" | "answers"): Promise<void> {
    if (isWoken || over.signal.aborted) return;
    const { promise, resolve: end, reject } = Promise.withResolvers<void>();
    const looks = { wanted: false, isLooking: false };
    const look = async (): Promise<void> => {
      looks.wanted = true;
      if (looks.isLooking) return;
      looks.isLooking = true;
      for (; looks.wanted; looks.isLooking = looks.wanted) {
        looks.wanted = false;
        if ((await deps.newest(turnId, of)) > seq) end();
      }
    };
    const begin = (): void => void look().catch(reject);
    const hear = (told: TurnTold): void => {
      // What this process wrote it is told whole.
      if (typeof told !== "object" || !("events" in told)) begin();
      else if (
        told.events.some(({ numbered }) => numbered.seq > seq && (of === "all" || isAnswer(numbered.event)))
      )
        end();
    };
    waiting = end;
    const leave = deps.signals.watch(turnId, hear);
    const timer = setTimeout(end, ms);
    const { pollMs } = deps.signals;
    const poll = pollMs > 0 ? setInterval(begin, pollMs) : undefined;
    try {
      // For what came before this began to listen.
      begin();
      await promise;
    } finally {
      leave();
      clearTimeout(timer);
      clearInterval(poll);
      waiting = undefined;
    }
  }

  function untilAllowed(): number {
    const least = ref === undefined ? port.statusDelayMs(place) : pace.minEditMs;
    return lastCall + least - performance.now();
  }

  function untilRefresh({ view }: Snapshot): number {
    if (view.isSettled || view.phase === "queued") return LONG_MS;
    return lastCall + pace.refreshMs - performance.now();
  }

  function end(): void {
    over.abort();
    waiting?.();
  }

  return {
    wake,
    renewed: (until) => {
      leasedUntil = until;
    },
    end,
    tried: tried.promise,
    ended: run(),
  };
}

/** How often it is looked whether a platform that was short of room has some. */
const RECHECK_MS = 2_000;

/** A turn in the queue is looked at again by then, whatever happens. */
const LONG_MS = 60_000;

/** What a message shows, but for the time that passes while the turn runs. */
function keyOf({ view }: Snapshot): string {
  return hash("sha256", JSON.stringify({ ...view, elapsedMs: view.isSettled ? view.elapsedMs : 0 }));
}

/** Why a platform did not take a message, as far as its adapter says. */
interface Refusal {
  /**
   * `later`: try again. `message_gone`: somebody deleted the message; there is none now. `place_gone`:
   * the bot cannot post there any more.
   */
  kind: "later" | "message_gone" | "place_gone";
  /** The platform named a time (429); it certainly did nothing. */
  retryAfterMs?: number;
}

/** Reads `retryAfterMs` and the codes `message_gone` and `place_gone` off what a port rejected with. */
export function toRefusal(error: unknown): Refusal {
  const code = codeOf(error);
  if (code === "message_gone" || code === "place_gone") return { kind: code };
  if (typeof error === "object" && error !== null && "retryAfterMs" in error) {
    const { retryAfterMs } = error;
    if (typeof retryAfterMs === "number" && retryAfterMs >= 0) return { kind: "later", retryAfterMs };
  }
  return { kind: "later" };
}
