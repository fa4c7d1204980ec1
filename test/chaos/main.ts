// npm run chaos -- --kills 1000 --store both --seed 1 --minutes 12 --parallel 2
import { parseArgs } from "node:util";

import { startPostgres } from "#test/fakes/postgres.ts";

import { runEpisode } from "./episode.ts";
import { runFreeze } from "./freeze.ts";
import { countKills, type EpisodeReport, printReport, sumReports } from "./report.ts";
import type { StoreName } from "./world.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    store: { type: "string", default: "both" },
    seed: { type: "string", default: "1" },
    /** No further kill after this time; what runs is left to settle. */
    minutes: { type: "string", default: "600" },
    parallel: { type: "string", default: "2" },
  },
});

/** Kills between two settlings; on Postgres settling takes a lease, so it comes less often. */
const EPISODE_KILLS: Record<StoreName, number> = { embedded: 25, postgres: 50 };

const kills = Number(values.kills);
const seed = Number(values.seed);
const stores: StoreName[] = values.store === "both" ? ["embedded", "postgres"] : [values.store as StoreName];
if (!stores.every((name) => name === "embedded" || name === "postgres") || !(kills > 0) || !(seed >= 0)) {
  console.error("expected --kills N, --store embedded|postgres|both and --seed N");
  process.exit(2);
}

const begun = Date.now();
const share = Number(values.minutes) * 60_000;
const server = stores.includes("postgres") ? await startPostgres() : undefined;
const totals = new Map<StoreName, EpisodeReport>();
try {
  for (const [at, store] of stores.entries()) {
    const until = begun + (share * (at + 1)) / stores.length;
    totals.set(store, await runStore(store, Math.ceil(kills / stores.length), until));
  }
  if (server !== undefined) {
    const frozen = await runFreeze(await server.createDatabase());
    console.log(`frozen worker: taken over after ${frozen.takeoverMs} ms, late result kept as evidence`);
    totals.get("postgres")?.violations.push(...frozen.violations);
  }
} finally {
  await server?.stop();
}
printReport(totals, Math.round((Date.now() - begun) / 1_000));
const violations = [...totals.values()].flatMap((total) => total.violations);
for (const violation of violations) console.error(`\nviolation: ${violation}`);
process.exit(violations.length === 0 ? 0 : 1);

/** Episodes side by side until the kills are made or the time is over. */
async function runStore(store: StoreName, wanted: number, until: number): Promise<EpisodeReport> {
  const reports: EpisodeReport[] = [];
  let planned = 0;
  let episode = 0;
  async function work(): Promise<void> {
    while (planned < wanted && Date.now() < until) {
      const share = Math.min(EPISODE_KILLS[store], wanted - planned);
      planned += share;
      episode += 1;
      const report = await runEpisode({
        seed: seed * 1_000 + episode,
        kills: share,
        until,
        ...(store === "postgres" && server !== undefined
          ? { databaseUrl: await server.createDatabase() }
          : {}),
      });
      reports.push(report);
      console.error(
        `${store} seed ${report.seed}: ${countKills(report)} kills, ${report.violations.length} violations, settled in ${report.settleMs} ms`,
      );
    }
  }
  await Promise.all(Array.from({ length: Number(values.parallel) }, work));
  return sumReports(seed, reports);
}
