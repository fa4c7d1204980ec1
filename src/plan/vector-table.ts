import { dotAt } from "../base/vectors.ts";

/** Vectors of one length side by side in memory: a look through 2,000 of them is bound by fetching them. */
export interface VectorTable {
  /** Ids of those that point most in this direction, best first; none that stand across or against it. */
  nearest(direction: Float32Array, most: number): string[];
}

/** Items without a vector, or with one of another length than the first, are not found. */
export function createVectorTable(
  items: readonly { id: string; vector: Float32Array | undefined }[],
): VectorTable {
  const width = items.find(({ vector }) => vector !== undefined)?.vector?.length ?? 0;
  const rows = new Float32Array(items.length * width);
  for (const [row, { vector }] of items.entries())
    if (vector?.length === width) rows.set(vector, row * width);

  return {
    nearest(direction, most) {
      if (direction.length !== width) return [];
      const likeness = Float64Array.from(items, (_, row) => dotAt(direction, rows, row * width));
      return [...likeness.keys()]
        .filter((row) => (likeness[row] ?? 0) > 0)
        .toSorted((a, b) => (likeness[b] ?? 0) - (likeness[a] ?? 0))
        .slice(0, most)
        .flatMap((row) => items[row]?.id ?? []);
    },
  };
}
