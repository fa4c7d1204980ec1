import * as fc from "fast-check";
import { expect, it } from "vitest";

import { filesOf } from "#adapters/chat/files.ts";
import type { Card, TableElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { createViews } from "#views/manager.ts";

it("[view.limits] attaches every row of which a card shows only the first", () => {
  const views = createViews({}, () => undefined);
  fc.assert(
    fc.property(fc.integer({ min: 201, max: 400 }), (count) => {
      const data = {
        page: {
          items: Array.from({ length: count }, (_, index) => ({ id: `id-${index}-end`, n: { deep: index } })),
        },
      };
      const input = { toolId: "a.b", server: "a", name: "b", args: {}, ok: true, data };
      const { card } = views.result(input);
      const files = filesOf(card, tablesOf(card), true, { data });
      const csv = files.find(({ filename }) => filename.endsWith(".csv"))?.content ?? "";
      for (let index = 0; index < count; index += 1) expect(csv).toContain(`id-${index}-end`);
      expect(csv.trim().split("\r\n")).toHaveLength(count + 1);
    }),
    { numRuns: 5 },
  );
});

it("[view.limits] attaches rows that name a column each in proportion to what they hold", () => {
  const rows = (many: number): object[] =>
    Array.from({ length: many }, (_, at) => ({ [`only-${at}`]: at, id: `id-${at}-end` }));
  const data = { rows: rows(4_000) as JsonValue };
  const { card } = createViews({}, () => undefined).result({
    toolId: "a.b",
    server: "a",
    name: "b",
    args: {},
    ok: true,
    data,
  });
  const [csv] = filesOf(card, tablesOf(card), true, { data });
  const lines = (csv?.content ?? "").trim().split("\r\n");
  expect(lines).toHaveLength(4_001);
  expect(lines[0]?.split(",")).toHaveLength(8);
  expect(lines.at(-1)).toContain("id-3999-end");
});

function tablesOf(card: Card): { isCut: boolean; element: TableElement }[] {
  const found: { isCut: boolean; element: TableElement }[] = [];
  const visit = (elements: Card["elements"]): void => {
    for (const element of elements) {
      if (element.type === "table") found.push({ isCut: true, element });
      if (element.type === "section") visit(element.elements);
    }
  };
  visit(card.elements);
  return found;
}
