import type { Card, ChartElement, TableElement } from "#contract/card.ts";
import type { Core } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import type { TurnView } from "#contract/present.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { chartPng } from "../document/chart.ts";
import { shapeOf, toCsv, wholeTable } from "./table.ts";
import { cleanText } from "./text.ts";

/** A file that goes with a message. Names and titles are data, but no platform reads markup in them. */
export interface RenderedFile {
  filename: string;
  content: string;
  title: string;
  /** A picture of this is the content. */
  chart?: ChartElement;
}

/** The picture of a card's chart, with what it shows in words for its title. */
export function chartFile(card: Card, chart: ChartElement, fileSuffix = ""): RenderedFile {
  const filename = `${slug(card.title)}${fileSuffix}-chart.png`;
  return { filename, content: "", title: cutText(oneLine(cleanText(chart.alt)), 1000), chart };
}

/** What is uploaded. Rejects where a chart cannot be drawn. */
export async function contentOf({ content, chart }: RenderedFile): Promise<Buffer> {
  return chart === undefined ? Buffer.from(content) : Buffer.from(await chartPng(chart));
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
  const say = wordsOf(card.language);
  const base = `${slug(card.title)}${fileSuffix}`;
  const wanted = tables.filter(({ isCut, element }) => isCut || (isPaged && element.rows.length > 1));
  const csv = wanted.map(({ element }, index): RenderedFile => ({
    filename: `${base}${index === 0 ? "" : `-${index + 1}`}.csv`,
    content: toCsv((data === undefined ? undefined : wholeTable(element, data)) ?? shapeOf(element, say)),
    title: titleOf(element.caption ?? card.title, say),
  }));
  if (data === undefined) return csv;
  const pretty = JSON.stringify(data, undefined, 2);
  // Indented, a large result may be too large for a platform.
  const json = pretty.length > HUGE_JSON ? JSON.stringify(data) : pretty;
  if (!isPaged && json.length <= MUCH_JSON) return csv;
  return [...csv, { filename: `${base}.json`, content: `${json}\n`, title: titleOf(card.title, say) }];
}

/** Says which files have it all. */
export function filesNote(files: readonly Pick<RenderedFile, "filename">[], { cards: say }: Words): string[] {
  const names = files.slice(0, 3).map((file) => file.filename);
  if (files.length === 0) return [];
  if (files.length === 1) return [say.file(names.join(""))];
  const rest = files.length > names.length ? say.andMore(files.length - names.length) : "";
  return [say.files(`${names.join(", ")}${rest}`)];
}

function titleOf(text: string, { cards: say }: Words): string {
  return oneLine(cleanText(text), 150) || say.result;
}

/** "3 issues for login" as "3-issues-for-login". */
function slug(text: string): string {
  const words = text
    .slice(0, 200)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).join("-").slice(0, 50).replace(/-$/, "") || "result";
}

/** A file to be uploaded. */
export interface CallUpload {
  filename: string;
  file: Buffer;
  title: string;
}

/** How much of what a turn's calls brought a platform takes. */
export interface FileLimits {
  most: number;
  /** Of one file. */
  bytes: number;
  /** Of all of them. */
  allBytes: number;
}

interface Brought {
  filename: string;
  bytes: number;
  /** Absent where the store did not keep it. */
  id?: string;
}

/**
 * The files that the calls of a turn brought, as they are uploaded: a name that repeats gets its call's tool.
 * `left`: what the platform does not take.
 */
export function callFiles(
  view: Pick<TurnView, "results">,
  limits: FileLimits,
): { attached: { id: string; filename: string }[]; left: Brought[] } {
  const attached: { id: string; filename: string }[] = [];
  const left: Brought[] = [];
  let bytes = limits.allBytes;
  for (const file of namedFiles(view)) {
    const { id, filename } = file;
    const fits = attached.length < limits.most && file.bytes <= Math.min(bytes, limits.bytes);
    if (id === undefined || !fits) left.push(file);
    else {
      attached.push({ id, filename });
      bytes -= file.bytes;
    }
  }
  return { attached, left };
}

function namedFiles({ results }: Pick<TurnView, "results">): Brought[] {
  const taken = new Set<string>();
  return results
    .flatMap(({ files = [], toolId }) => files.map((file) => ({ ...file, toolId })))
    .map(({ id, name, bytes, toolId }, index) => {
      const filename = taken.has(name) ? `${toolId}-${index + 1}-${name}` : name;
      taken.add(filename);
      return { filename, bytes, ...(id === undefined ? {} : { id }) };
    });
}

/** More than this are counted, not named. */
const NAMED = 5;

/** What to say of files that are not attached; undefined where all are. */
export function leftWords(left: readonly Brought[], { cards: say }: Words): string | undefined {
  if (left.length === 0) return undefined;
  const named = left.slice(0, NAMED).map(({ filename, bytes }) => `${filename} (${sizeText(bytes, say)})`);
  const more = left.length > NAMED ? say.andMore(left.length - NAMED) : "";
  return say.notAttached(`${named.join(", ")}${more}`);
}

function sizeText(bytes: number, say: Words["cards"]): string {
  if (bytes < 1_000) return say.bytes(bytes);
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 100_000) / 10} MB`;
}

/** The bytes of those files; what the store does not have any more is left out. */
export async function readCallFiles(
  names: readonly { id: string; filename: string }[],
  core: Pick<Core, "file">,
): Promise<CallUpload[]> {
  const read = await Promise.all(
    names.map(async ({ id, filename }): Promise<CallUpload[]> => {
      const stored = await core.file(id);
      return stored === undefined ? [] : [{ filename, file: Buffer.from(stored.data), title: filename }];
    }),
  );
  return read.flat();
}
