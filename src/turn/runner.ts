import type { ActorId } from "#contract/actor.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import type { Db } from "../store/schema.ts";
import { appendEvent } from "./events.ts";
import type { Journal } from "./journal.ts";
import type { StopReason } from "./orchestrator.ts";
import { createTurnQueue } from "./queue.ts";
import { isFinal } from "./rows.ts";

export interface RunnerOptions {
  db: Db;
  journal: Journal;
  run: (turnId: string, signal: AbortSignal) => Promise<void>;
  now: () => number;
  log: { warn: (data: object, message: string) => void };
  /** How long a turn that the store refused waits before it is tried again, in milliseconds. */
  retryMs: number;
}

/** Owns the turns that run in this process. */
export interface Runner {
  add(turn: { turnId: string; conversationId: string }): void;
  /** Takes up what an earlier process left unfinished; resolves to how many turns that is. */
  recover(): Promise<number>;
  stop(turnId: string, actor: ActorId): Promise<{ stopped: boolean; message: string }>;
  /** Lets running turns end within `graceMs`, then cuts them short; the next process goes on with them. */
  close(graceMs: number): Promise<void>;
}

export function createRunner(options: RunnerOptions): Runner {
  const { db, journal, now, log } = options;
  const running = new Map<string, AbortController>();
  const retries = new Set<NodeJS.Timeout>();

  const queue = createTurnQueue(async (turnId) => {
    const controller = new AbortController();
    running.set(turnId, controller);
    try {
      await options.run(turnId, controller.signal);
    } catch (error) {
      // The store could not take what the turn had to record: it is still queued or running there.
      log.warn({ turn: turnId, error: messageOf(error) }, "turn could not be recorded, will be tried again");
      const turn = await journal.turn(turnId).catch(() => undefined);
      retryLater({ turnId, conversationId: turn?.conversationId ?? turnId });
    } finally {
      running.delete(turnId);
    }
  });

  function retryLater(turn: { turnId: string; conversationId: string }): void {
    const timer = setTimeout(() => {
      retries.delete(timer);
      queue.add(turn);
    }, options.retryMs);
    retries.add(timer);
  }

  /** Ends a turn that has not begun; false when a run has it. */
  async function stopQueued(turnId: string, actor: ActorId, message: string): Promise<boolean> {
    return db.transaction().execute(async (tx) => {
      const result = await tx
        .updateTable("turns")
        .set({ state: "stopped", stopped_by: actor, updated_at: now(), error: JSON.stringify({ code: "stopped", message }) })
        .where("id", "=", turnId)
        .where("state", "=", "queued")
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return false;
      await appendEvent(tx, turnId, { type: "error", code: "stopped", message }, now());
      return true;
    });
  }

  return {
    add: (turn) => queue.add(turn),

    async recover() {
      const turns = await journal.unfinished();
      for (const turn of turns) queue.add(turn);
      return turns.length;
    },

    async stop(turnId, actor) {
      const turn = await journal.turn(turnId);
      if (turn === undefined) throw new CountersignError("not_found", `There is no turn ${turnId}.`);
      if (isFinal(turn.state)) return { stopped: false, message: "This turn has already ended." };
      if (turn.state === "pending_confirmation") {
        return { stopped: false, message: "This turn waits for a decision and runs nothing: deny the request instead." };
      }
      const message = `Stopped by ${actor.slice(actor.indexOf(":") + 1)}.`;
      const controller = running.get(turnId);
      if (controller !== undefined) {
        await db.updateTable("turns").set({ stopped_by: actor }).where("id", "=", turnId).execute();
        controller.abort({ by: actor } satisfies StopReason);
        return { stopped: true, message };
      }
      return (await stopQueued(turnId, actor, message))
        ? { stopped: true, message }
        : { stopped: false, message: "This turn has already ended." };
    },

    async close(graceMs) {
      for (const timer of retries) clearTimeout(timer);
      const drained = queue.drain();
      const timer = setTimeout(() => {
        for (const controller of running.values()) controller.abort("shutdown" satisfies StopReason);
      }, graceMs);
      await drained;
      clearTimeout(timer);
    },
  };
}
