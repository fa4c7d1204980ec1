import { attack } from "#test/e2e/hostile-support.ts";
import { cleanUpAll } from "#test/e2e/support.ts";

import { round, type Row } from "./table.ts";

/** What other people's turns take while servers do their worst. */
export async function benchHostile(): Promise<Row[]> {
  try {
    const begun = performance.now();
    const { probes } = await attack();
    const figures = {
      turns: probes.answered,
      wrong: probes.wrong.length,
      "median ms": round(probes.medianMs),
      "p99 ms": round(probes.p99Ms),
      "worst ms": round(probes.worstMs),
      "seconds in all": round((performance.now() - begun) / 1_000),
    };
    return [{ what: "others' turns during every attack", figures }];
  } finally {
    await cleanUpAll();
  }
}
