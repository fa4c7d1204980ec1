// `npm run conformance`: the public suite's scored scenarios with the product's own pool as the client,
// and those server scenarios that any server can be held to with a bundled one. `npm run conformance --
// auth/iss` runs those whose name holds a word. Ends with 1 where the outcome is not the expected one.
import pLimit from "p-limit";

import { runScenario, startBundled } from "./run.ts";
import type { Verdict } from "./run.ts";
import { scenarios } from "./scenarios.ts";

/** A client process of the suite waits for at most a minute: too many at once would time out. */
const limit = pLimit(Number(process.env.CONFORMANCE_AT_ONCE ?? 2));

const words = process.argv.slice(2);
const wanted = scenarios().filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
const server = await startBundled();
const verdicts: Verdict[] = [];
await Promise.all(
  wanted.map((scenario) =>
    limit(async () => {
      const verdict = await runScenario(scenario, server.url);
      verdicts.push(verdict);
      const { suite, leg, revision, name } = scenario;
      const word = verdict.ok ? "ok  " : verdict.expected === undefined ? "FAIL" : "known";
      console.log(
        `${word} ${suite} ${revision} ${leg} ${name}: ${verdict.passed} passed, ${verdict.failed} failed`,
      );
      if (!verdict.ok && verdict.expected === undefined) console.log(verdict.output.slice(-6_000));
    }),
  ),
);
await server.stop();

const groups = Object.groupBy(
  verdicts,
  ({ scenario }) => `${scenario.suite} ${scenario.revision} ${scenario.leg}`,
);
console.log();
for (const [group, all = []] of Object.entries(groups)) {
  const count = (of: (verdict: Verdict) => number): number => all.reduce((sum, one) => sum + of(one), 0);
  const whole = all.filter((one) => one.ok).length;
  console.log(
    `${group}: ${whole} of ${all.length} scenarios pass (${count((one) => one.passed)} checks passed, ${count((one) => one.failed)} failed)`,
  );
}
for (const { scenario, expected, ok } of verdicts) {
  if (expected === undefined) continue;
  console.log(
    ok ? `passes, though it is listed as failing: ${scenario.name}` : `known: ${scenario.name}: ${expected}`,
  );
}
const surprises = verdicts.filter(({ ok, expected }) => ok === (expected !== undefined));
process.exitCode = surprises.length === 0 ? 0 : 1;
