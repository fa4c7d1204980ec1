import type { Reporter, TestModule } from "vitest/node";

import { missing } from "./machine.ts";

/** Ends a run with one line, which names what this machine lacks for the tests that were left out. */
export class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = (state: "passed" | "failed" | "skipped"): number =>
      modules.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0);
    const skipped = count("skipped");
    const lacks = skipped === 0 ? "" : `, ${skipped} left out for want of ${missing().join(" and ")}`;
    // oxlint-disable-next-line no-console -- because this is what the run ends with
    console.log(`${count("passed")} passed, ${count("failed")} failed${lacks}`);
  }
}
