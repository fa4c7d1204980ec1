import { describe, expect, it } from "vitest";

import { digest } from "#src/base/json.ts";
import { AUDIT_GENESIS, hashAuditRow } from "#src/ledger/audit.ts";
import type { Row } from "#src/store/schema.ts";

import { ana, type LedgerBench, openBench } from "./support.ts";

function rowsOf(bench: LedgerBench): Promise<Row<"audit">[]> {
  return bench.db.selectFrom("audit").selectAll().orderBy("seq").execute();
}

describe("the audit chain", () => {
  it("[audit.chain] numbers its entries without a gap and ties each to the one before", async () => {
    const bench = await openBench();
    for (const key of ["DEMO-1", "DEMO-2", "DEMO-3"]) {
      const { id } = await bench.request({}, { issue_key: key });
      await bench.ledger.decide({ approvalId: id, actor: ana, decision: "deny", reason: "no" });
    }
    const rows = await rowsOf(bench);
    expect(rows.map((row) => row.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let prev = AUDIT_GENESIS;
    for (const row of rows) {
      expect(row.prev).toBe(prev);
      expect(row.hash).toBe(hashAuditRow(row));
      prev = row.hash;
    }
  });

  it("[audit.chain] every column counts for the hash", () => {
    const row = {
      seq: 1,
      at: 2,
      kind: "a",
      turn_id: null,
      approval_id: null,
      actor: null,
      data: "{}",
      prev: AUDIT_GENESIS,
    };
    const changes: Partial<Row<"audit">>[] = [
      { seq: 2 },
      { at: 3 },
      { kind: "b" },
      { turn_id: "" },
      { approval_id: "" },
      { actor: "" },
      { data: "{ }" },
      { prev: "1".repeat(64) },
    ];
    const hashes = changes.map((change) => hashAuditRow({ ...row, ...change }));
    expect(new Set([...hashes, hashAuditRow(row)]).size).toBe(changes.length + 1);
  });

  it("[audit.chain] is one transaction with what it tells of: both or neither", async () => {
    const bench = await openBench();
    await bench.request();
    const before = await rowsOf(bench);
    const failing = bench.transact(async (tx, note) => {
      await tx.insertInto("kv").values({ key: "k", value: "", expires_at: null }).execute();
      note({ kind: "half" });
      throw new Error("cut");
    });
    await expect(failing).rejects.toThrow("cut");
    expect(await rowsOf(bench)).toEqual(before);
    expect(await bench.db.selectFrom("kv").selectAll().execute()).toEqual([]);
  });

  it("[audit.chain] concurrent transactions extend it one after the other", async () => {
    const bench = await openBench();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        bench.transact((_tx, note) => {
          note({ kind: `one.${n}` });
          note({ kind: `two.${n}` });
          return Promise.resolve();
        }),
      ),
    );
    const rows = await rowsOf(bench);
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    for (const [index, row] of rows.entries()) expect(row.prev).toBe(rows[index - 1]?.hash ?? AUDIT_GENESIS);
  });

  it("[audit.chain] holds data masked, beside the digest of what it really was", async () => {
    const bench = await openBench();
    const args = { issue_key: "DEMO-1", api_token: "abc", note: "the word is swordfish" };
    await bench.request({}, args);
    const [row] = await rowsOf(bench);
    const text = row?.data ?? "";
    expect(text).not.toContain("swordfish");
    expect(text).not.toContain('abc"');
    const data = JSON.parse(text) as { digest: string; redacted: { args: object; rule: string } };
    expect(data.redacted.args).toEqual({
      issue_key: "DEMO-1",
      api_token: "[redacted]",
      note: "the word is [redacted]",
    });
    const { key, tool, rule } = JSON.parse(text).redacted as Record<string, string>;
    expect(data.digest).toBe(digest({ tool, key, args, rule }));
  });
});
