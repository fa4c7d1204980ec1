import { openers, repeated, surfaces } from "#test/hostile-text.ts";

import { percentile, round, type Row } from "./table.ts";

/** As long as a text of a server may well be, and as the longest that is read as Markdown. */
const LENGTHS = [200_000, 100_000, 30_000];

function costOf(show: (text: string) => number, text: string): number {
  const before = process.cpuUsage();
  show(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Processor time that a text out of one repeated opener costs on each surface. */
export async function benchHostileText(): Promise<Row[]> {
  return LENGTHS.flatMap((length) =>
    Object.entries(surfaces).map(([surface, show]): Row => {
      for (const opener of openers) show(repeated(opener, 500));
      const costs = openers.map((opener) => {
        const text = repeated(opener, length);
        // The lesser of two: the one may also pay for the garbage of the opener before.
        return { opener, ms: Math.min(costOf(show, text), costOf(show, text)) };
      });
      const [worst] = costs.toSorted((a, b) => b.ms - a.ms);
      const ms = costs.map((cost) => cost.ms);
      return {
        what: `${surface}, ${length / 1_000} kB of one opener`,
        figures: {
          "p50 ms": round(percentile(ms, 0.5)),
          "p90 ms": round(percentile(ms, 0.9)),
          "worst ms": round(worst?.ms ?? Number.NaN),
          "worst opener": JSON.stringify(worst?.opener),
        },
      };
    }),
  );
}
