import { expect, it } from "vitest";

import { countTests } from "../../../scripts/count-tests.ts";

const file = (status: string, tests: number): unknown => ({
  status,
  assertionResults: Array.from({ length: tests }, () => ({})),
});

it.each([
  [
    "all green",
    { numPassedTests: 3, numFailedTests: 0, testResults: [file("passed", 3)] },
    0,
    { passed: 3, failed: 0 },
  ],
  [
    "a red test",
    { numPassedTests: 2, numFailedTests: 1, testResults: [file("failed", 3)] },
    1,
    { passed: 2, failed: 1 },
  ],
  [
    "a file that does not load",
    { numPassedTests: 2, numFailedTests: 0, testResults: [file("passed", 2), file("failed", 0)] },
    1,
    { passed: 2, failed: 1 },
  ],
  [
    "an error outside any test",
    { numPassedTests: 2, numFailedTests: 0, testResults: [file("passed", 2)] },
    1,
    { passed: 2, failed: 1 },
  ],
  [
    "a test that was left out",
    { numPassedTests: 2, numFailedTests: 0, numPendingTests: 1, testResults: [file("passed", 3)] },
    0,
    { passed: 2, failed: 1 },
  ],
  ["no report", undefined, 0, { passed: 0, failed: 1 }],
  ["something else", { a: 1 }, 0, { passed: 0, failed: 1 }],
])("counts %s", (_name, report, exitStatus, expected) => {
  expect(countTests(report, exitStatus)).toEqual(expected);
});
