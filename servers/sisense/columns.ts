import { z } from "zod";

import type { Api } from "./api.ts";
import { columnType, type FullDashboard, type Model, tablesOf } from "./shapes.ts";

export interface UsedColumn {
  table: string;
  column: string;
  /** Where it stands, such as a widget's title or `filter`. */
  place: string;
}

const jaqlSchema = z.looseObject({
  table: z.string().optional(),
  column: z.string().optional(),
  dim: z.string().optional(),
});

/** Every column that a dashboard shows or filters by, also within formulas. */
export function columnsUsed({ widgets, filters }: FullDashboard): UsedColumn[] {
  const found = new Map<string, UsedColumn>();
  const look = (value: unknown, place: string, depth = 0): void => {
    if (typeof value !== "object" || value === null || depth > 20) return;
    const jaql = Array.isArray(value) ? undefined : jaqlSchema.safeParse(value).data;
    const [, table = jaql?.table, column = jaql?.column] =
      /^\[(.+)\.(.+?)(?: \(Calendar\))?\]$/.exec(jaql?.dim ?? "") ?? [];
    if (table !== undefined && column !== undefined) {
      const one = { table, column, place };
      found.set(`${usedKey(one)}\n${place}`, one);
    }
    for (const member of Object.values(value)) look(member, place, depth + 1);
  };
  look(filters, "filter");
  for (const widget of widgets) look(widget["metadata"], widget.title === "" ? widget.oid : widget.title);
  return [...found.values()];
}

export function usedKey({ table, column }: { table: string; column: string }): string {
  return JSON.stringify([table.toLowerCase(), column.toLowerCase()]);
}

export async function columnsOf(api: Api, reference: string): Promise<{ model: Model; rows: object[] }> {
  const model = await api.model(reference);
  const rows = tablesOf(model).flatMap((table) =>
    table.columns.map((column) => ({
      datamodel: model.title,
      table: table.name,
      column: column.name,
      type: columnType(column.type),
    })),
  );
  return { model, rows };
}

/** Columns of a model, and whether a dashboard on it shows or filters by them. */
export async function unusedColumns(api: Api, reference: string): Promise<Record<string, unknown>[]> {
  const { model, rows } = await columnsOf(api, reference);
  const on = (await api.dashboards()).filter(({ datamodel }) => datamodel === model.title);
  const used = new Set<string>();
  for (const { id } of on)
    for (const column of columnsUsed(await api.exportDashboard(id))) used.add(usedKey(column));
  return rows.map((row) => {
    const { table, column } = row as { table: string; column: string };
    return { ...row, used: used.has(usedKey({ table, column })) };
  });
}
