import { CompiledQuery } from "kysely";
import { type Db as BossDb, type Job, PgBoss } from "pg-boss";

import { messageOf } from "../base/errors.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import { post } from "../store/built.ts";
import type { Db, Tx } from "../store/schema.ts";
import type { Hold, TurnQueue } from "./queue.ts";

export interface BossQueueOptions {
  connectionString: string;
  /** Of the same database: its connections ask what turns need; those of `connectionString` do the housekeeping. */
  db: Db;
  /** How long turns may go on once no more are taken, in milliseconds, before they are cut short. */
  graceMs: number;
  log: { warn: (data: object, message: string) => void };
}

const QUEUE = "turns";

/** By how much later a turn is taken for each of the same person, and of the same channel, that is not done, in seconds. */
const LATER = { ofPerson: 300, ofChannel: 10 };

/** Nobody waits longer than this for those who asked later, in seconds. */
const MOST_LATER = 3_600;

/** Priorities are whole numbers of 32 bits: seconds since then. */
const FIRST_SECOND = Date.UTC(2026, 0) / 1_000;

/** Turns that run at once in one replica. */
const PARALLEL_TURNS = 16;

/** How soon a replica with room finds turns that another one has no room for, or left behind, in milliseconds. */
const POLL_MS = 1_000;

/** A worker that is silent for so long is taken for dead and its turn goes to another replica. */
const HEARTBEAT_SECONDS = 10;

/** How long turns that were cut short may take to end, in milliseconds. */
const END_MS = 20_000;

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
 *
 * What pg-boss takes first is written with the job: the oldest, where a turn counts as the younger the more its person
 * and its channel have under way. So the first questions of all come before the second ones of any, and whoever asked
 * much still gets their turn within an hour of those who asked later.
 */
export async function openBossQueue({
  connectionString,
  db,
  graceMs,
  log,
}: BossQueueOptions): Promise<TurnQueue> {
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
  const running = new Map<string, Running>();
  const asking = { db: connectionsOf(db) };
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
        const batchSize = PARALLEL_TURNS - running.size;
        const jobs = await boss.fetch<ReadyTurn>(QUEUE, { batchSize, ...asking });
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
    const one: Running = { job, lost: new AbortController(), isLetGo: false, ended: Promise.resolve() };
    running.set(job.id, one);
    one.ended = work(one, turn).finally(() => {
      running.delete(job.id);
      take();
    });
  }

  /** A job that is not completed, as the store did not take that, is a dead worker's: it goes on elsewhere. */
  async function work(one: Running, turn: NonNullable<typeof run>): Promise<void> {
    const { job, lost } = one;
    const hold: Hold = {
      lost: lost.signal,
      async letGo(tx) {
        await boss.complete(QUEUE, job, undefined, { db: posting(tx) });
        return () => (one.isLetGo = true);
      },
    };
    try {
      await turn(job.data.turnId, hold).then(
        () => (one.isLetGo ? undefined : boss.complete(QUEUE, job, undefined, asking)),
        (error: unknown) => boss.fail(QUEUE, job, { message: messageOf(error) }),
      );
    } catch (error) {
      report(error);
    }
  }

  /** In one statement for all; a job that is held no more is another replica's, or ended meanwhile. */
  async function keepHeld(): Promise<void> {
    const held = [...running.values()].filter(({ isLetGo }) => !isLetGo);
    if (held.length === 0) return;
    const { settled }: { settled?: string[] } = await boss.touch(
      QUEUE,
      held.map(({ job }) => job),
    );
    if (settled === undefined) return;
    for (const { job, lost, isLetGo } of held) if (!settled.includes(job.id) && !isLetGo) lost.abort();
  }

  return {
    async enqueue(tx, turn) {
      const { turnId, conversationId } = turn;
      const job: ReadyTurn = { turnId, conversationId };
      await boss.send(QUEUE, job, {
        singletonKey: turn.conversationId,
        priority: priorityOf(turn, Date.now()),
        ...(turn.notBefore === undefined ? {} : { startAfter: new Date(turn.notBefore) }),
        retryLimit: MOST_RETRIES,
        db: posting(tx),
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
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, graceMs + END_MS).unref())]);
      for (const timer of timers) clearInterval(timer);
      await boss.stop({ graceful: true, close: true, timeout: END_MS });
    },
  };
}

/** A job of this replica. */
interface Running {
  job: Job<ReadyTurn>;
  /** Tells its run that another replica has it now. */
  lost: AbortController;
  /** It was completed with what ended the turn. */
  isLetGo: boolean;
  ended: Promise<void>;
}

/** Has pg-boss ask over connections of the store, where its statements are prepared once. */
function connectionsOf(db: Db): BossDb {
  return {
    async executeSql(sql, values) {
      const { rows } = await db.executeQuery(CompiledQuery.raw(sql.trim(), values));
      return { rows };
    },
  };
}

/** As above in a transaction; nobody waits for the answer, but the transaction does. */
function posting(tx: Tx): BossDb {
  return {
    async executeSql(sql, values) {
      await post(tx, CompiledQuery.raw(sql.trim(), values));
      return { rows: [{ count: 0 }] };
    },
  };
}

/** The highest is taken first. A turn that goes on, as somebody has just decided, comes before all others. */
function priorityOf({ of, ahead }: ReadyTurn, at: number): number {
  if (of === undefined) return 0;
  const { ofPerson = 0, ofChannel = 0 } = ahead ?? {};
  const later = Math.min(MOST_LATER, ofPerson * LATER.ofPerson + ofChannel * LATER.ofChannel);
  return FIRST_SECOND - Math.floor(at / 1_000) - later;
}
