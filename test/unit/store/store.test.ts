import { chmodSync, copyFileSync, renameSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createKeyv } from "#src/store/keyv.ts";
import { openEmbeddedStore, openEmbeddedStoreForReading, type Store } from "#src/store/open.ts";

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "store-"));
  store = await openEmbeddedStore(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function schemaOf(): Promise<unknown[]> {
  const { rows } = await sql`select name, sql from sqlite_schema order by name`.execute(store.db);
  return rows;
}

describe("the embedded store", () => {
  it("is opened again as it was: its migrations run once", async () => {
    await store.db.insertInto("kv").values({ key: "kept", value: "yes", expires_at: null }).execute();
    const before = await schemaOf();
    const { rows: ran } = await sql`select name from kysely_migration`.execute(store.db);
    await store.close();
    store = await openEmbeddedStore(folder);
    expect(await schemaOf()).toEqual(before);
    expect((await sql`select name from kysely_migration`.execute(store.db)).rows).toEqual(ran);
    expect(await store.db.selectFrom("kv").selectAll().execute()).toEqual([
      { key: "kept", value: "yes", expires_at: null },
    ]);
  });

  it("survives a power cut at any commit: WAL and full synchronisation are on", async () => {
    const { rows: journal } = await sql`pragma journal_mode`.execute(store.db);
    const { rows: synchronous } = await sql`pragma synchronous`.execute(store.db);
    expect(journal).toEqual([{ journal_mode: "wal" }]);
    expect(synchronous).toEqual([{ synchronous: 2 }]);
  });

  it("refuses a second opening of its folder", async () => {
    await expect(openEmbeddedStore(folder)).rejects.toMatchObject({ code: "data_folder_in_use" });
    expect(await store.check()).toEqual({ ok: true });
  });

  it("can be read beside the process that holds it, and not written", async () => {
    const reader = openEmbeddedStoreForReading(folder);
    expect(await reader.db.selectFrom("turns").selectAll().execute()).toEqual([]);
    await expect(
      reader.db.insertInto("kv").values({ key: "a", value: "b", expires_at: null }).execute(),
    ).rejects.toMatchObject({ code: "store_read_only" });
    await reader.close();
  });

  it("says so when it does not answer", async () => {
    const closed = await openEmbeddedStore(join(folder, "other"));
    await closed.close();
    expect(await closed.check()).toMatchObject({ ok: false, error: expect.any(String) });
  });

  it("undoes a transaction that fails", async () => {
    const failing = store.db.transaction().execute(async (tx) => {
      await tx.insertInto("kv").values({ key: "half", value: "", expires_at: null }).execute();
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await store.db.selectFrom("kv").selectAll().execute()).toEqual([]);
  });

  it("keeps its writers apart: transactions that read and write the same row do not lose a step", async () => {
    await store.db.insertInto("kv").values({ key: "n", value: "0", expires_at: null }).execute();
    const step = (): Promise<void> =>
      store.db.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom("kv")
          .select("value")
          .where("key", "=", "n")
          .executeTakeFirstOrThrow();
        await tx
          .updateTable("kv")
          .set({ value: String(Number(row.value) + 1) })
          .where("key", "=", "n")
          .execute();
      });
    await Promise.all(Array.from({ length: 25 }, step));
    expect(await store.db.selectFrom("kv").select("value").execute()).toEqual([{ value: "25" }]);
  });

  it("tells a full database by its code, also when it fails inside a transaction", async () => {
    // As small as it may be now: the next page that is needed is refused as on a full disk.
    await sql`pragma max_page_count = 1`.execute(store.db);
    const big = "x".repeat(1_000_000);
    const writing = store.db.transaction().execute(async (tx) => {
      await tx.insertInto("kv").values({ key: "big", value: big, expires_at: null }).execute();
    });
    await expect(writing).rejects.toMatchObject({ code: "store_full", forPeople: true });
    // And the store goes on.
    await sql`pragma max_page_count = 1000000`.execute(store.db);
    await store.db.insertInto("kv").values({ key: "big", value: big, expires_at: null }).execute();
    expect(await store.check()).toEqual({ ok: true });
  });

  it("keeps its files from other users, also those that SQLite makes and those that stood open", async () => {
    await store.db.insertInto("kv").values({ key: "a", value: "b", expires_at: null }).execute();
    const files = ["countersign.db", "countersign.db-wal", "countersign.db-shm", "lock.db", "lock.pid"];
    const modes = (): number[] => files.map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes()).toEqual(files.map(() => 0o600));
    await store.close();
    chmodSync(join(folder, "countersign.db"), 0o644);
    chmodSync(folder, 0o755);
    const told: string[] = [];
    const tell = (_: object, message: string): void => void told.push(message);
    store = await openEmbeddedStore(folder, { info: tell, warn: tell, error: tell });
    await store.db.insertInto("kv").values({ key: "c", value: "d", expires_at: null }).execute();
    expect(modes()).toEqual(files.map(() => 0o600));
    expect(told.join("\n")).toMatch(/run chmod 700[^]*others could read .*countersign\.db until now/);
  });

  it.each(["countersign.db", "countersign.db-wal", "lock.db"])(
    "acknowledges nothing once another %s stands at its place, whatever way it is written",
    async (name) => {
      const write = (key: string): Promise<unknown> =>
        store.db.insertInto("kv").values({ key, value: "", expires_at: null }).execute();
      await write("before");
      const path = join(folder, name);
      renameSync(path, `${path}.away`);
      copyFileSync(`${path}.away`, path);
      const lost = { code: "store_lost", forPeople: true };
      await expect(write("alone")).rejects.toMatchObject(lost);
      const grouped = store.db.transaction().execute(async (tx) => {
        await tx.insertInto("kv").values({ key: "in a transaction", value: "", expires_at: null }).execute();
      });
      await expect(grouped).rejects.toMatchObject(lost);
      const returned = store.db
        .insertInto("kv")
        .values({ key: "given back", value: "", expires_at: null })
        .returning("key")
        .execute();
      await expect(returned).rejects.toMatchObject(lost);
      expect(await store.check()).toMatchObject({ ok: false, code: "store_lost" });
      renameSync(`${path}.away`, path);
      expect(await store.check()).toEqual({ ok: true });
      await write("after");
      const rows = await store.db.selectFrom("kv").select("key").orderBy("key").execute();
      expect(rows.map(({ key }) => key)).toEqual(["after", "before"]);
    },
  );

  it("waits for a reader of the file", async () => {
    const reader = new DatabaseSync(join(folder, "countersign.db"), { readOnly: true });
    reader.exec("begin; select * from kv;");
    await store.db.insertInto("kv").values({ key: "a", value: "b", expires_at: null }).execute();
    reader.close();
    expect(await store.db.selectFrom("kv").select("key").execute()).toEqual([{ key: "a" }]);
  });
});

