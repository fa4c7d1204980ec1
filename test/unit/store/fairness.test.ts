import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { openEmbeddedStore } from "#src/store/open.ts";

it("the one connection is handed out in the order it is asked for, also to those who ask again and again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  const store = await openEmbeddedStore(folder);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const order: string[] = [];
  const write = (name: string): Promise<void> =>
    store.db.transaction().execute(async (tx) => {
      await tx.selectFrom("turns").select("id").execute();
      order.push(name);
    });
  async function busy(name: string): Promise<void> {
    for (let round = 0; round < 20; round += 1) await write(name);
  }
  const crowd = ["a", "b", "c", "d"].map(busy);
  await write("late");
  await Promise.all(crowd);
  expect(order).toHaveLength(81);
  // Each of the crowd may have been before it once.
  expect(order.indexOf("late")).toBeLessThanOrEqual(4);
});
