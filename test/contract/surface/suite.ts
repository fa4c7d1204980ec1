import { afterAll, beforeAll, it } from "vitest";

import { acrossItsEnd, decisions, type Take, whileItRuns } from "./scenarios.ts";
import type { OpenSurface, Surface } from "./surface.ts";

/** Registers the contract for a surface, in the order of the scenarios: they share what was opened. */
export function holdTo(surface: Surface): void {
  let open: OpenSurface | undefined;
  const take: Take = (title, needs, run) => {
    if (!needs.every((need) => surface.has.includes(need))) return;
    // The titles stand where the scenarios are written, and so do their assertions.
    // oxlint-disable-next-line vitest/valid-title, vitest/expect-expect -- because both are in scenarios.ts
    it(title, { timeout: 60_000 }, async () => {
      if (open === undefined) throw new Error(`${surface.name} was not opened`);
      await run(open, (capability) => surface.has.includes(capability));
    });
  };

  beforeAll(async () => {
    open = await surface.open();
  });
  // Also sees that nothing that was sent broke a rule of the platform.
  afterAll(() => open?.close(), 30_000);

  whileItRuns(take);
  decisions(take);
  acrossItsEnd(take);
}
