import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

import type { StoreKind } from "./migrations.ts";

/** Passages of tool outputs with their vectors, for later turns of the conversation. */
export function memories(kind: StoreKind): Migration {
  const whole = kind === "postgres" ? "bigint" : "integer";
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("memories")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("conversation_id", "text", (c) => c.notNull())
        .addColumn("turn_id", "text", (c) => c.notNull())
        .addColumn("tool_id", "text", (c) => c.notNull())
        .addColumn("model", "text", (c) => c.notNull())
        .addColumn("vector", "text", (c) => c.notNull())
        .addColumn("passage", "text", (c) => c.notNull())
        .addColumn("at", whole, (c) => c.notNull())
        .execute();
      await db.schema
        .createIndex("memories_by_conversation")
        .on("memories")
        .columns(["conversation_id", "at"])
        .execute();
      await db.schema.createIndex("memories_by_age").on("memories").column("at").execute();
    },
  };
}
