import { closeSync, openSync, writeSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { backUpStore } from "#src/store/backup.ts";
import { openEmbeddedStore, type Store, type StoreLog } from "#src/store/open.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "damage-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A store that was used and closed, with so many bytes of state. */
async function used(size = 10): Promise<void> {
  const store = await openEmbeddedStore(folder);
  const value = "x".repeat(size);
  await store.db.insertInto("kv").values({ key: "a", value, expires_at: null }).execute();
  await store.close();
}

/** Flips every bit of a page's kind: the first page of what has this name. */
function breakFirstPageOf(name: string): void {
  const file = join(folder, "countersign.db");
  const db = new DatabaseSync(file, { readOnly: true });
  const found = db.prepare("select rootpage from sqlite_schema where name = ?").get(name);
  const size = db.prepare("pragma page_size").get();
  db.close();
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.from([0xff]), 0, 1, (Number(found?.rootpage) - 1) * Number(size?.page_size));
  closeSync(handle);
}

function indexOf(table: string): string {
  const db = new DatabaseSync(join(folder, "countersign.db"), { readOnly: true });
  const found = db.prepare("select name from sqlite_schema where type = 'index' and tbl_name = ?").get(table);
  db.close();
  return String(found?.name);
}

/** Opens it; `told` resolves with the first error in its log. */
function open(): { store: Promise<Store>; told: Promise<object> } {
  const { promise: told, resolve } = Promise.withResolvers<object>();
  const log: StoreLog = { info: () => undefined, warn: () => undefined, error: resolve };
  return { store: openEmbeddedStore(folder, log), told };
}

describe("a database file with flipped bits", () => {
  it("says nothing of a whole one", async () => {
    await used();
    const store = await open().store;
    expect(await store.check()).toEqual({ ok: true });
    await store.close();
  });

  it("is told, and served, where what is broken can be done without", async () => {
    await used();
    breakFirstPageOf(indexOf("memories"));
    const { store: opening, told } = open();
    const store = await opening;
    expect(await told).toMatchObject({ damage: [expect.stringContaining("page")] });
    expect(await store.check()).toMatchObject({ ok: true, damage: [expect.stringContaining("page")] });
    await store.close();
  });

  it.each(["turns", "approvals", "audit"])(
    "is refused where %s cannot be read, with what to do",
    async (table) => {
      await used();
      breakFirstPageOf(table);
      await expect(open().store).rejects.toMatchObject({
        code: "store_damaged",
        message: expect.stringMatching(new RegExp(`the table ${table} cannot be read.* restore a backup`)),
      });
      // The folder is free again.
      await expect(open().store).rejects.toMatchObject({ code: "store_damaged" });
    },
  );

  it("is looked through beside the work when it is large", async () => {
    await used(17 * 1024 * 1024);
    breakFirstPageOf(indexOf("memories"));
    const { store: opening, told } = open();
    const store = await opening;
    expect(await told).toMatchObject({ damage: [expect.stringContaining("page")] });
    expect(await store.check()).toMatchObject({ ok: true, damage: [expect.stringContaining("page")] });
    await store.close();
  });
});

it("[ops.backup] of two backups that write to one name at once one is there whole, and the other is told of it", async () => {
  await used(4_000_000);
  const to = join(folder, "b.db");
  const both = await Promise.allSettled([backUpStore(folder, to), backUpStore(folder, to)]);
  const refused = both.filter((one) => one.status === "rejected");
  expect(refused.map(({ reason }): unknown => reason)).toMatchObject([{ code: "backup_exists" }]);
  const db = new DatabaseSync(to, { readOnly: true });
  expect(db.prepare("select length(value) as size from kv").get()).toMatchObject({ size: 4_000_000 });
  db.close();
  expect((await readdir(folder)).filter((name) => name.includes(".part"))).toEqual([]);
});
