import { newId } from "#src/base/ids.ts";
import { openBossQueue } from "#src/turn/boss-queue.ts";
import pg from "pg";

import type { Places } from "./places.ts";
import { round, type Row, timeAll } from "./table.ts";

const JOBS = 500;
const AT_REST_MS = 5_000;

/** What a turn's job costs on Postgres, from its insertion to its completion; and what the queue does without any. */
export async function benchJobs(places: Places): Promise<Row[]> {
  const { store, url } = await places.store("postgres");
  const queue = await openBossQueue({
    connectionString: url,
    db: store.db,
    graceMs: 10_000,
    log: { warn: () => undefined },
  });
  const waiting = new Map<string, () => void>();
  await queue.start((turnId) => {
    waiting.get(turnId)?.();
    return Promise.resolve();
  });
  const rows: Row[] = [];
  const commits = async (): Promise<number> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("select pg_stat_clear_snapshot()");
    // Backends report after a second, and what they keep back once they have been idle for ten.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    const { rows: found } = await client.query<{ count: string }>(
      "select xact_commit as count from pg_stat_database where datname = current_database()",
    );
    await client.end();
    return Number(found[0]?.count);
  };
  for (const atOnce of [1, 16]) {
    const before = await commits();
    const cpu = process.cpuUsage();
    const turns = Array.from({ length: JOBS }, () => newId("turn"));
    const figures = await timeAll(turns, atOnce, async (turnId) => {
      const turn = { turnId, conversationId: turnId };
      const ran = new Promise<void>((resolve) => waiting.set(turnId, resolve));
      await store.db.transaction().execute((tx) => queue.enqueue(tx, turn));
      queue.wake(turn);
      await ran;
    });
    const { user, system } = process.cpuUsage(cpu);
    const each = ((await commits()) - before) / JOBS;
    rows.push({
      what: `${atOnce} at once`,
      figures: {
        ...figures,
        "commits a job": round(each),
        "CPU ms a job": round((user + system) / 1_000 / JOBS),
      },
    });
  }
  const before = await commits();
  await new Promise((resolve) => setTimeout(resolve, AT_REST_MS));
  const perSecond = ((await commits()) - before) / ((AT_REST_MS + 1_500) / 1_000);
  rows.push({ what: "at rest", figures: { "commits a second": round(perSecond) } });
  await queue.drain();
  return rows;
}
