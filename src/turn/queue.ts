/** Runs turns: one at a time within a conversation, conversations side by side. */
export interface TurnQueue {
  /** Adding a turn that waits already changes nothing. */
  add(turn: { turnId: string; conversationId: string }): void;
  /** Takes no more work and resolves when what runs has ended. */
  drain(): Promise<void>;
}

/** How many turns run at once in one process; the rest waits in order. */
const PARALLEL_TURNS = 32;

/**
 * The embedded queue. The turns table is the durable record: this only orders what is ready, so
 * nothing is lost with the process. `run` must not reject.
 */
export function createTurnQueue(run: (turnId: string) => Promise<void>): TurnQueue {
  const waiting = new Map<string, string[]>();
  const busy = new Set<string>();
  const idle = new Set<() => void>();
  let draining = false;

  function pump(): void {
    if (draining) return;
    for (const [conversationId, turns] of waiting) {
      if (busy.size >= PARALLEL_TURNS) return;
      if (busy.has(conversationId)) continue;
      const turnId = turns.shift();
      if (turns.length === 0) waiting.delete(conversationId);
      if (turnId !== undefined) start(conversationId, turnId);
    }
  }

  function start(conversationId: string, turnId: string): void {
    busy.add(conversationId);
    void run(turnId).finally(() => {
      busy.delete(conversationId);
      if (busy.size === 0) for (const wake of idle) wake();
      pump();
    });
  }

  return {
    add({ turnId, conversationId }) {
      const turns = waiting.get(conversationId) ?? [];
      if (!turns.includes(turnId)) waiting.set(conversationId, [...turns, turnId]);
      pump();
    },
    async drain() {
      draining = true;
      if (busy.size > 0) await new Promise<void>((resolve) => idle.add(resolve));
    },
  };
}
