import { createShares } from "../base/shares.ts";
import { sleep } from "../base/time.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import type { Tx } from "../store/schema.ts";

/** How a queue holds a turn while it runs. */
export interface Hold {
  /** Aborts when another replica has the turn. */
  lost: AbortSignal;
  /** Lets the turn go in the transaction that ends it; what it gives back is to be called once that is committed. */
  letGo: (tx: Tx) => Promise<() => void>;
}

/**
 * Runs turns: one at a time within a conversation, in the order they became ready; conversations side
 * by side. Where more are ready than can run, whoever has least goes first, so that a burst of some holds nobody
 * else up. What is ready is durable, so nothing is lost with the process.
 */
export interface TurnQueue {
  /** Makes the turn ready within the transaction that records it. */
  enqueue(tx: Tx, turn: ReadyTurn): Promise<void>;
  /** Tells of a turn whose transaction is committed. Calling it twice, or not at all, loses nothing. */
  wake(turn: ReadyTurn): void;
  /**
   * Begins to run turns, also those that an earlier process left; resolves to how many of these are
   * known to wait. A run that rejects is tried again later. What a run that resolves has not let go, the queue does.
   */
  start(run: (turnId: string, hold?: Hold) => Promise<void>): Promise<number>;
  /** Takes no more work and resolves when what runs has ended. */
  drain(): Promise<void>;
}

export interface EmbeddedQueueOptions {
  /** Turns that are ready or were running, in order: the turns table is the durable record. */
  unfinished: () => Promise<ReadyTurn[]>;
  /** How long a turn waits whose run was rejected, in milliseconds. */
  retryMs: number;
  now: () => number;
}

/** How many turns run at once in one process; the rest waits its turn. */
const PARALLEL_TURNS = 32;

/** The queue of a single process over the turns table. */
export function createEmbeddedQueue(options: EmbeddedQueueOptions): TurnQueue {
  const waiting = new Map<string, ReadyTurn[]>();
  const busy = new Map<string, ReadyTurn>();
  const shares = createShares();
  const draining = new AbortController();
  const idle = Promise.withResolvers<void>();
  let run: ((turnId: string) => Promise<void>) | undefined;

  function pump(): void {
    if (draining.signal.aborted || run === undefined) return;
    while (busy.size < PARALLEL_TURNS) {
      const turn = takeNext();
      if (turn === undefined) return;
      void work(turn, run);
    }
  }

  /** Of the oldest of each conversation in which nothing runs the one whose person has least. */
  function takeNext(): ReadyTurn | undefined {
    let next: ReadyTurn | undefined;
    for (const [conversationId, [first]] of waiting) {
      if (first === undefined || busy.has(conversationId)) continue;
      if (next === undefined || shares.isBefore(first.of, next.of)) next = first;
    }
    if (next === undefined) return undefined;
    const [, ...rest] = waiting.get(next.conversationId) ?? [];
    if (rest.length === 0) waiting.delete(next.conversationId);
    else waiting.set(next.conversationId, rest);
    return next;
  }

  async function work(turn: ReadyTurn, runTurn: (turnId: string) => Promise<void>): Promise<void> {
    busy.set(turn.conversationId, turn);
    shares.began(turn.of);
    try {
      await runTurn(turn.turnId);
    } catch {
      await sleep(options.retryMs, draining.signal);
      // Before the others of its conversation: their order is the order of acceptance.
      waiting.set(turn.conversationId, [turn, ...(waiting.get(turn.conversationId) ?? [])]);
    }
    busy.delete(turn.conversationId);
    shares.ended(turn.of);
    if (busy.size === 0 && draining.signal.aborted) idle.resolve();
    pump();
  }

  function add(turn: ReadyTurn): void {
    const ms = (turn.notBefore ?? 0) - options.now();
    // The rest of its conversation does not wait with it.
    if (ms > 0) void sleep(ms, draining.signal).then(() => put(turn));
    else put(turn);
  }

  function put(turn: ReadyTurn): void {
    const turns = waiting.get(turn.conversationId) ?? [];
    if (!turns.some(({ turnId }) => turnId === turn.turnId))
      waiting.set(turn.conversationId, [...turns, turn]);
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
