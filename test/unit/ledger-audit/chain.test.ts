import { describe, expect, it } from "vitest";

import { createRedactor } from "#src/base/redact.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { verifyAudit } from "#src/ledger/audit.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

import { appendEntries, readRows, transactOf } from "./chain-of.ts";

const stores = useStores();

describe.each(storeKinds)("the chain on %s", (kind) => {
  it("[audit.chain] of two replicas' concurrent transactions is one, unbroken", async () => {
    const { first, second } = await stores.open(kind);
    const [one, other] = [transactOf(first), transactOf(second)];
    await Promise.all(
      Array.from({ length: 80 }, (_, number) =>
        (number % 2 === 0 ? one : other)(async (tx, note) => {
          for (let part = 0; part < 3; part += 1) {
            note({ kind: "test", turnId: `turn_${number}`, data: { part } });
            // Other transactions get a chance between the parts.
            await tx.selectFrom("kv").select("key").execute();
          }
        }),
      ),
    );
    const rows = await readRows(first.db);
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 240 }, (_, index) => index + 1));
    expect(new Set(rows.map((row) => row.hash)).size).toBe(240);
    for (let at = 0; at < rows.length; at += 3) {
      const own = rows.slice(at, at + 3);
      expect(new Set(own.map((row) => row.turn_id)).size).toBe(1);
      expect(own.map((row) => (JSON.parse(row.data) as { redacted: unknown }).redacted)).toEqual([
        { part: 0 },
        { part: 1 },
        { part: 2 },
      ]);
    }
    expect(await verifyAudit(second.db)).toMatchObject({ ok: true, entries: 240 });
  });

  it("[audit.chain] an entry stands or falls with the state it records", async () => {
    const { first, second } = await stores.open(kind);
    const [one, other] = [transactOf(first), transactOf(second)];
    const settled = await Promise.allSettled(
      Array.from({ length: 40 }, (_, number) =>
        (number % 2 === 0 ? one : other)(async (tx, note) => {
          note({ kind: "kept", data: { number } });
          await tx
            .insertInto("kv")
            .values({ key: `key ${number}`, value: "", expires_at: null })
            .execute();
          if (number % 4 === 0) throw new Error("the work failed");
          // The state cannot be written a second time: the transaction is undone by the database.
          if (number % 4 === 1) {
            await tx
              .insertInto("kv")
              .values({ key: `key ${number}`, value: "", expires_at: null })
              .execute();
          }
        }),
      ),
    );
    expect(settled.filter((one) => one.status === "rejected")).toHaveLength(20);
    const expected = Array.from({ length: 40 }, (_, number) => number).filter((number) => number % 4 > 1);
    const keys = (await first.db.selectFrom("kv").select("key").execute()).map((row) => row.key);
    expect(keys.toSorted()).toEqual(expected.map((number) => `key ${number}`).toSorted());
    const entries = (await readRows(first.db)).map(
      (row) => (JSON.parse(row.data) as { redacted: { number: number } }).redacted.number,
    );
    expect(entries.toSorted((a, b) => a - b)).toEqual(expected);
    expect(await verifyAudit(first.db)).toMatchObject({ ok: true, entries: 20 });
  });

  it("[audit.chain] an entry that cannot be appended undoes the state it records", async () => {
    const { first } = await stores.open(kind);
    await appendEntries(first, 3);
    const transact = createTransact(first.db, {
      kind,
      redactor: createRedactor([]),
      now: () => {
        throw new Error("no time");
      },
    });
    const failing = transact(async (tx, note) => {
      await tx.insertInto("kv").values({ key: "state", value: "", expires_at: null }).execute();
      note({ kind: "lost" });
    });
    await expect(failing).rejects.toThrow("no time");
    expect(await first.db.selectFrom("kv").select("key").execute()).toEqual([]);
    expect(await verifyAudit(first.db)).toMatchObject({ ok: true, entries: 3 });
  });

  it("[audit.chain] keeps digests beside the redacted form, and takes any text", async () => {
    const { first } = await stores.open(kind);
    const transact = createTransact(first.db, {
      kind,
      now: first.now,
      redactor: createRedactor(["hunter2-hunter2"]),
    });
    await transact((_, note) => {
      note({
        kind: "odd",
        actor: "http:ana",
        data: { said: "the key is hunter2-hunter2", api_token: "abc", half: "\ud83d", nul: "\u0000" },
      });
      return Promise.resolve();
    });
    const [row] = await readRows(first.db);
    const data = JSON.parse(row?.data ?? "") as { digest: string; redacted: unknown };
    expect(data.redacted).toEqual({
      said: "the key is [redacted]",
      api_token: "[redacted]",
      half: "\uFFFD",
      nul: "\u0000",
    });
    expect(data.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.data).not.toContain("hunter2");
    expect(await verifyAudit(first.db)).toMatchObject({ ok: true, entries: 1 });
  });
});
