import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  AUDIT_GENESIS,
  hashAuditRow,
  readAuditHead,
  verifyAudit,
  verifyAuditTail,
} from "#src/ledger/audit.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";

import { amount } from "#test/amount.ts";
import { appendEntries, rawText, readRows, restore, type Row, run } from "./chain-of.ts";

const LENGTH = 300;
const TEXTS = ["kind", "turn_id", "approval_id", "actor", "data", "prev", "hash"] as const;

let store: Store;
let folder: string;
let rows: Row[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-audit-"));
  store = await openEmbeddedStore(folder);
  await appendEntries(store, LENGTH);
  rows = await readRows(store.db);
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const place = fc.integer({ min: 1, max: LENGTH });
/** Where within a text, as a share of its length. */
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const bits = fc.integer({ min: 1, max: 255 });

function rowAt(seq: number): Row {
  const row = rows[seq - 1];
  if (row === undefined) throw new Error(`no row ${seq}`);
  return row;
}

/** Tampers, verifies and puts everything back. */
async function verdictAfter(
  tamper: () => Promise<unknown>,
): Promise<{ seq: number; why: string } | undefined> {
  await tamper();
  try {
    const verdict = await verifyAudit(store.db);
    return verdict.ok ? undefined : verdict.broken;
  } finally {
    await restore(store.db, rows);
  }
}

function put(row: Row): Promise<unknown> {
  const { seq, ...rest } = row;
  return store.db.updateTable("audit").set(rest).where("seq", "=", seq).execute();
}

describe("a chain of a few hundred entries", () => {
  it("[audit.verify] that nobody touched is whole, and its head is its last entry", async () => {
    expect(rows).toHaveLength(LENGTH);
    const head = await readAuditHead(store.db);
    expect(head).toEqual({ seq: LENGTH, hash: rowAt(LENGTH).hash });
    expect(await verifyAudit(store.db)).toEqual({ ok: true, entries: LENGTH, head });
    expect(await verifyAudit(store.db, head)).toMatchObject({ ok: true });
    expect(await verifyAudit(store.db, { seq: 7, hash: rowAt(7).hash })).toMatchObject({ ok: true });
    expect(await verifyAudit(store.db, { seq: 0, hash: AUDIT_GENESIS })).toMatchObject({ ok: true });
  });

  it("[audit.verify] a changed byte of any text is found and its entry named", async () => {
    const property = fc.asyncProperty(
      place,
      fc.constantFrom(...TEXTS),
      share,
      bits,
      async (seq, column, where, mask) => {
        const text = Buffer.from(rowAt(seq)[column] ?? "");
        const at = Math.floor(where * text.length);
        // A column without a value gets one.
        const bytes = text.length === 0 ? Buffer.from([mask]) : text.with(at, (text[at] ?? 0) ^ mask);
        const broken = await verdictAfter(() =>
          run(store.db, sql`update audit set ${sql.ref(column)} = ${rawText(bytes)} where seq = ${seq}`),
        );
        expect(broken?.seq).toBe(seq);
      },
    );
    await fc.assert(property, { numRuns: amount(120, 40) });
  });

  it("[audit.verify] a text that is taken away, or emptied, is found", async () => {
    const property = fc.asyncProperty(
      place,
      fc.constantFrom("turn_id", "approval_id", "actor"),
      async (seq, column) => {
        const value = rowAt(seq)[column] === null ? "" : null;
        const broken = await verdictAfter(() => put({ ...rowAt(seq), [column]: value }));
        expect(broken?.seq).toBe(seq);
      },
    );
    await fc.assert(property, { numRuns: amount(40, 13) });
  });

  it("[audit.verify] a changed bit of a time or a number is found, also one that no reader can take", async () => {
    const property = fc.asyncProperty(place, fc.integer({ min: 0, max: 62 }), async (seq, bit) => {
      const mask = sql.raw(String(1n << BigInt(bit)));
      const broken = await verdictAfter(() =>
        // Exclusive or, in the operators that SQLite has.
        run(store.db, sql`update audit set at = (at | ${mask}) - (at & ${mask}) where seq = ${seq}`),
      );
      expect(broken?.seq).toBe(seq);
    });
    await fc.assert(property, { numRuns: amount(63, 21) });
  });

  it("[audit.verify] an entry under another number is found", async () => {
    const elsewhere = fc.oneof(
      fc.integer({ min: -1_000, max: 0 }),
      fc.integer({ min: LENGTH + 1, max: LENGTH + 1_000 }),
    );
    const property = fc.asyncProperty(place, elsewhere, async (seq, to) => {
      const broken = await verdictAfter(() =>
        run(store.db, sql`update audit set seq = ${to} where seq = ${seq}`),
      );
      // The chain is read by its numbers: one before the first is what does not fit first.
      const expected = to < 1 ? 1 : seq;
      expect(broken).toMatchObject({ seq: expected });
    });
    await fc.assert(property, { numRuns: amount(40, 13) });
  });

  it("[audit.verify] entries that are missing are found, and the first of them is named", async () => {
    const gone = fc.uniqueArray(fc.integer({ min: 1, max: LENGTH - 1 }), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(gone, async (seqs) => {
      const broken = await verdictAfter(() =>
        store.db.deleteFrom("audit").where("seq", "in", seqs).execute(),
      );
      const first = Math.min(...seqs);
      expect(broken?.seq).toBe(first);
      expect(broken?.why).toContain(`entry ${first} is missing`);
    });
    await fc.assert(property, { numRuns: amount(40, 13) });
  });

  it("[audit.verify] an entry put in between is found, even with a number and a hash that fit", async () => {
    const property = fc.asyncProperty(place, fc.boolean(), async (seq, isHashed) => {
      const broken = await verdictAfter(async () => {
        // Twice, since a number is taken while they move on.
        await run(store.db, sql`update audit set seq = -seq - 1 where seq >= ${seq}`);
        await run(store.db, sql`update audit set seq = -seq where seq < 0`);
        const { hash: _, ...forged } = { ...rowAt(seq), seq, data: '{"forged":true}' };
        const hash = isHashed ? hashAuditRow(forged) : rowAt(seq).hash;
        await store.db
          .insertInto("audit")
          .values({ ...forged, hash })
          .execute();
      });
      expect(broken?.seq).toBe(isHashed ? seq + 1 : seq);
    });
    await fc.assert(property, { numRuns: amount(30, 10) });
  });

  it("[audit.verify] entries that changed places are found", async () => {
    const property = fc.asyncProperty(
      fc.uniqueArray(place, { minLength: 2, maxLength: 2 }),
      async ([one = 1, other = 2]) => {
        const broken = await verdictAfter(async () => {
          await put({ ...rowAt(one), seq: other });
          await put({ ...rowAt(other), seq: one });
        });
        expect(broken?.seq).toBe(Math.min(one, other));
      },
    );
    await fc.assert(property, { numRuns: amount(30, 10) });
  });

  it("[audit.verify] a changed entry that was given a new hash is found at the next", async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: LENGTH - 1 }), async (seq) => {
      const changed = { ...rowAt(seq), actor: "http:mallory" };
      const broken = await verdictAfter(() => put({ ...changed, hash: hashAuditRow(changed) }));
      expect(broken).toEqual({ seq: seq + 1, why: `entry ${seq + 1} does not continue entry ${seq}` });
    });
    await fc.assert(property, { numRuns: amount(20, 7) });
  });

  it("[audit.verify] what was cut off at the end is found against a recorded head", async () => {
    const head = { seq: LENGTH, hash: rowAt(LENGTH).hash };
    const property = fc.asyncProperty(fc.integer({ min: 0, max: LENGTH - 1 }), async (last) => {
      await store.db.deleteFrom("audit").where("seq", ">", last).execute();
      try {
        expect(await verifyAudit(store.db)).toMatchObject({ ok: true, entries: last });
        expect(await verifyAudit(store.db, head)).toEqual({
          ok: false,
          entries: last,
          broken: {
            seq: last + 1,
            why: `the chain ends at entry ${last}, before the recorded head ${LENGTH}`,
          },
        });
      } finally {
        await restore(store.db, rows);
      }
    });
    await fc.assert(property, { numRuns: amount(15, 5) });
  });

  it("[audit.verify] a chain that was written anew from some entry on is found against a recorded head", async () => {
    const head = { seq: LENGTH, hash: rowAt(LENGTH).hash };
    const property = fc.asyncProperty(place, async (from) => {
      const anew: Row[] = rows.slice(0, from - 1);
      for (const row of rows.slice(from - 1)) {
        const next = {
          ...row,
          prev: anew.at(-1)?.hash ?? AUDIT_GENESIS,
          ...(row.seq === from ? { actor: "x" } : {}),
        };
        anew.push({ ...next, hash: hashAuditRow(next) });
      }
      await restore(store.db, anew);
      try {
        expect(await verifyAudit(store.db)).toMatchObject({ ok: true, entries: LENGTH });
        expect(await verifyAudit(store.db, head)).toMatchObject({ ok: false, broken: { seq: LENGTH } });
      } finally {
        await restore(store.db, rows);
      }
    });
    await fc.assert(property, { numRuns: amount(10, 5) });
  });

  it("[audit.verify] a change among the last entries is found by a look at these alone, and a removed one", async () => {
    const tail = 50;
    expect(await verifyAuditTail(store.db, tail)).toBeUndefined();
    expect(await verifyAuditTail(store.db, 10 * LENGTH)).toBeUndefined();
    for (const seq of [LENGTH - tail + 1, LENGTH - 20, LENGTH]) {
      await put({ ...rowAt(seq), kind: "call.failed" });
      expect(await verifyAuditTail(store.db, tail)).toBe(`entry ${seq} was changed: its hash does not fit`);
      await restore(store.db, rows);
    }
    await put({ ...rowAt(LENGTH - tail), kind: "call.failed" });
    expect(await verifyAuditTail(store.db, tail)).toBeUndefined();
    await restore(store.db, rows);
    await store.db
      .deleteFrom("audit")
      .where("seq", "=", LENGTH - 3)
      .execute();
    expect(await verifyAuditTail(store.db, tail)).toBe(
      `entry ${LENGTH - 3} is missing: the next one is ${LENGTH - 2}`,
    );
    await restore(store.db, rows);
  });
});
