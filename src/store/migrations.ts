import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

export type StoreKind = "sqlite" | "postgres";

/** All migrations by name; they run in the order of their names, once. */
export function migrations(kind: StoreKind): Record<string, Migration> {
  return {
    "0001_first": first(kind),
    "0002_messages": messages(kind),
    "0003_given": given,
    "0004_reminders": reminders(kind),
    "0005_questions": questionsAndFiles(kind),
    "0006_memories": memories(kind),
    "0007_expiring": expiring,
    "0008_tool_vectors": toolVectors(kind),
    "0009_took_part": tookPart,
  };
}

function first(kind: StoreKind): Migration {
  // Millisecond times and counters do not fit Postgres' 32-bit integer.
  const whole = kind === "postgres" ? "bigint" : "integer";
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await identity(db.schema.createTable("turns"), kind, "position")
        .addColumn("id", "text", (c) => c.notNull().unique())
        .addColumn("surface", "text", (c) => c.notNull())
        .addColumn("actor", "text", (c) => c.notNull())
        .addColumn("conversation_id", "text", (c) => c.notNull())
        .addColumn("channel", "text", (c) => c.notNull())
        .addColumn("message", "text", (c) => c.notNull())
        .addColumn("event_key", "text", (c) => c.unique())
        .addColumn("state", "text", (c) => c.notNull())
        .addColumn("allow_summarization", "integer", (c) => c.notNull())
        .addColumn("created_at", whole, (c) => c.notNull())
        .addColumn("updated_at", whole, (c) => c.notNull())
        .addColumn("result", "text")
        .addColumn("error", "text")
        .addColumn("stopped_by", "text")
        .addColumn("attempts", "integer", (c) => c.notNull().defaultTo(0))
        .addColumn("epoch", "integer", (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createIndex("turns_by_conversation")
        .on("turns")
        .columns(["conversation_id", "position"])
        .execute();
      // Recovery looks for unfinished turns only: the index stays small whatever the history.
      await db.schema
        .createIndex("turns_unfinished")
        .on("turns")
        .column("position")
        .where(sql.ref("state"), "in", [
          sql.lit("queued"),
          sql.lit("running"),
          sql.lit("pending_confirmation"),
        ])
        .execute();
      await db.schema
        .createTable("events")
        .addColumn("turn_id", "text", (c) => c.notNull())
        .addColumn("seq", "integer", (c) => c.notNull())
        .addColumn("at", whole, (c) => c.notNull())
        .addColumn("data", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("events_key", ["turn_id", "seq"])
        .execute();
      await db.schema
        .createTable("steps")
        .addColumn("turn_id", "text", (c) => c.notNull())
        .addColumn("seq", "integer", (c) => c.notNull())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("step", "integer", (c) => c.notNull())
        .addColumn("state", "text", (c) => c.notNull())
        .addColumn("at", whole, (c) => c.notNull())
        .addColumn("data", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("steps_key", ["turn_id", "seq"])
        .execute();
      await db.schema
        .createTable("calls")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("turn_id", "text", (c) => c.notNull())
        .addColumn("step", "integer", (c) => c.notNull())
        .addColumn("place", "integer", (c) => c.notNull())
        .addColumn("tool_id", "text", (c) => c.notNull())
        .addColumn("server", "text", (c) => c.notNull())
        .addColumn("args", "text", (c) => c.notNull())
        .addColumn("state", "text", (c) => c.notNull())
        .addColumn("approval_id", "text")
        .addColumn("repeatable", "integer", (c) => c.notNull())
        .addColumn("outcome", "text")
        .addColumn("started_at", whole)
        .addColumn("ended_at", whole)
        .addUniqueConstraint("calls_place", ["turn_id", "step", "place"])
        .execute();
      await db.schema
        .createTable("approvals")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("turn_id", "text", (c) => c.notNull())
        .addColumn("call_id", "text", (c) => c.notNull().unique())
        .addColumn("conversation_id", "text", (c) => c.notNull())
        .addColumn("channel", "text", (c) => c.notNull())
        .addColumn("key", "text", (c) => c.notNull())
        .addColumn("binding", "text", (c) => c.notNull())
        .addColumn("tool_id", "text", (c) => c.notNull())
        .addColumn("tool_description", "text", (c) => c.notNull())
        .addColumn("tool_digest", "text", (c) => c.notNull())
        .addColumn("args", "text", (c) => c.notNull())
        .addColumn("effect", "text")
        .addColumn("state", "text", (c) => c.notNull())
        .addColumn("rule", "text", (c) => c.notNull())
        .addColumn("requested_by", "text", (c) => c.notNull())
        .addColumn("approvers", "text", (c) => c.notNull())
        .addColumn("exclude_requester", "integer", (c) => c.notNull())
        .addColumn("reason_required", "integer", (c) => c.notNull())
        .addColumn("quorum", "integer", (c) => c.notNull())
        .addColumn("created_at", whole, (c) => c.notNull())
        .addColumn("expires_at", whole, (c) => c.notNull())
        .addColumn("decided_at", whole)
        .addColumn("note", "text")
        .addColumn("lookup", "text")
        .addColumn("grants", "text")
        .addColumn("replaced_by", "text")
        .addColumn("evidence", "text")
        .addColumn("lease_owner", "text")
        .addColumn("lease_until", whole)
        .execute();
      await db.schema
        .createIndex("approvals_by_state")
        .on("approvals")
        .columns(["state", "expires_at"])
        .execute();
      await db.schema
        .createIndex("approvals_by_conversation")
        .on("approvals")
        .columns(["conversation_id", "key"])
        .execute();
      await db.schema.createIndex("approvals_by_turn").on("approvals").column("turn_id").execute();
      await db.schema
        .createTable("votes")
        .addColumn("approval_id", "text", (c) => c.notNull())
        .addColumn("actor", "text", (c) => c.notNull())
        .addColumn("decision", "text", (c) => c.notNull())
        .addColumn("reason", "text")
        .addColumn("at", whole, (c) => c.notNull())
        .addPrimaryKeyConstraint("votes_key", ["approval_id", "actor"])
        .execute();
      await db.schema
        .createTable("grants")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("conversation_id", "text", (c) => c.notNull())
        .addColumn("tool_id", "text", (c) => c.notNull())
        .addColumn("tool_digest", "text", (c) => c.notNull())
        .addColumn("rule", "text", (c) => c.notNull())
        .addColumn("args", "text", (c) => c.notNull())
        .addColumn("vary", "text", (c) => c.notNull())
        .addColumn("granted_by", "text", (c) => c.notNull())
        .addColumn("approval_id", "text", (c) => c.notNull())
        .addColumn("created_at", whole, (c) => c.notNull())
        .addColumn("expires_at", whole, (c) => c.notNull())
        .addColumn("max_uses", "integer", (c) => c.notNull())
        .addColumn("uses", "integer", (c) => c.notNull())
        .addColumn("revoked_at", whole)
        .addColumn("revoked_by", "text")
        .execute();
      await db.schema
        .createIndex("grants_by_tool")
        .on("grants")
        .columns(["conversation_id", "tool_id"])
        .execute();
      await db.schema
        .createTable("audit")
        .addColumn("seq", whole, (c) => c.primaryKey())
        .addColumn("at", whole, (c) => c.notNull())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("turn_id", "text")
        .addColumn("approval_id", "text")
        .addColumn("actor", "text")
        .addColumn("data", "text", (c) => c.notNull())
        .addColumn("prev", "text", (c) => c.notNull())
        .addColumn("hash", "text", (c) => c.notNull())
        .execute();
      await db.schema
        .createTable("kv")
        .addColumn("key", "text", (c) => c.primaryKey())
        .addColumn("value", "text", (c) => c.notNull())
        .addColumn("expires_at", whole)
        .execute();
    },
  };
}

/** Where turns are shown on chat platforms, and how far each message shows what happened. */
function messages(kind: StoreKind): Migration {
  const whole = kind === "postgres" ? "bigint" : "integer";
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("messages")
        .addColumn("turn_id", "text", (c) => c.primaryKey())
        .addColumn("surface", "text", (c) => c.notNull())
        .addColumn("place", "text", (c) => c.notNull())
        .addColumn("ref", "text")
        .addColumn("shown_seq", "integer", (c) => c.notNull().defaultTo(0))
        .addColumn("shown_approvals", "text")
        .addColumn("state", "text", (c) => c.notNull())
        .addColumn("lease_owner", "text")
        .addColumn("lease_until", whole)
        .execute();
      // Both stay small whatever the history: messages at work, and messages that wait for a person.
      await db.schema
        .createIndex("messages_leased")
        .on("messages")
        .columns(["surface", "lease_until"])
        .where(sql.ref("lease_owner"), "is not", null)
        .execute();
      await db.schema
        .createIndex("messages_settled")
        .on("messages")
        .columns(["surface", "turn_id"])
        .where(sql.ref("state"), "=", sql.lit("settled"))
        .execute();
    },
  };
}

