import { setTimeout as sleep } from "node:timers/promises";

import { writeCounterConfig } from "#test/chaos/config.ts";
import { startProcess } from "#test/chaos/process.ts";

import type { Places } from "./places.ts";
import { percentile, round, type Row } from "./table.ts";

const NOISY = 50;
/** What each noisy person has asked at any time and not been answered, in conversations of their own. */
const AT_ONCE = 4;
/** How long they do, and how long until they are all under way, in milliseconds. */
const LOAD_MS = 40_000;
const RAMP_MS = 8_000;
const QUIET = 4;
/** How long a quiet person reads before they ask again, in milliseconds. */
const READ_MS = 6_000;
/** What turns wait for their tool, as they would for a model, in milliseconds. */
const TOOL_MS = 1_000;
/** Those of the noisy take from half of that to half more. */
const noisyMs = (at: number): number => TOOL_MS / 2 + (at % 20) * (TOOL_MS / 20);

/** How long quiet people wait for an answer alone, and while 50 others ask four things each at any time. */
export async function benchFair(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ["embedded", "postgres"] as const) {
    const folder = await places.folder();
    const databaseUrl = kind === "postgres" ? await places.database() : "";
    const config = await writeCounterConfig({ folder, owner: "bench", databaseUrl });
    const product = startProcess({ config, dataDir: folder });
    try {
      const url = await product.listening;
      if (url === undefined || !(await product.ready)) throw new Error(product.tail().join("\n"));
      const say = async (actor: string, session: string, ms = TOOL_MS): Promise<number> => {
        const begun = performance.now();
        const response = await fetch(`${url}/agent/turn`, {
          method: "POST",
          headers: { accept: "application/json", "content-type": "application/json" },
          body: JSON.stringify({
            actor,
            session_id: session,
            message: `/counter read ${session} --delay_ms ${ms}`,
          }),
        });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        await response.body?.cancel();
        return performance.now() - begun;
      };
      /** Quiet people, who ask and read for as long as `isOn` says. */
      const quiet = async (phase: string, isOn: (asked: number) => boolean): Promise<number[]> => {
        const asking = Array.from({ length: QUIET }, async (_, person) => {
          const ms: number[] = [];
          await sleep((person * READ_MS) / QUIET);
          while (isOn(ms.length)) {
            ms.push(await say(`quiet${person}`, `${phase}-${person}-${ms.length}`));
            await sleep(READ_MS);
          }
          return ms;
        });
        return (await Promise.all(asking)).flat();
      };
      await say("warm", "warm");
      const alone = await quiet("alone", (asked) => asked < 3);
      const until = performance.now() + RAMP_MS + LOAD_MS;
      let asked = 0;
      const noisy = Array.from({ length: NOISY * AT_ONCE }, async (_, place) => {
        const ms: number[] = [];
        await sleep((place * RAMP_MS) / (NOISY * AT_ONCE));
        while (performance.now() < until)
          ms.push(await say(`noisy${place % NOISY}`, `noisy-${(asked += 1)}`, noisyMs(asked)));
        return ms;
      });
      await sleep(RAMP_MS);
      const among = await quiet("among", () => performance.now() < until);
      const noisyAll = (await Promise.all(noisy)).flat();
      const own = percentile(alone, 0.95);
      const shared = percentile(among, 0.95);
      rows.push({
        what: kind,
        figures: {
          "alone p95 ms": round(own),
          "asked in the load": among.length,
          "p50 ms": round(percentile(among, 0.5)),
          "p95 ms": round(shared),
          times: round(shared / own),
          "noisy p50 ms": round(percentile(noisyAll, 0.5)),
        },
      });
    } finally {
      await product.kill();
    }
  }
  return rows;
}
