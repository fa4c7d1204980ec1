import { describe, expect, it } from "vitest";

import { brokenSurface } from "./broken/surface.ts";
import { type Fault, FAULTS } from "./broken/faults.ts";
import { acrossItsEnd, decisions, type Take, whileItRuns } from "./scenarios.ts";

interface Scenario {
  title: string;
  run: Parameters<Take>[2];
}

const scenarios: Scenario[] = [];
for (const part of [whileItRuns, decisions, acrossItsEnd]) {
  part((title, _needs, run) => scenarios.push({ title: title.replace(/^(?:\[[^\]]+\] )+/, ""), run }));
}

/** The scenarios that do not hold, each on a surface of its own. */
async function failing(fault?: Fault): Promise<string[]> {
  const found: string[] = [];
  for (const { title, run } of scenarios) {
    const open = await brokenSurface(fault).open();
    await run(open, () => true).catch(() => found.push(title));
    await open.close();
  }
  return found;
}

describe("the contract of surfaces, held to a surface that is broken on purpose", () => {
  it("holds where nothing is broken", async () => {
    expect(await failing()).toEqual([]);
  });

  it.each(Object.keys(FAULTS) as Fault[])(
    "sees a surface that %s, in its own scenarios alone",
    async (fault) => {
      const expected = scenarios.filter(({ title }) =>
        FAULTS[fault].some((start) => title.startsWith(start)),
      );
      expect(expected).toHaveLength(FAULTS[fault].length);
      expect(await failing(fault)).toEqual(expected.map(({ title }) => title));
    },
  );

  it("has a fault for every scenario", () => {
    const starts = Object.values(FAULTS).flat();
    expect(scenarios.filter(({ title }) => !starts.some((start) => title.startsWith(start)))).toEqual([]);
  });
});
