import * as fc from "fast-check";
import { expect, it } from "vitest";

import { before, placeGraph } from "#adapters/document/graph.ts";

const nodes = fc.array(fc.record({ text: fc.constant("a"), after: fc.array(fc.nat(30), { maxLength: 5 }) }), {
  maxLength: 30,
});

it("[view.neutral] each line of a drawing goes from its node over free places to the one after it", () => {
  fc.assert(
    fc.property(nodes, (given) => {
      const placed = placeGraph(given);
      const edges = given.flatMap((node, index) => before(node, index).map((one) => [one, index] as const));
      if (placed === undefined) return;
      expect(placed.lines).toHaveLength(edges.length);
      for (const [at, [from, to]] of edges.entries()) {
        const line = placed.lines[at] ?? [];
        expect([line[0], line.at(-1)]).toEqual([placed.places[from], placed.places[to]]);
        expect(line.map(({ column }) => column - (line[0]?.column ?? 0))).toEqual([...line.keys()]);
      }
      const taken = new Set([...placed.places, ...placed.lines.flatMap((line) => line.slice(1, -1))]);
      expect(new Set([...taken].map(({ column, row }) => `${column}:${row}`)).size).toBe(taken.size);
      for (const { column, row } of taken) {
        expect(column).toBeLessThan(placed.columns);
        expect(Math.abs(row)).toBeLessThanOrEqual((placed.rows - 1) / 2);
      }
    }),
    { numRuns: 200 },
  );
});

it("[view.neutral] lines do not cross where they need not", () => {
  const placed = placeGraph([
    { text: "a", after: [] },
    { text: "b", after: [] },
    { text: "c", after: [1] },
    { text: "d", after: [0] },
  ]);
  const rows = placed?.places.map(({ row }) => row) ?? [];
  expect(rows[0]).toBe(rows[3]);
  expect(rows[1]).toBe(rows[2]);
});