describe("plain key-value state", () => {
  it("is kept over a restart, per namespace, and can be deleted", async () => {
    const one = createKeyv<{ n: number }>(store.db, "one");
    const two = createKeyv<string>(store.db, "two");
    await one.set("a", { n: 1 });
    await two.set("a", "other");
    await store.close();
    store = await openEmbeddedStore(folder);
    const again = createKeyv<{ n: number }>(store.db, "one");
    const other = createKeyv<string>(store.db, "two");
    expect(await again.get("a")).toEqual({ n: 1 });
    expect(await again.delete("a")).toBe(true);
    expect(await again.delete("a")).toBe(false);
    expect(await again.get("a")).toBeUndefined();
    await again.set("b", { n: 2 });
    await again.clear();
    expect(await again.has("b")).toBe(false);
    expect(await other.get("a")).toBe("other");
  });

  it("clears its own namespace only, whatever letters it has", async () => {
    const one = createKeyv<number>(store.db, "a_b");
    const two = createKeyv<number>(store.db, "axb");
    await one.set("k", 1);
    await two.set("k", 2);
    await one.clear();
    expect(await one.get("k")).toBeUndefined();
    expect(await two.get("k")).toBe(2);
  });

  it("forgets what has expired", async () => {
    const cache = createKeyv<string>(store.db, "cache");
    await cache.set("long", "still here", 60_000);
    await cache.set("short", "gone", 1);
    await store.db
      .updateTable("kv")
      .set({ expires_at: Date.now() - 1 })
      .where("key", "like", "%short")
      .execute();
    expect(await cache.get("short")).toBeUndefined();
    expect(await cache.has("short")).toBe(false);
    expect(await cache.get("long")).toBe("still here");
    // It goes from the table as well, with the next value that is kept for a while.
    await cache.set("next", "kept", 60_000);
    const rows = await store.db.selectFrom("kv").select("key").where("key", "like", "cache:%").execute();
    expect(rows.map(({ key }) => key).toSorted()).toEqual(["cache::long", "cache::next"]);
  });
});
