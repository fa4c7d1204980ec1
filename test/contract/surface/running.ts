import type { ProductOptions, RunningProduct } from "#test/e2e/support.ts";
import { temporaryFolder } from "#test/e2e/support.ts";

import { effectsIn } from "./product.ts";
import type { Effects, OpenSurface } from "./surface.ts";

/** The product as a process that is killed and started again on the same data. */
export interface Running extends Pick<OpenSurface, "effects" | "kill" | "restart" | "stop"> {
  effects: Effects;
  product(): RunningProduct;
}

/** Starts it with a folder for its tools; it ends with the test file at the latest. */
export async function run(
  start: (options: ProductOptions) => Promise<RunningProduct>,
  config: (folder: string) => object,
): Promise<Running> {
  const folder = await temporaryFolder();
  const options: ProductOptions = {
    config: config(folder),
    dataDir: await temporaryFolder(),
    endsWith: "file",
  };
  let product = await start(options);
  return {
    effects: effectsIn(folder),
    product: () => product,
    kill: () => product.kill(),
    async restart() {
      product = await start(options);
    },
    stop: () => product.stop(),
  };
}
