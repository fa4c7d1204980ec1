import { expect, it, onTestFinished } from "vitest";

import { postBuilt, runBuilt } from "#src/store/built.ts";
import type { Tx } from "#src/store/schema.ts";

import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();

it.each(storeKinds)(
  "a query on %s is built once for its shape, and takes the values of each run",
  async (kind) => {
    const pair = await stores.open(kind);
    onTestFinished(() => pair.close());
    const { db } = pair.first;
    let times = 0;
    const put = (...rows: { key: string; value: string; expires_at: number | null }[]) =>
      runBuilt(db, "put", rows, (on, all) => {
        times += 1;
        return on.insertInto("kv").values(all).returning("key");
      });
    expect(await put({ key: "a", value: "one\0", expires_at: null })).toEqual([{ key: "a" }]);
    await put({ key: "b", value: "two", expires_at: 7 });
    expect(times).toBe(1);
    await put({ key: "c", value: "three", expires_at: 1 }, { key: "d", value: "four", expires_at: null });
    expect(times).toBe(2);
    await db
      .transaction()
      .execute((tx) =>
        runBuilt(tx, "change", [{ key: "b", value: "new" }], (on, [{ key, ...set }]) =>
          on.updateTable("kv").set(set).where("key", "=", key),
        ),
      );
    const rows = await db
      .selectFrom("kv")
      .selectAll()
      .where("key", "in", ["a", "b", "c", "d"])
      .orderBy("key")
      .execute();
    expect(rows.map(({ value, expires_at: at }) => [value, at])).toEqual([
      [kind === "postgres" ? "one\uFFFD" : "one\0", null],
      ["new", 7],
      ["three", 1],
      ["four", null],
    ]);
  },
);

it.each(storeKinds)(
  "what is posted on %s is written with its transaction, and what fails undoes all of it",
  async (kind) => {
    const pair = await stores.open(kind);
    onTestFinished(() => pair.close());
    const { db } = pair.first;
    const put = (tx: Tx, key: string) =>
      postBuilt(tx, "put", [{ key, value: "", expires_at: null }], (on, all) =>
        on.insertInto("kv").values(all),
      );
    const keys = async (): Promise<string[]> =>
      (await db.selectFrom("kv").select("key").orderBy("key").execute()).map(({ key }) => key);
    const inOne = (...all: string[]) =>
      db.transaction().execute(async (tx) => {
        for (const key of all) await put(tx, key);
      });
    // Often enough to be prepared by its name.
    for (const key of ["a", "b", "c", "d"]) await inOne(`${key}1`, `${key}2`);
    const before = await keys();
    expect(before).toHaveLength(8);
    // Its last statement, one in the middle, and one that somebody waits behind.
    await expect(inOne("new", "a1")).rejects.toThrow(/unique/i);
    await expect(inOne("new", "a1", "newer")).rejects.toThrow(/unique/i);
    const behind = db.transaction().execute(async (tx) => {
      await put(tx, "new");
      await put(tx, "a1");
      await tx.selectFrom("kv").select("key").execute();
    });
    await expect(behind).rejects.toThrow(/unique/i);
    // A failure that somebody let pass is no success of the commit: Postgres has undone all of it.
    if (kind === "postgres") {
      const passed = db.transaction().execute(async (tx) => {
        await put(tx, "new");
        await put(tx, "a1");
        await tx
          .selectFrom("kv")
          .select("key")
          .execute()
          .catch(() => []);
      });
      await expect(passed).rejects.toThrow(/rolled back/i);
    }
    // Whoever gives up for a reason of their own is told that one.
    const given = db.transaction().execute(async (tx) => {
      await put(tx, "new");
      await put(tx, "a1").catch(() => undefined);
      throw new Error("given up");
    });
    await expect(given).rejects.toThrow("given up");
    expect(await keys()).toEqual(before);
    await inOne("new");
    expect(await keys()).toHaveLength(9);
  },
);
