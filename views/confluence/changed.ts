import { humanDate } from "../dates.ts";
import type { PageSummary } from "./shapes.ts";

/** "Changed 21 Nov 2026, 14:05 UTC by Ana Lindqvist", as far as it is known. */
export function lastChange(page: Pick<PageSummary, "updated" | "updated_by">): string {
  const when = page.updated === null ? "" : ` ${humanDate(page.updated)}`;
  const who = page.updated_by === null ? "" : ` by ${page.updated_by.name}`;
  return when === "" && who === "" ? "" : `Changed${when}${who}`;
}
