import { z } from "zod";

import type { FullDashboard } from "./shapes.ts";

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
