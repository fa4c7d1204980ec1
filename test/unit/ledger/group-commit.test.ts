import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, sql, SqliteDialect } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { JsonValue } from "#contract/json.ts";
import { createRedactor } from "#src/base/redact.ts";
import { verifyAudit } from "#src/ledger/audit.ts";
import { createTransact, type Transact } from "#src/ledger/transact.ts";
import { openNodeSqlite } from "#src/store/node-sqlite.ts";
import { migrate, openEmbeddedStore, type Store } from "#src/store/open.ts";
import type { Schema } from "#src/store/schema.ts";
import { storeTrouble } from "#src/store/store-errors.ts";

describe("works that are committed together", () => {
  let folder: string;
  let store: Store;
  let transact: Transact;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "countersign-test-"));
    store = await openEmbeddedStore(folder);
    transact = createTransact(store.db, { kind: "sqlite", redactor: createRedactor([]), now: store.now });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const put = (key: string, value = "x", fails = false): Promise<string> =>
    transact(async (tx, note) => {
      await tx.insertInto("kv").values({ key, value }).execute();
      note({ kind: "test.put", data: { key } });
      if (fails) throw new Error(`${key} fails`);
      return key;
    });
  const keys = async (): Promise<string[]> =>
    (await store.db.selectFrom("kv").select("key").orderBy("key").execute()).map((row) => row.key);
  const noted = async (): Promise<number> =>
    (await store.db.selectFrom("audit").select("seq").execute()).length;

  it("[audit.chain] undoes only the one that rejects, with its audit entry", async () => {
    const all = await Promise.allSettled([put("a"), put("b", "x", true), put("c")]);
    expect(all.map((one) => one.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await keys()).toEqual(["a", "c"]);
    expect(await noted()).toBe(2);
    expect(await verifyAudit(store.db)).toMatchObject({ ok: true });
  });

  it("[audit.chain] undoes only the one whose audit entry cannot be written", async () => {
    // Deeper than any recursion goes, and yet read from JSON.
    const deep = JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) as JsonValue;
    const poison = transact(async (tx, note) => {
      await tx.insertInto("kv").values({ key: "deep", value: "x" }).execute();
      note({ kind: "test.deep", data: { deep } });
    });
    const all = await Promise.allSettled([put("a"), poison, put("c")]);
    expect(all.map((one) => one.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await keys()).toEqual(["a", "c"]);
    expect(await noted()).toBe(2);
    expect(await verifyAudit(store.db)).toMatchObject({ ok: true });
  });

  it("resolves only what is committed: another connection sees it at once", async () => {
    const { openEmbeddedStoreForReading } = await import("#src/store/open.ts");
    const reader = openEmbeddedStoreForReading(folder);
    try {
      const seen = await Promise.all(
        Array.from({ length: 200 }, async (_, at) => {
          const key = await put(`k${at}`);
          const row = await reader.db
            .selectFrom("kv")
            .select("key")
            .where("key", "=", key)
            .executeTakeFirst();
          return row?.key === key;
        }),
      );
      expect(seen).toEqual(Array.from({ length: 200 }, () => true));
    } finally {
      await reader.close();
    }
  });

  it("lets all of a group fail when the disk is full, and goes on once there is room", async () => {
    await put("before");
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
    const pages = rows[0]?.page_count ?? 0;
    await sql.raw(`pragma max_page_count = ${pages + 2}`).execute(store.db);
    const big = "y".repeat(200_000);
    const all = await Promise.allSettled([put("small"), put("big", big), put("later")]);
    for (const one of all) {
      expect(one.status).toBe("rejected");
      if (one.status === "rejected") expect(String(one.reason)).toMatch(/full/);
    }
    expect(await keys()).toEqual(["before"]);
    await sql.raw(`pragma max_page_count = 1000000`).execute(store.db);
    expect(await put("after")).toBe("after");
    expect(await verifyAudit(store.db)).toMatchObject({ ok: true });
    expect(await noted()).toBe(2);
  });

  it("[audit.chain] goes on behind a group that was committed although its folder was gone for a moment", async () => {
    let left = -1;
    const requireDurable = (): void => {
      left -= 1;
      if (left === 0) throw storeTrouble("store_lost", new Error("gone for a moment"));
    };
    const database = openNodeSqlite(join(folder, "moment.db"), { requireDurable });
    const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
    await migrate(db, "sqlite");
    const write = createTransact(db, { kind: "sqlite", redactor: createRedactor([]), now: store.now });
    const add = (): Promise<void> =>
      write(async (_, note) => {
        note({ kind: "plain" });
      });
    await add();
    // Before the transaction, and after its commit.
    left = 2;
    await expect(add()).rejects.toThrow("gone from its place");
    await add();
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: 3 });
    await db.destroy();
  });

  it("lets other events in while there is a backlog", async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 640 }, (_, at) => put(`k${at}`)));
    isDone = true;
    expect(turns).toBeGreaterThan(5);
  });
});
