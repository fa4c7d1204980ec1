import { expect, it, onTestFinished } from "vitest";

import { runBuilt } from "#src/store/built.ts";

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
