import { availableParallelism } from "node:os";

import { defineConfig } from "vitest/config";
import type { ViteUserConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

import { has, PAGE_TESTS } from "./test/machine.ts";
import { LastLine } from "./test/reporter.ts";

/** Those that take longest come first, so that none of them runs alone at the end. */
const FIRST = [
  /e2e\/(?:crash\.|knowledge|playground|scenarios|hostile|replicas|slack-reach|cli|console\.|setup)/,
  /e2e\//,
  /test\/(?!unit)/,
];

/** Tests that look at what their process has loaded. */
const ALONE = ["test/unit/plan/builtin.test.ts"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = FIRST.findIndex((pattern) => pattern.test(moduleId));
      return found === -1 ? FIRST.length : found;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- because this is the sequencer's own, of no array
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/setup.ts"],
    reporters: ["default", new LastLine()],
    pool: "forks",
    // Files share their process: with the engine's own 16 MB for what is young, a tenth of the time is collecting it.
    execArgv: ["--max-semi-space-size=32"],
    // Most tests of whole processes wait for them more than they compute.
    maxWorkers: Math.min(availableParallelism() * 3, 8),
    // What fails in less time on a busy machine says nothing about the product.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 40_000 } },
    dangerouslyIgnoreUnhandledErrors: false,
    // A run that finds nothing, or a test left alone by `.only`, must not look green.
    passWithNoTests: false,
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "alone", include: ALONE } },
      {
        extends: true,
        // A few processes for all: half of what most files took was starting one each and loading the same again.
        // A file leaves nothing in its process: what it starts, sets and listens to ends with it.
        test: {
          name: "whole",
          include: ["test/e2e/*.test.ts"],
          exclude: has("chromium") ? [] : [...PAGE_TESTS],
          isolate: false,
        },
      },
      {
        extends: true,
        // In others than those above, which keep all that they have loaded.
        test: { name: "parts", include: ["test/!(e2e)/**/*.test.ts"], exclude: ALONE, isolate: false },
      },
    ],
  },
});

export default config;
