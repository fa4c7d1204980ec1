import type { ActorId } from "#contract/actor.ts";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import { actorName } from "../base/ids.ts";
import { en } from "../base/words/en.ts";
import { closeRequests } from "../ledger/moves.ts";
import type { Transact } from "../ledger/transact.ts";
import type { Db } from "../store/schema.ts";
import { isStoreTrouble } from "../store/store-errors.ts";
import { appendEvent, type TurnSignals } from "./events.ts";
import { forgetCredentials } from "./inbox.ts";
import type { Journal } from "./journal.ts";
import type { RunTurn, StopReason } from "./orchestrator.ts";
import type { Hold, TurnQueue } from "./queue.ts";
import { isFinal } from "./rows.ts";

export interface RunnerOptions {
  db: Db;
  transact: Transact;
  journal: Journal;
  queue: TurnQueue;
  signals: TurnSignals;
  run: RunTurn;
  now: () => number;
  log: { warn: (data: object, message: string) => void };
  /** How often a replica looks for stop requests that came in elsewhere, in milliseconds; 0: never. */
  stopPollMs: number;
}

/** Owns the turns that run in this process. */
export interface Runner {
  /** Begins to run turns; resolves to how many were left unfinished by an earlier process. */
  start(): Promise<number>;
  /** See TurnQueue; what is made ready by these begins as a fresh turn, see Journal.open. */
  enqueue: TurnQueue["enqueue"];
  wake: TurnQueue["wake"];
  stop(turnId: string, actor: ActorId): Promise<{ stopped: boolean; message: string }>;
  /** Lets running turns end within `graceMs`, then cuts them short; the next process goes on with them. */
  close(graceMs: number): Promise<void>;
}

const MOST_FRESH = 1_000;

export function createRunner(options: RunnerOptions): Runner {
  const { db, transact, journal, now, log, queue, signals } = options;
  const running = new Map<string, AbortController>();
  const fresh = new Set<string>();
  let poll: NodeJS.Timeout | undefined;

  async function runTurn(turnId: string, hold?: Hold): Promise<void> {
    const controller = new AbortController();
    running.set(turnId, controller);
    const isFresh = fresh.delete(turnId);
    try {
      const { signal } = controller;
      if (hold === undefined) await options.run(turnId, signal, { isFresh });
      else {
        const { lost, letGo } = hold;
        await options.run(turnId, AbortSignal.any([signal, lost]), { isFresh, letGo });
      }
    } catch (error) {
      // The store could not take what the turn had to record: there it is still queued or running.
      log.warn({ turn: turnId, error: messageOf(error) }, "turn could not be recorded, will be tried again");
      // Those who wait for it hear why, instead of nothing until somebody has mended the store.
      if (isStoreTrouble(error)) signals.stall(turnId, stalledBy(error));
      throw error;
    } finally {
      running.delete(turnId);
    }
    // It goes on elsewhere or after the restart, so the queue must keep it.
    if (controller.signal.reason === "shutdown")
      throw new CountersignError("shutdown", "the process is stopping");
  }

  /** Stops that were asked for on another replica. */
  async function pollStops(): Promise<void> {
    if (running.size === 0) return;
    const rows = await db
      .selectFrom("turns")
      .select(["id", "stopped_by"])
      .where("id", "in", [...running.keys()])
      .where("stopped_by", "is not", null)
      .execute();
    for (const row of rows)
      running.get(row.id)?.abort({ by: row.stopped_by as ActorId } satisfies StopReason);
  }

  /** Ends a turn that has not begun; false when a run has it. */
  async function stopQueued(turnId: string, actor: ActorId, message: string): Promise<boolean> {
    const stopped = await transact(async (tx, note) => {
      const error = JSON.stringify({ code: "stopped", message });
      const result = await tx
        .updateTable("turns")
        .set({ state: "stopped", stopped_by: actor, updated_at: now(), error })
        .where("id", "=", turnId)
        .where("state", "=", "queued")
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return undefined;
      const events = await appendEvent(tx, turnId, { type: "error", code: "stopped", message }, now());
      note({ kind: "turn.stopped", turnId, actor });
      await closeRequests(tx, note, turnId, { at: now(), why: "the turn was stopped" });
      await forgetCredentials(tx, turnId);
      return events;
    });
    if (stopped !== undefined) signals.notify(turnId, { state: "stopped", events: stopped });
    return stopped !== undefined;
  }

  async function stop(turnId: string, actor: ActorId): Promise<{ stopped: boolean; message: string }> {
    const turn = await journal.turn(turnId);
    if (turn === undefined) throw new CountersignError("not_found", `There is no turn ${turnId}.`);
    if (isFinal(turn.state)) return { stopped: false, message: en.recorded.endedAlready() };
    if (turn.state === "pending_confirmation") {
      return {
        stopped: false,
        message: en.recorded.waitsForApproval(),
      };
    }
    const message = en.recorded.stoppedBy(actorName(actor));
    if (turn.state === "queued" && (await stopQueued(turnId, actor, message))) {
      running.get(turnId)?.abort({ by: actor } satisfies StopReason);
      return { stopped: true, message };
    }
    const marked = await db
      .updateTable("turns")
      .set({ stopped_by: actor })
      .where("id", "=", turnId)
      .where("state", "=", "running")
      .executeTakeFirst();
    // It ended, paused or began since it was looked at: what can be said has changed.
    if (marked.numUpdatedRows === 0n) return stop(turnId, actor);
    running.get(turnId)?.abort({ by: actor } satisfies StopReason);
    return { stopped: true, message };
  }

  return {
    async start() {
      if (options.stopPollMs > 0) {
        poll = setInterval(() => void pollStops().catch(() => undefined), options.stopPollMs);
      }
      return queue.start(runTurn);
    },

    enqueue(tx, turn) {
      fresh.add(turn.turnId);
      // Those that another replica ran were never asked for here.
      if (fresh.size > MOST_FRESH) fresh.delete(fresh.values().next().value ?? "");
      return queue.enqueue(tx, turn);
    },

    wake(turn) {
      signals.notify(turn.turnId, { state: "queued", events: [] });
      queue.wake(turn);
    },

    stop,

    async close(graceMs) {
      clearInterval(poll);
      const timer = setTimeout(() => {
        for (const controller of running.values()) controller.abort("shutdown" satisfies StopReason);
      }, graceMs);
      await queue.drain();
      clearTimeout(timer);
    },
  };
}

function stalledBy(error: unknown): CountersignError {
  const message = `I have your message, but cannot work on it right now. I will try again by myself. ${messageOf(error)}`;
  return new CountersignError(codeOf(error) ?? "store_failed", message, { cause: error });
}
