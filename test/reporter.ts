import type { Reporter, TestModule } from "vitest/node";

import { missing, PAGE_TESTS } from "./machine.ts";

/** Ends a run with one line, which names what this machine lacks for the tests that were left out. */
export class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = (state: "passed" | "failed" | "skipped"): number =>
      modules.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0);
    const skipped = count("skipped");
    const lacking = missing();
    const pages = lacking.includes("chromium") ? ` and ${PAGE_TESTS.join(" and ")}` : "";
    const lacks =
      lacking.length === 0 ? "" : `, ${skipped}${pages} left out for want of ${lacking.join(" and ")}`;
    // oxlint-disable-next-line no-console -- because this is what the run ends with
    console.log(`${count("passed")} passed, ${count("failed")} failed${lacks}`);
  }
}
