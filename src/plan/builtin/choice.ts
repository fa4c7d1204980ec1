import type { JsonObject } from "#contract/json.ts";

import type { ToolEntry } from "./entry.ts";
import type { Filled } from "./fill.ts";

/** A tool that may be meant, with its arguments as far as they are said. */
export interface Candidate extends Filled {
  score: number;
}

export interface Choice {
  calls: { entry: ToolEntry; args: JsonObject }[];
  changing: boolean;
}
