import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { Kysely, PostgresDialect } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";

import type { EmbedPort } from "#contract/model.ts";
import { createRedactor } from "#src/base/redact.ts";
import { packVector } from "#src/base/vectors.ts";
import { migrate, openEmbeddedStore } from "#src/store/open.ts";
import type { Db, Schema } from "#src/store/schema.ts";
import { openPostgresVectors, type VectorSearch } from "#src/store/vectors.ts";
import { createMemory, type Memory } from "#src/turn/memory.ts";
import type { StoredTurn } from "#src/turn/rows.ts";

import { ana, createTurnHouse } from "./house.ts";

const embedder = {
  model: "flat",
  embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => [1, 0])),
} as unknown as EmbedPort;
const nothing = (): void => undefined;

function memoryOf(
  db: Db,
  { vectors, journal }: { vectors?: VectorSearch | undefined; journal?: unknown },
): Memory {
  const memory = createMemory({
    db,
    vectors,
    journal: journal as never,
    redactor: createRedactor([]),
    embedder: () => embedder,
    showsTool: (tool) => !tool.startsWith("hidden."),
    maxAgeMs: 60_000,
    tokens: 100,
    now: () => 1_000_000,
    log: { debug: nothing, warn: (data) => expect(data).toEqual({}) },
  });
  onTestFinished(() => memory.close());
  return memory;
}

async function openSqlite() {
  const folder = await mkdtemp(join(tmpdir(), "countersign-turn-"));
  const store = await openEmbeddedStore(folder);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

/** Postgres with pgvector, as an operator's may have it. */
async function openPgvector(): Promise<{ db: Db; vectors: VectorSearch | undefined }> {
  const postgres = await PGlite.create({ extensions: { vector } });
  const query = async (text: string, values: unknown[] = []) => {
    const { rows, affectedRows } = await postgres.query(text, values);
    return { rows, command: "SELECT", rowCount: affectedRows ?? rows.length };
  };
  const client = { query, release: nothing };
  const pool = { connect: () => Promise.resolve(client), end: () => postgres.close() };
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as never }) });
  onTestFinished(() => db.destroy());
  await migrate(db, "postgres");
  return { db, vectors: await openPostgresVectors(db) };
}

it("remembers a turn once, however often its run is looked at again", async () => {
  const store = await openSqlite();
  const house = createTurnHouse(store);
  const memory = memoryOf(store.db, { vectors: store.vectors, journal: house.journal });
  const { turnId, approval } = await house.askForChange();
  await house.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
  await house.run(turnId, new AbortController().signal);
  await memory.remember(turnId);
  await memory.remember(turnId);
  expect(await store.db.selectFrom("memories").select("turn_id").execute()).toEqual([{ turn_id: turnId }]);
});

describe("what resembles a message most", () => {
  const turn = { id: "turn_now", conversationId: "c", message: "x", allowSummarization: true };

  async function fill(db: Db, vectors: VectorSearch | undefined): Promise<void> {
    const row = (at: number, given: number[], more: object = {}) => ({
      id: `mem_${at}`,
      conversation_id: "c",
      turn_id: "turn_before",
      tool_id: "jira.get_issue",
      model: "flat",
      passage: `passage ${at}`,
      at: 999_000 + at,
      ...(vectors === undefined
        ? { vector: packVector(given) }
        : { vector: "", embedding: vectors.column(given) }),
      ...more,
    });
    await db
      .insertInto("memories")
      .values([
        row(1, [2, 0.1]),
        row(2, [0, 1]),
        row(3, [1, 0.5]),
        row(4, [1, 0], { tool_id: "hidden.secret" }),
        row(5, [1, 0], { conversation_id: "other" }),
        row(6, [1, 0], { model: "another" }),
        row(7, [1, 0, 0]),
        row(8, [1, 0], { turn_id: turn.id }),
        row(9, [1, 0], { at: 900_000 }),
      ])
      .execute();
  }

  async function recalled(db: Db, vectors: VectorSearch | undefined): Promise<string[]> {
    const memory = memoryOf(db, { vectors });
    const found = await memory.recall(turn as unknown as StoredTurn, new AbortController().signal);
    return found.map(({ text, permit }) => text.reveal(permit));
  }

  it("[llm.embed] is found by SQLite itself, and without its help alike", async () => {
    const { db, vectors } = await openSqlite();
    expect(vectors?.name).toBe("sqlite-vec");
    await fill(db, vectors);
    expect(await recalled(db, vectors)).toEqual(["passage 1", "passage 3"]);
    await db.deleteFrom("memories").execute();
    await fill(db, undefined);
    expect(await recalled(db, undefined)).toEqual(["passage 1", "passage 3"]);
  });

  it("[llm.embed] is found by Postgres with pgvector, as an operator may have it", async () => {
    const { db, vectors } = await openPgvector();
    expect(vectors?.name).toBe("pgvector");
    // Another replica finds it as the first one left it.
    expect(await openPostgresVectors(db)).toBe(vectors);
    await fill(db, vectors);
    expect(await recalled(db, vectors)).toEqual(["passage 1", "passage 3"]);
  });
});
