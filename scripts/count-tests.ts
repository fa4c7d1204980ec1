/**
 * Prints `PASSED FAILED` for a JSON report of vitest: `node scripts/count-tests.ts REPORT EXIT_STATUS`.
 *
 * A test that was left out counts as failed: where this is run, nothing may be missing. A test file that could not be loaded has no tests to count, and an error outside any test leaves all
 * of them green, so each of these counts as one failure.
 */
import { readFileSync } from "node:fs";

import { z } from "zod";

const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int().default(0),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

export function countTests(report: unknown, exitStatus: number): { passed: number; failed: number } {
  const parsed = Report.safeParse(report);
  if (!parsed.success) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = parsed.data;
  const unloaded = testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failed = numFailedTests + numPendingTests + unloaded.length;
  return { passed: numPassedTests, failed: failed === 0 && exitStatus !== 0 ? 1 : failed };
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const [file = "", exitStatus = "1"] = process.argv.slice(2);
  const { passed, failed } = countTests(readReport(file), Number(exitStatus));
  console.log(`${passed} ${failed}`);
}
