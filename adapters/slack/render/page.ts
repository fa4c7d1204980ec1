import type { KnownBlock } from "@slack/types";

import { MESSAGE_BUDGET } from "./limits.ts";
import type { Budget } from "./limits.ts";
import { weigh } from "./text.ts";

/** A message as it is put together: what it holds, and what it still has room for. */
export interface Page {
  readonly blocks: KnownBlock[];
  left(): Budget;
  add(blocks: readonly KnownBlock[]): void;
  /** Adds blocks set apart from those above. */
  addApart(blocks: readonly KnownBlock[]): void;
  /** Keeps room for what somebody else adds. */
  reserve(blocks: readonly KnownBlock[]): void;
}

export function createPage(): Page {
  const blocks: KnownBlock[] = [];
  let { chars, blocks: slots } = MESSAGE_BUDGET;
  const reserve = (taken: readonly KnownBlock[]): void => {
    if (taken.length === 0) return;
    chars -= weigh(taken);
    slots -= taken.length;
  };
  const add = (added: readonly KnownBlock[]): void => {
    reserve(added);
    blocks.push(...added);
  };
  return {
    blocks,
    left: () => ({ chars, blocks: slots }),
    reserve,
    add,
    addApart(added) {
      if (blocks.length > 0) add([{ type: "divider" }]);
      add(added);
    },
  };
}

/** Whether a budget is enough for any card. */
export function isEnough(budget: Budget, least: Budget): boolean {
  return budget.chars >= least.chars && budget.blocks >= least.blocks;
}
