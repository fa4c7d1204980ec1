import { build } from "../scripts/build.ts";

/** Once for all tests: the product and its servers start from the bundle, in half the time. */
export async function setup(): Promise<void> {
  await build();
}
