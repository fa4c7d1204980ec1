import { join } from "node:path";

import { build } from "../scripts/build.ts";
import { offer } from "./shared.ts";

/**
 * Once for all tests: the product and its servers start from the bundle, in half the time, and who wants a database
 * or a browser gets one of a cluster, and windows of a browser, that all share.
 */
export async function setup(): Promise<() => Promise<void>> {
  // For the processes of the tests, and for all that they start: a fifth of a short-lived process is stripping its
  // first file of types, and a tenth of the unit tests compiling libraries, unless both are cached.
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/compile");
  await build();
  return offer({
    postgres: async () => (await import("./fakes/postgres.ts")).offeredPostgres(),
    products: async () => (await import("./e2e/support.ts")).offeredProducts(),
    browser: async () => (await import("./e2e/browser.ts")).offeredBrowser(),
  });
}
