import { isObject } from "./match.ts";
import type { ShownResult } from "./site.ts";

/**
 * The keys and ids that a turn's cards show, in their order: of the last result that worked, in each way that it can
 * be read (an epic is itself, or what is in it), then those of all records that were opened one by one.
 */
export function idsOf(results: readonly ShownResult[]): string[][] {
  const worked = results.filter(({ ok }) => ok);
  const last = worked.at(-1);
  if (last === undefined) return [];
  const single = worked.filter((one) => !isList(one)).flatMap((one) => readingsOf(one)[0] ?? []);
  return [...readingsOf(last), ...(worked.length > 1 ? [[...new Set(single)]] : [])];
}

/** Whether it is a list of records, not one. */
export function isList(result: ShownResult | undefined): boolean {
  return result?.ok === true && rowsOf(result.data) !== undefined;
}

/** How many there are in all, where the last result says so. */
export function totalOf(results: readonly ShownResult[]): number | undefined {
  const data = results.findLast(({ ok }) => ok)?.data;
  if (!isObject(data)) return undefined;
  if (typeof data.total === "number") return data.total;
  return rowsOf(data)?.length;
}

function readingsOf({ data }: ShownResult): string[][] {
  if (!isObject(data)) return [];
  const rows = rowsOf(data);
  if (rows !== undefined) return [rows.flatMap(idOf)];
  if (isObject(data.epic) && Array.isArray(data.children)) {
    const children = data.children.flatMap(idOf);
    return [idOf(data.epic), children, [...idOf(data.epic), ...children]];
  }
  return [idOf(data)];
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
