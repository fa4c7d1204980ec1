import { defineConfig } from "vitest/config";
import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    // One process per file: a test file owns its environment, its children and its exit.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    dangerouslyIgnoreUnhandledErrors: false,
    // A run that finds nothing, or a test left alone by `.only`, must not look green.
    passWithNoTests: false,
    allowOnly: false,
  },
});

export default config;
