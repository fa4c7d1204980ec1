import type { Card, TableElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { shapeOf, toCsv } from "./table.ts";
import { cleanText, cutText, oneLine } from "./text.ts";
import { wholeTable } from "./whole-table.ts";

/** A file that goes with a message. Names and titles are data, but no platform reads markup in them. */
export interface RenderedFile {
  filename: string;
  content: string;
  title: string;
}

/** More JSON than people read in a window. */
const MUCH_JSON = 50_000;
const HUGE_JSON = 7_000_000;

/**
 * The files of a card that does not fit one message: every table of it as CSV, and its data as JSON. A
 * card of one page has files only for what its tables had to cut, or where its data is very long.
 */
export function filesOf(
  card: Card,
  tables: readonly { isCut: boolean; element: TableElement }[],
  isPaged: boolean,
  { data, fileSuffix = "" }: { data?: JsonValue; fileSuffix?: string },
): RenderedFile[] {
  const base = `${slug(card.title)}${fileSuffix}`;
  const wanted = tables.filter(({ isCut, element }) => isCut || (isPaged && element.rows.length > 1));
  const csv = wanted.map(({ element }, index): RenderedFile => ({
    filename: `${base}${index === 0 ? "" : `-${index + 1}`}.csv`,
    content: toCsv((data === undefined ? undefined : wholeTable(element, data)) ?? shapeOf(element)),
    title: titleOf(element.caption ?? card.title),
  }));
  if (data === undefined) return csv;
  const pretty = JSON.stringify(data, undefined, 2);
  // Indented, a large result may be too large for a platform.
  const json = pretty.length > HUGE_JSON ? JSON.stringify(data) : pretty;
  if (!isPaged && json.length <= MUCH_JSON) return csv;
  return [...csv, { filename: `${base}.json`, content: `${json}\n`, title: titleOf(card.title) }];
}

/** Says which files have it all. */
export function filesNote(files: readonly Pick<RenderedFile, "filename">[]): string[] {
  const names = files.slice(0, 3).map((file) => file.filename);
  if (files.length === 0) return [];
  if (files.length === 1) return [`In full in the attached file ${names.join("")}`];
  const rest = files.length > names.length ? ` and ${files.length - names.length} more` : "";
  return [`In full in the attached files ${names.join(", ")}${rest}`];
}

function titleOf(text: string): string {
  return cutText(oneLine(cleanText(text)), 150) || "Result";
}

/** "3 issues for login" as "3-issues-for-login". */
function slug(text: string): string {
  const words = text
    .slice(0, 200)
    .normalize("NFKD")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).join("-").slice(0, 50).replace(/-$/, "") || "result";
}
