import type { Machine } from "../checks/machine.ts";
import type { Draft } from "./draft.ts";
import type { Surface } from "./surface.ts";

/** What a step works with. */
export interface Setup {
  surface: Surface;
  draft: Draft;
  machine: Machine;
}

/**
 * One part of a set-up, which can be done by itself and again. It asks, tries, and leaves in the draft what is to be
 * written.
 */
export interface Step {
  id: string;
  title: string;
  run(setup: Setup): Promise<void>;
}
