import { afterAll, describe, expect, it, vi } from "vitest";

import { runEpisode } from "#test/chaos/episode.ts";
import { countKills } from "#test/chaos/report.ts";
import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

/**
 * The short form of `npm run chaos`: a few lives of real processes, each ended by kill -9, then
 * everything settles and what the product says is compared with what happened.
 */
vi.setConfig({ testTimeout: 300_000 });

let server: PostgresServer | undefined;
afterAll(() => server?.stop());

describe.concurrent("kill -9 under load", () => {
  it("[approve.once] [approve.unknown] [turn.recover] nothing is lost, twice or told wrong", async () => {
    const report = await runEpisode({ seed: 11, kills: 3 });
    expect(report.violations).toEqual([]);
    expect(countKills(report)).toBeGreaterThanOrEqual(3);
    expect(report.effects).toBeGreaterThan(0);
  });

  it("[approve.once] [turn.recover] on two replicas nothing is lost, done twice or told wrong", async () => {
    server = await joinPostgres();
    const report = await runEpisode({ seed: 12, kills: 2, databaseUrl: await server.createDatabase() });
    expect(report.violations).toEqual([]);
    expect(countKills(report)).toBeGreaterThanOrEqual(2);
    expect(report.acknowledged).toBeGreaterThan(0);
  });
});
