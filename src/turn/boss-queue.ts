import { fromKysely, PgBoss } from "pg-boss";

import type { ReadyTurn } from "../ledger/moves.ts";
import type { TurnQueue } from "./queue.ts";

export interface BossQueueOptions {
  connectionString: string;
  log: { warn: (data: object, message: string) => void };
}

const QUEUE = "turns";

/** Turns that run at once in one replica. */
const PARALLEL_TURNS = 16;

/** A worker that is silent for so long is taken for dead and its turn goes to another replica. */
const HEARTBEAT_SECONDS = 10;

/**
 * A failed job would block its conversation for good; a turn that kills its process is given up by its own
 * count of runs long before this, and one that the store does not take goes on when it does.
 */
const MOST_RETRIES = 1_000_000;

/** The longest a single run may take; turns that wait for people do not run. */
const LONGEST_RUN_SECONDS = 6 * 3_600;

/**
 * The queue of many replicas, on pg-boss: strictly first in, first out by conversation. A turn's job is
 * written in the transaction that makes the turn ready, and stays until a run of it resolves.
 */
export async function openBossQueue(options: BossQueueOptions): Promise<TurnQueue> {
  const boss = new PgBoss({
    connectionString: options.connectionString,
    schema: "countersign_jobs",
    application_name: "countersign",
    useListenNotify: true,
    schedule: false,
    // How soon the turn of a dead worker is noticed.
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
  });
  boss.on("error", (error) => options.log.warn({ error }, "the job queue reported an error"));
  await boss.start();
  await boss.createQueue(QUEUE, {
    policy: "key_strict_fifo",
    notify: true,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: LONGEST_RUN_SECONDS,
    retryDelay: 1,
  });

  return {
    async enqueue(tx, turn) {
      await boss.send(QUEUE, turn, {
        singletonKey: turn.conversationId,
        retryLimit: MOST_RETRIES,
        db: fromKysely(tx),
      });
    },
    wake: () => undefined,
    async start(run) {
      await boss.work<ReadyTurn>(
        QUEUE,
        {
          localConcurrency: PARALLEL_TURNS,
          batchSize: 1,
          pollingIntervalSeconds: 1,
          // Without both, the next turn of a conversation is picked up late.
          notifyPollingIntervalSeconds: 1,
          burstWhenBatchFull: true,
          heartbeatRefreshSeconds: HEARTBEAT_SECONDS / 3,
        },
        async (jobs) => {
          for (const job of jobs) await run(job.data.turnId, job.signal);
        },
      );
      return 0;
    },
    async drain() {
      await boss.stop({ graceful: true, close: true, timeout: 30_000 });
    },
  };
}