/** Reminders of requests that wait: when each is due, when it was made, and who shows it. */
function reminders(kind: StoreKind): Migration {
  const whole = kind === "postgres" ? "bigint" : "integer";
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("approvals").addColumn("remind_at", whole).execute();
      await db.schema.alterTable("approvals").addColumn("reminded_at", whole).execute();
      // Only what waits and has a reminder, made or to be made.
      await db.schema
        .createIndex("approvals_to_remind")
        .on("approvals")
        .column("remind_at")
        .where(sql.ref("state"), "=", sql.lit("pending"))
        .where(sql.ref("remind_at"), "is not", null)
        .execute();
      await db.schema.createIndex("grants_by_approval").on("grants").column("approval_id").execute();
      await db.schema
        .createTable("reminders")
        .addColumn("approval_id", "text", (c) => c.primaryKey())
        .addColumn("state", "text", (c) => c.notNull())
        .addColumn("lease_owner", "text")
        .addColumn("lease_until", whole)
        .execute();
    },
  };
}

function identity(
  table: CreateTableBuilder<string>,
  kind: StoreKind,
  column: string,
): CreateTableBuilder<string, string> {
  return kind === "postgres"
    ? table.addColumn(column, "bigserial", (c) => c.primaryKey())
    : table.addColumn(column, "integer", (c) => c.primaryKey().autoIncrement());
}

/** Of the plain state only what is kept for a while. */
const expiring: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createIndex("kv_expiring")
      .on("kv")
      .column("expires_at")
      .where(sql.ref("expires_at"), "is not", null)
      .execute();
  },
};

/** What somebody took part in, by who asked, decided or edited. */
const tookPart: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex("turns_by_actor").on("turns").columns(["actor", "conversation_id"]).execute();
    await db.schema.createIndex("votes_by_actor").on("votes").columns(["actor", "approval_id"]).execute();
    await db.schema
      .createIndex("approvals_by_requester")
      .on("approvals")
      .columns(["requested_by", "conversation_id"])
      .execute();
  },
};

/** What comes with a message beside its words. */
const given: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable("turns").addColumn("given", "text").execute();
  },
};

/** What servers ask people in the middle of a call, and the files that calls brought. */
function questionsAndFiles(kind: StoreKind): Migration {
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

/** Passages of tool outputs with their vectors, for later turns of the conversation. */
function memories(kind: StoreKind): Migration {
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

/** Vectors of what tools say of themselves, for choosing tools by meaning. */
function toolVectors(kind: StoreKind): Migration {
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
