import { fromKysely, type Job, PgBoss } from "pg-boss";

import { messageOf } from "../base/errors.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import type { TurnQueue } from "./queue.ts";

export interface BossQueueOptions {
  connectionString: string;
  log: { warn: (data: object, message: string) => void };
}

const QUEUE = "turns";

/** Turns that run at once in one replica. */
const PARALLEL_TURNS = 16;

/** How soon a replica with room finds turns that another one has no room for, or left behind, in milliseconds. */
const POLL_MS = 1_000;

/** A worker that is silent for so long is taken for dead and its turn goes to another replica. */
const HEARTBEAT_SECONDS = 10;

/** How long turns may go on once no more are taken, in milliseconds. */
const DRAIN_MS = 30_000;

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
 *
 * pg-boss's own workers ask for a job each: sixteen questions with every turn and every second. Here one question
 * brings as many as there is room for, when a turn of this replica is ready or has ended; the poll is for turns of
 * others. Notifications would be one more lock in every commit.
 */
export async function openBossQueue({ connectionString, log }: BossQueueOptions): Promise<TurnQueue> {
  const boss = new PgBoss({
    connectionString,
    schema: "countersign_jobs",
    application_name: "countersign",
    schedule: false,
    // How soon the turn of a dead worker is noticed.
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
  });
  const report = (error: unknown): void =>
    log.warn({ error: messageOf(error) }, "the job queue reported an error");
  boss.on("error", report);
  await boss.start();
  await boss.createQueue(QUEUE, {
    policy: "key_strict_fifo",
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: LONGEST_RUN_SECONDS,
    retryDelay: 1,
  });

  /** The jobs of this replica, each with what tells its run that another replica has it now. */
  const running = new Map<string, { job: Job<ReadyTurn>; lost: AbortController; ended: Promise<void> }>();
  let run: Parameters<TurnQueue["start"]>[0] | undefined;
  let taking: Promise<void> | undefined;
  const asked = { isTaking: false, again: false };
  const timers: NodeJS.Timeout[] = [];

  /** One question at a time; who asks meanwhile has it asked once more. */
  function take(): void {
    asked.again = true;
    if (!asked.isTaking) taking = takeAll().catch(report);
  }

  function hasRoom(): boolean {
    return run !== undefined && running.size < PARALLEL_TURNS;
  }

  async function takeAll(): Promise<void> {
    asked.isTaking = true;
    try {
      while (asked.again && hasRoom()) {
        asked.again = false;
        const jobs = await boss.fetch<ReadyTurn>(QUEUE, { batchSize: PARALLEL_TURNS - running.size });
        for (const job of jobs) {
          if (run === undefined) await boss.fail(QUEUE, job, { message: "the process is stopping" });
          else begin(job, run);
        }
      }
    } finally {
      asked.isTaking = false;
    }
  }

  function begin(job: Job<ReadyTurn>, turn: NonNullable<typeof run>): void {
    const lost = new AbortController();
    const ended = work(job, turn, lost.signal).finally(() => {
      running.delete(job.id);
      take();
    });
    running.set(job.id, { job, lost, ended });
  }

  /** A job that is not completed, as the store did not take that, is a dead worker's: it goes on elsewhere. */
  async function work(job: Job<ReadyTurn>, turn: NonNullable<typeof run>, lost: AbortSignal): Promise<void> {
    try {
      await turn(job.data.turnId, lost).then(
        () => boss.complete(QUEUE, job),
        (error: unknown) => boss.fail(QUEUE, job, { message: messageOf(error) }),
      );
    } catch (error) {
      report(error);
    }
  }

  /** In one statement for all; a job that is held no more is another replica's, or ended meanwhile. */
  async function keepHeld(): Promise<void> {
    const held = [...running.values()];
    if (held.length === 0) return;
    const { settled }: { settled?: string[] } = await boss.touch(
      QUEUE,
      held.map(({ job }) => job),
    );
    if (settled === undefined) return;
    for (const { job, lost } of held) if (!settled.includes(job.id)) lost.abort();
  }

  return {
    async enqueue(tx, turn) {
      await boss.send(QUEUE, turn, {
        singletonKey: turn.conversationId,
        retryLimit: MOST_RETRIES,
        db: fromKysely(tx),
      });
    },
    wake: take,
    start(given) {
      run = given;
      timers.push(setInterval(take, POLL_MS));
      timers.push(setInterval(() => void keepHeld().catch(report), (HEARTBEAT_SECONDS / 3) * 1_000));
      take();
      return Promise.resolve(0);
    },
    async drain() {
      run = undefined;
      await taking;
      const all = Promise.all([...running.values()].map(({ ended }) => ended));
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
      for (const timer of timers) clearInterval(timer);
      await boss.stop({ graceful: true, close: true, timeout: DRAIN_MS });
    },
  };
}
