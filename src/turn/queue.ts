import { sleep } from "../base/time.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import type { Tx } from "../store/schema.ts";

/**
 * Runs turns: one at a time within a conversation, in the order they became ready; conversations side
 * by side. What is ready is durable, so nothing is lost with the process.
 */
export interface TurnQueue {
  /** Makes the turn ready within the transaction that records it. */
  enqueue(tx: Tx, turn: ReadyTurn): Promise<void>;
  /** Tells of a turn whose transaction is committed. Calling it twice, or not at all, loses nothing. */
  wake(turn: ReadyTurn): void;
  /**
   * Begins to run turns, also those that an earlier process left; resolves to how many of these are
   * known to wait. A run that rejects is tried again later.
   */
  start(run: (turnId: string, signal?: AbortSignal) => Promise<void>): Promise<number>;
  /** Takes no more work and resolves when what runs has ended. */
  drain(): Promise<void>;
}

export interface EmbeddedQueueOptions {
  /** Turns that are ready or were running, in order: the turns table is the durable record. */
  unfinished: () => Promise<ReadyTurn[]>;
  /** How long a turn waits whose run was rejected, in milliseconds. */
  retryMs: number;
}

/** How many turns run at once in one process; the rest waits in order. */
const PARALLEL_TURNS = 32;

/** The queue of a single process over the turns table. */
export function createEmbeddedQueue(options: EmbeddedQueueOptions): TurnQueue {
  const waiting = new Map<string, string[]>();
  const busy = new Set<string>();
  const draining = new AbortController();
  const idle = Promise.withResolvers<void>();
  let run: ((turnId: string) => Promise<void>) | undefined;

  function pump(): void {
    if (draining.signal.aborted || run === undefined) return;
    for (const [conversationId, turns] of waiting) {
      if (busy.size >= PARALLEL_TURNS) return;
      if (busy.has(conversationId)) continue;
      const turnId = turns.shift();
      if (turns.length === 0) waiting.delete(conversationId);
      if (turnId !== undefined) void work({ turnId, conversationId }, run);
    }
  }

  async function work(turn: ReadyTurn, runTurn: (turnId: string) => Promise<void>): Promise<void> {
    busy.add(turn.conversationId);
    try {
      await runTurn(turn.turnId);
    } catch {
      await sleep(options.retryMs, draining.signal);
      // Before the others of its conversation: their order is the order of acceptance.
      waiting.set(turn.conversationId, [turn.turnId, ...(waiting.get(turn.conversationId) ?? [])]);
    }
    busy.delete(turn.conversationId);
    if (busy.size === 0 && draining.signal.aborted) idle.resolve();
    pump();
  }

  function add({ turnId, conversationId }: ReadyTurn): void {
    const turns = waiting.get(conversationId) ?? [];
    if (!turns.includes(turnId)) waiting.set(conversationId, [...turns, turnId]);
    pump();
  }

  return {
    enqueue: () => Promise.resolve(),
    wake: add,
    async start(runTurn) {
      const left = await options.unfinished();
      for (const turn of left) add(turn);
      run = runTurn;
      pump();
      return left.length;
    },
    async drain() {
      draining.abort();
      if (busy.size > 0) await idle.promise;
    },
  };
}
