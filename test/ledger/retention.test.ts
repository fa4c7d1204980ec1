import { describe, expect, it } from "vitest";

import { createRedactor } from "#src/base/redact.ts";
import { DAY_MS } from "#src/base/time.ts";
import { readAuditHead, verifyAudit, verifyAuditTail } from "#src/ledger/audit.ts";
import { createTransact } from "#src/ledger/transact.ts";
import type { StoreKind } from "#src/store/migrations.ts";
import type { Db, Tx } from "#src/store/schema.ts";
import { createRetention, type Keep } from "#src/turn/retention.ts";

import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();
const redactor = createRedactor([]);
const NOW = 1_000 * DAY_MS;

async function addTurn(tx: Tx, id: string, ageDays: number, state = "done"): Promise<void> {
  const at = NOW - ageDays * DAY_MS;
  await tx
    .insertInto("turns")
    .values({
      id,
      surface: "http",
      actor: "http:ana",
      conversation_id: `http:${id}`,
      channel: `http:${id}`,
      message: `of ${id}`,
      given: null,
      event_key: null,
      state,
      event_count: 3,
      allow_summarization: 1,
      created_at: at,
      updated_at: at,
      result: null,
      error: null,
      stopped_by: null,
    })
    .execute();
  await tx
    .insertInto("events")
    .values([1, 2, 3].map((seq) => ({ turn_id: id, seq, at, data: JSON.stringify({ type: "status", seq }) })))
    .execute();
  await tx
    .insertInto("conversations")
    .values({ id: `http:${id}`, title: `Of ${id}`, changed_at: at, changed_by: "http:ana" })
    .execute();
  await tx
    .insertInto("files")
    .values({
      id: `file_${id}`,
      turn_id: id,
      tool_id: "t",
      name: "a.png",
      media_type: "image/png",
      bytes: 3,
      data: "AAAA",
      created_at: at,
    })
    .execute();
  await tx
    .insertInto("notices")
    .values({
      id: `notice_${id}`,
      kind: "asked",
      approval_id: `appr_${id}`,
      turn_id: id,
      conversation_id: `http:${id}`,
      outcome: null,
      created_at: at,
      due_at: at,
      state: "shown",
      group_id: null,
      lease_owner: null,
      lease_until: null,
    })
    .execute();
}

async function addGrant(tx: Tx, turnId: string, expires_at: number): Promise<void> {
  await tx
    .insertInto("approvals")
    .values({
      id: `appr_${turnId}`,
      turn_id: turnId,
      call_id: `call_${turnId}`,
      conversation_id: `http:${turnId}`,
      channel: "c",
      key: "k",
      binding: "b",
      tool_id: "t",
      tool_description: "",
      tool_digest: "",
      args: "{}",
      sources: null,
      effect: null,
      targets: null,
      statement: null,
      state: "done",
      rule: "r",
      requested_by: "http:ana",
      approvers: "[]",
      exclude_requester: 0,
      reason_required: 0,
      quorum: 1,
      created_at: 1,
      expires_at: 2,
      decided_at: 2,
      note: null,
      lookup: null,
      grants: null,
      replaced_by: null,
      evidence: null,
      lease_owner: null,
      lease_until: null,
      remind_at: null,
      reminded_at: null,
    })
    .execute();
  await tx
    .insertInto("grants")
    .values({
      id: `grant_${turnId}`,
      conversation_id: `http:${turnId}`,
      tool_id: "t",
      tool_digest: "",
      rule: "r",
      args: "{}",
      vary: "[]",
      reads: null,
      granted_by: "http:ben",
      approval_id: `appr_${turnId}`,
      created_at: 1,
      expires_at,
      max_uses: 5,
      uses: 0,
      revoked_at: null,
      revoked_by: null,
    })
    .execute();
}

async function open(kind: StoreKind) {
  const { first } = await stores.open(kind);
  const { db } = first;
  const transact = createTransact(db, { kind, redactor, now: () => NOW });
  const told: unknown[] = [];
  const log = { info: (data: object) => void told.push(data), warn: (data: object) => void told.push(data) };
  const sweep = (keep: Keep) => createRetention({ db, kind, transact, now: () => NOW, keep, log }).sweep();
  return { db, transact, sweep };
}

const ids = async (
  db: Db,
  table: "turns" | "files" | "notices" | "approvals" | "conversations",
): Promise<string[]> => (await db.selectFrom(table).select("id").orderBy("id").execute()).map(({ id }) => id);

