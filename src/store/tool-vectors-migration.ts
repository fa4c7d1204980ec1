import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

import type { StoreKind } from "./migrations.ts";

/** Vectors of what tools say of themselves, for choosing tools by meaning. */
export function toolVectors(kind: StoreKind): Migration {
  const whole = kind === "postgres" ? "bigint" : "integer";
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("tool_vectors")
        .addColumn("model", "text", (c) => c.notNull())
        .addColumn("key", "text", (c) => c.notNull())
        .addColumn("vector", "text", (c) => c.notNull())
        .addColumn("used_at", whole, (c) => c.notNull())
        .addPrimaryKeyConstraint("tool_vectors_key", ["model", "key"])
        .execute();
    },
  };
}
