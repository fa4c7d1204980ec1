import type { JsonObject } from "./json.ts";

/** Somebody's words that a message asks about. */
export interface Quote {
  text: string;
  /** As the surface names its author. */
  author?: string;
  /** It may hold what tools brought: in privacy mode no model sees it. */
  derived?: boolean;
}

/** A tool with all arguments that a person gave it in a form. */
export interface FilledCall {
  /** The tool's id. */
  tool: string;
  args: JsonObject;
}
