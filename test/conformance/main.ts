// `npm run conformance`: the public suite's scored scenarios with the product's own pool as the client,
// and those server scenarios that any server can be held to with the bundled ones. `npm run conformance --
// auth/iss` runs those whose name holds a word. Ends with 1 where the outcome is not the expected one.
import pLimit from "p-limit";

import { runScenario, startServer } from "./run.ts";
import type { Verdict } from "./run.ts";
import { scenarios } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";

/** A client process of the suite waits for at most a minute: too many at once would time out. */
const limit = pLimit(Number(process.env.CONFORMANCE_AT_ONCE ?? 2));

const words = process.argv.slice(2);
const wanted = scenarios().filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
const names = [...new Set(wanted.flatMap(({ server }) => server ?? []))];
const started = new Map(
  await Promise.all(names.map(async (name) => [name, await startServer(name)] as const)),
);
const urlOf = ({ server }: Scenario): string =>
  (server === undefined ? undefined : started.get(server)?.url) ?? "";
const titleOf = ({ suite, revision, leg, server }: Scenario): string =>
  `${suite} ${revision} ${leg}${server === undefined ? "" : ` (${server})`}`;
const verdicts: Verdict[] = [];
await Promise.all(
  wanted.map((scenario) =>
    limit(async () => {
      const verdict = await runScenario(scenario, urlOf(scenario));
      verdicts.push(verdict);
      const word = verdict.surprising ? "FAIL" : verdict.ok ? "ok  " : "known";
      console.log(
        `${word} ${titleOf(scenario)} ${scenario.name}: ${verdict.passed} passed, ${verdict.failed} failed`,
      );
      if (verdict.surprising) console.log(verdict.output.slice(-6_000));
    }),
  ),
);
await Promise.all([...started.values()].map((server) => server.stop()));

const groups = Object.groupBy(verdicts, ({ scenario }) => titleOf(scenario));
console.log();
for (const [group, all = []] of Object.entries(groups)) {
  const count = (of: (verdict: Verdict) => number): number => all.reduce((sum, one) => sum + of(one), 0);
  const whole = all.filter((one) => one.ok).length;
  console.log(
    `${group}: ${whole} of ${all.length} scenarios pass (${count((one) => one.passed)} checks passed, ${count((one) => one.failed)} failed)`,
  );
}
for (const { scenario, expected, ok, surprising } of verdicts) {
  for (const [check, reason] of Object.entries(expected)) {
    const word = ok ? "passes, though it is listed as failing" : surprising ? "not as listed" : "known";
    console.log(`${word}: ${scenario.server ?? scenario.leg} ${scenario.name} ${check}: ${reason}`);
  }
}
process.exitCode = verdicts.some(({ surprising }) => surprising) ? 1 : 0;
