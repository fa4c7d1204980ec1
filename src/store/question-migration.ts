import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { sql } from "kysely";

import type { StoreKind } from "./migrations.ts";

/** What servers ask people in the middle of a call, and the files that calls brought. */
export function questionsAndFiles(kind: StoreKind): Migration {
  const whole = kind === "postgres" ? "bigint" : "integer";
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("questions")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("turn_id", "text", (c) => c.notNull())
        .addColumn("conversation_id", "text", (c) => c.notNull())
        .addColumn("channel", "text", (c) => c.notNull())
        .addColumn("actor", "text", (c) => c.notNull())
        .addColumn("server", "text", (c) => c.notNull())
        .addColumn("tool_id", "text", (c) => c.notNull())
        .addColumn("body", "text", (c) => c.notNull())
        .addColumn("state", "text", (c) => c.notNull())
        .addColumn("content", "text")
        .addColumn("note", "text")
        .addColumn("created_at", whole, (c) => c.notNull())
        .addColumn("expires_at", whole, (c) => c.notNull())
        .addColumn("answered_at", whole)
        .addColumn("heard_until", whole, (c) => c.notNull())
        .execute();
      await db.schema.createIndex("questions_by_turn").on("questions").column("turn_id").execute();
      // Stays small whatever the history.
      await db.schema
        .createIndex("questions_open")
        .on("questions")
        .column("created_at")
        .where(sql.ref("state"), "=", sql.lit("open"))
        .execute();
      await db.schema
        .createTable("files")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("turn_id", "text", (c) => c.notNull())
        .addColumn("tool_id", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("media_type", "text", (c) => c.notNull())
        .addColumn("bytes", whole, (c) => c.notNull())
        .addColumn("data", "text", (c) => c.notNull())
        .addColumn("created_at", whole, (c) => c.notNull())
        .execute();
      await db.schema.createIndex("files_by_turn").on("files").column("turn_id").execute();
    },
  };
}
