import { build } from "../scripts/build.ts";
import { offer } from "./shared.ts";

/**
 * Once for all tests: the product and its servers start from the bundle, in half the time, and who wants a database
 * or a browser gets one of a cluster, and windows of a browser, that all share.
 */
export async function setup(): Promise<() => Promise<void>> {
  await build();
  return offer({
    postgres: async () => (await import("./fakes/postgres.ts")).offeredPostgres(),
    products: async () => (await import("./e2e/support.ts")).offeredProducts(),
    browser: async () => (await import("./e2e/browser.ts")).offeredBrowser(),
  });
}
