import type { Child } from "hono/jsx";
import { jsx as el, Fragment } from "hono/jsx";

/** Drawn nodes as HTML, with every text escaped. */
export function toHtml(...drawn: Child[]): string {
  // Nothing here waits, so that a string comes back and no promise.
  return String(el(Fragment, null, ...drawn));
}
