import { packVector, unpackVector } from "../base/vectors.ts";
import type { Db } from "./schema.ts";

/** Vectors of what tools say of themselves, so that a restart does not embed a whole catalogue again. */
export interface ToolVectors {
  /** Those that are there, by their keys. */
  load(model: string, keys: readonly string[]): Promise<Map<string, Float32Array>>;
  /** Keeps vectors; of what is there already, the first stays. */
  keep(model: string, vectors: ReadonlyMap<string, ArrayLike<number>>): Promise<void>;
  /** Drops what was not loaded since `UNUSED_MS`. */
  dropUnused(): Promise<void>;
}

const UNUSED_MS = 30 * 86_400_000;
/** How exactly it is known when a row was last loaded: a start need not write 2,000 rows for it. */
const USED_WITHIN_MS = 86_400_000;
/** Both databases bound how many values one statement may have. */
const AT_ONCE = 500;

export function createToolVectors(db: Db, now: () => number): ToolVectors {
  return {
    async load(model, keys) {
      const found = new Map<string, Float32Array>();
      for (const some of inParts(keys)) {
        const rows = await db
          .selectFrom("tool_vectors")
          .select(["key", "vector", "used_at"])
          .where("model", "=", model)
          .where("key", "in", some)
          .execute();
        for (const { key, vector } of rows) found.set(key, unpackVector(vector));
        const at = now();
        const stale = rows.filter(({ used_at }) => used_at < at - USED_WITHIN_MS).map(({ key }) => key);
        if (stale.length > 0)
          await db
            .updateTable("tool_vectors")
            .set({ used_at: at })
            .where("model", "=", model)
            .where("key", "in", stale)
            .execute();
      }
      return found;
    },

    async keep(model, vectors) {
      const used_at = now();
      const rows = [...vectors].map(([key, vector]) => ({ key, model, vector: packVector(vector), used_at }));
      for (const some of inParts(rows))
        await db
          .insertInto("tool_vectors")
          .values(some)
          // Another replica may have made the same at the same time.
          .onConflict((conflict) => conflict.columns(["model", "key"]).doNothing())
          .execute();
    },

    async dropUnused() {
      await db
        .deleteFrom("tool_vectors")
        .where("used_at", "<", now() - UNUSED_MS)
        .execute();
    },
  };
}

function inParts<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, part) =>
    items.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
}
