import { build } from "../scripts/build.ts";
import { offerPostgres } from "./fakes/postgres.ts";

/**
 * Once for all tests: the product and its servers start from the bundle, in half the time, and who wants a
 * Postgres gets a database in a cluster that all share.
 */
export async function setup(): Promise<() => Promise<void>> {
  await build();
  return offerPostgres();
}
