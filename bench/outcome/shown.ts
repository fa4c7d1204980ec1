import { isObject } from "./match.ts";
import type { ShownResult } from "./site.ts";

/** Records that a card shows, and of how many. */
export interface Shown {
  /** Keys of issues, projects and spaces, ids of pages, in their order. */
  ids: string[];
  total: number;
}

/**
 * What a turn's cards show: each server's last result that worked, in each way that it can be read (an epic is
 * itself, or what is in it), then all records together that were opened one by one, and all lists together.
 */
export function shownOf(results: readonly ShownResult[]): Shown[] {
  const worked = results.filter(({ ok }) => ok);
  const last = new Map(worked.map((one) => [one.server, one]));
  const together = [false, true].flatMap((lists) => {
    const some = worked.filter((one) => isList(one) === lists).flatMap((one) => readingsOf(one).slice(0, 1));
    return some.length > 1 ? [toShown([...new Set(some.flatMap(({ ids }) => ids))])] : [];
  });
  return [...[...last.values()].flatMap(readingsOf), ...together];
}

/** The last list of records. */
export function lastList(results: readonly ShownResult[]): Shown | undefined {
  const last = results.findLast(isList);
  return last === undefined ? undefined : readingsOf(last)[0];
}

/** How many there are, where the last result that worked says so. */
export function totalOf(results: readonly ShownResult[]): number | undefined {
  const data = results.findLast(({ ok }) => ok)?.data;
  return isObject(data) && typeof data.total === "number" ? data.total : undefined;
}

function isList({ ok, data }: ShownResult): boolean {
  return ok && rowsOf(data) !== undefined;
}

function readingsOf({ data }: ShownResult): Shown[] {
  if (!isObject(data)) return [];
  const rows = rowsOf(data);
  if (rows !== undefined) return [toShown(rows.flatMap(idOf), data.total)];
  if (isObject(data.epic) && Array.isArray(data.children)) {
    const children = data.children.flatMap(idOf);
    return [idOf(data.epic), children, [...idOf(data.epic), ...children]].map((ids) => toShown(ids));
  }
  return [toShown(idOf(data))];
}

function toShown(ids: string[], total?: unknown): Shown {
  return { ids, total: typeof total === "number" ? total : ids.length };
}

const LISTS = ["issues", "results", "projects", "spaces"] as const;

function rowsOf(data: unknown): unknown[] | undefined {
  if (!isObject(data)) return undefined;
  const name = LISTS.find((one) => Array.isArray(data[one]));
  return name === undefined ? undefined : (data[name] as unknown[]);
}

function idOf(row: unknown): string[] {
  if (!isObject(row)) return [];
  const id = row.key ?? row.id;
  return typeof id === "string" ? [id] : [];
}