describe.each(storeKinds)("what is kept on %s", (kind) => {
  it("is deleted by its age, kind by kind, and what is open stays", async () => {
    const { db, transact, sweep } = await open(kind);
    await transact(async (tx) => {
      await addTurn(tx, "a_old", 100);
      await addTurn(tx, "b_waits", 99, "pending_confirmation");
      await addTurn(tx, "c_granted", 98);
      await addGrant(tx, "c_granted", NOW + 1);
      await addTurn(tx, "d_over", 97);
      await addGrant(tx, "d_over", NOW - 1);
      await addTurn(tx, "e_month", 40);
      await addTurn(tx, "f_new", 1);
      await tx.updateTable("notices").set({ state: "waiting" }).where("id", "=", "notice_e_month").execute();
      for (const [key, expires_at] of [
        ["past", NOW - 1],
        ["coming", NOW + 1],
        ["ever", null],
      ] as const)
        await tx.insertInto("kv").values({ key, value: "", expires_at }).execute();
    });
    const nothing = { turns: 0, events: 0, files: 0, notices: 0, audit: 0 };
    expect(await sweep({})).toEqual({ ...nothing, expired: 1 });
    expect(await sweep({ events: 30 * DAY_MS })).toEqual({ ...nothing, events: 8, expired: 0 });
    const events = await db
      .selectFrom("events")
      .select(["turn_id", "seq"])
      .orderBy("turn_id")
      .orderBy("seq")
      .execute();
    expect(events.map(({ turn_id, seq }) => `${turn_id} ${seq}`)).toEqual([
      "a_old 3",
      "b_waits 1",
      "b_waits 2",
      "b_waits 3",
      "c_granted 3",
      "d_over 3",
      "e_month 3",
      "f_new 1",
      "f_new 2",
      "f_new 3",
    ]);
    expect(await sweep({ events: 30 * DAY_MS })).toMatchObject({ events: 0 });
    expect(await sweep({ files: 98.5 * DAY_MS, notices: 30 * DAY_MS })).toMatchObject({
      files: 2,
      notices: 4,
    });
    expect(await ids(db, "notices")).toEqual(["notice_e_month", "notice_f_new"]);
    expect(await sweep({ turns: 90 * DAY_MS })).toMatchObject({ turns: 2 });
    const left = ["b_waits", "c_granted", "e_month", "f_new"];
    expect(await ids(db, "turns")).toEqual(left);
    expect(await ids(db, "conversations")).toEqual(left.map((id) => `http:${id}`));
    expect(await ids(db, "files")).toEqual(["file_c_granted", "file_e_month", "file_f_new"]);
    expect(await ids(db, "approvals")).toEqual(["appr_c_granted"]);
    expect(await db.selectFrom("grants").select("id").execute()).toEqual([{ id: "grant_c_granted" }]);
    expect(await db.selectFrom("audit").select(["kind"]).execute()).toEqual([{ kind: "retention.turns" }]);
    expect(await verifyAudit(db)).toMatchObject({ ok: true });
  });

  it("is deleted in small transactions, between which others write", async () => {
    const { db, transact, sweep } = await open(kind);
    await transact(async (tx) => {
      for (let at = 0; at < 205; at += 1) await addTurn(tx, `t${String(at).padStart(3, "0")}`, 50);
    });
    let written = 0;
    const over = new AbortController();
    const sweeping = sweep({ turns: DAY_MS }).finally(() => over.abort());
    while (!over.signal.aborted) {
      await transact(async (_, note) => note({ kind: "plain" }));
      written += 1;
    }
    expect(await sweeping).toMatchObject({ turns: 205 });
    // As many as there were transactions of 20 turns, at least.
    expect(written).toBeGreaterThan(10);
    expect(await ids(db, "turns")).toEqual([]);
    expect(await verifyAudit(db)).toMatchObject({ ok: true });
  });

  it("the audit chain loses its beginning and stays whole, and a beginning that nobody deleted is missed", async () => {
    const { db, sweep } = await open(kind);
    let at = NOW - 100 * DAY_MS;
    const dated = createTransact(db, { kind, redactor, now: () => at });
    for (let count = 0; count < 60; count += 1) {
      at += DAY_MS;
      await dated(async (_, note) => note({ kind: "plain", data: { count } }));
    }
    const [early, late] = await db
      .selectFrom("audit")
      .select(["seq", "hash"])
      .where("seq", "in", [5, 45])
      .orderBy("seq")
      .execute();
    if (early === undefined || late === undefined) throw new Error("expected entries");
    // 100 - 60 = 40 days old is the newest.
    expect(await sweep({ audit: 70 * DAY_MS })).toMatchObject({ audit: 29 });
    expect(await verifyAudit(db, late)).toMatchObject({ ok: true, entries: 32 });
    expect(await verifyAudit(db, early)).toMatchObject({
      ok: false,
      broken: { why: "the recorded head 5 is older than what is kept, which begins at entry 30" },
    });
    expect(await sweep({ audit: 55 * DAY_MS })).toMatchObject({ audit: 15 });
    expect(await verifyAudit(db, late)).toMatchObject({ ok: true });
    expect(await verifyAuditTail(db, 500)).toBeUndefined();
    // Everything is old, and the newest stays.
    expect(await sweep({ audit: 1 })).toMatchObject({ audit: 16 });
    const head = await readAuditHead(db);
    expect(await verifyAudit(db, head)).toMatchObject({ ok: true, entries: 3 });
    expect(await sweep({ audit: 1 })).toMatchObject({ audit: 0 });

    at = NOW;
    for (let count = 0; count < 5; count += 1) await dated(async (_, note) => note({ kind: "plain" }));
    expect(await verifyAudit(db, head)).toMatchObject({ ok: true, entries: 8 });
    await db
      .deleteFrom("audit")
      .where("seq", "<=", head.seq + 1)
      .execute();
    expect(await verifyAudit(db)).toMatchObject({
      ok: false,
      broken: { seq: 1, why: expect.stringContaining("entry 1 is missing") },
    });
  });
});
