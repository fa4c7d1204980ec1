import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { AuditHead } from "#contract/audit.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createAnchor, readAuditHead, verifyAudit } from "#src/ledger/audit.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-test-"));
  store = await openEmbeddedStore(folder);
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

it("[audit.verify] the head is told once a day by one replica, and finds a cut chain", async () => {
  const transact = createTransact(store.db, { kind: "sqlite", redactor: createRedactor([]), now: store.now });
  const entry = (): Promise<void> => transact((_, note) => Promise.resolve(note({ kind: "test", data: {} })));
  const told: AuditHead[] = [];
  let at = Date.parse("2026-03-01T08:00:00Z");
  let isAway = false;
  const anchor = () =>
    createAnchor({
      db: store.db,
      now: () => at,
      tell(head) {
        if (isAway) return Promise.reject(new Error("channel_not_found"));
        told.push(head);
        return Promise.resolve();
      },
      onFailure: () => undefined,
    });
  const [one, two] = [anchor(), anchor()];
  await one.look();
  expect(told).toEqual([]);

  await entry();
  isAway = true;
  await expect(one.look()).rejects.toThrow("channel_not_found");
  isAway = false;
  await Promise.all([one.look(), two.look(), two.look()]);
  expect(told).toEqual([await readAuditHead(store.db)]);
  await entry();
  at += 3_600_000;
  await one.look();
  expect(told).toHaveLength(1);
  at += 86_400_000;
  await two.look();
  expect(told).toHaveLength(2);
  expect(told[1]?.seq).toBe(2);

  await store.db.deleteFrom("audit").where("seq", "=", 2).execute();
  expect(await verifyAudit(store.db)).toMatchObject({ ok: true });
  expect(await verifyAudit(store.db, told[1])).toMatchObject({ ok: false });
});
