import { createHash, createSecretKey, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";

import { sql } from "kysely";
import { describe, expect, it } from "vitest";

import { connectionsOf, forgetAccess } from "#app/personal-data.ts";

import { createRedactor } from "#src/base/redact.ts";
import { markOf, readAuditHead, verifyAudit, verifyAuditTail } from "#src/ledger/audit.ts";
import { createTransact, type Transact } from "#src/ledger/transact.ts";
import type { StoreKind } from "#src/store/migrations.ts";
import { createKeyv } from "#src/store/keyv.ts";
import type { Db } from "#src/store/schema.ts";
import { createSealedKeyv, createSealer } from "#src/store/sealed.ts";
import { forgetPerson, readPersonal } from "#src/turn/personal-data.ts";

import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();
const redactor = createRedactor(["secret-of-mine"]);

/** What must be found nowhere afterwards. */
const WORDS = "my salary is 4711, secret-of-mine";
const ana = { keys: ["slack:U1"], actors: ["slack:T1:U1", "slack:T2:U1"] };

function turnOf(id: string, actor: string, conversation: string, message: string) {
  return {
    id,
    surface: "slack",
    actor,
    conversation_id: conversation,
    channel: "slack:T1:C1",
    message,
    given: null,
    event_key: null,
    state: "done",
    event_count: 1,
    allow_summarization: 1,
    created_at: 1,
    updated_at: 2,
    result: JSON.stringify({ reply: `About ${message}`, toolResults: [], log: [] }),
    error: null,
    stopped_by: null,
  };
}

function approvalOf(id: string, turnId: string, requestedBy: string, conversation: string) {
  return {
    id,
    turn_id: turnId,
    call_id: `call_${id}`,
    conversation_id: conversation,
    channel: "slack:T1:C1",
    key: "k",
    binding: "b",
    tool_id: "jira.create_issue",
    tool_description: "",
    tool_digest: "",
    args: JSON.stringify({ title: `By ${requestedBy}`, api_token: "t-1234567" }),
    sources: null,
    effect: null,
    targets: null,
    statement: null,
    state: "done",
    rule: "default",
    requested_by: requestedBy,
    approvers: JSON.stringify(["slack:T1:U1", "slack:T1:U2"]),
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
  };
}

/** Ana and Ben in one thread, where each decided for the other, and Ana alone in another. */
async function fill(db: Db, transact: Transact): Promise<void> {
  const [shared, own] = ["slack:T1:C1:1", "slack:T1:C1:2"];
  await transact(async (tx, note) => {
    await tx
      .insertInto("turns")
      .values([
        turnOf("turn_ana", "slack:T1:U1", shared, WORDS),
        turnOf("turn_ben", "slack:T1:U2", shared, "create an issue"),
        // Ana could have decided in it.
        turnOf("turn_other", "slack:T1:U2", shared, "create another"),
        { ...turnOf("turn_own", "slack:T2:U1", own, WORDS), stopped_by: "slack:T1:U1" },
      ])
      .execute();
    await tx
      .insertInto("approvals")
      .values([
        approvalOf("appr_ana", "turn_ana", "slack:T1:U1", shared),
        { ...approvalOf("appr_ben", "turn_ben", "slack:T1:U2", shared), note: WORDS },
        approvalOf("appr_other", "turn_other", "slack:T1:U2", shared),
      ])
      .execute();
    await tx
      .insertInto("votes")
      .values([
        { approval_id: "appr_ana", actor: "slack:T1:U2", decision: "approve", reason: "fine", at: 2 },
        { approval_id: "appr_ben", actor: "slack:T1:U1", decision: "approve", reason: WORDS, at: 2 },
      ])
      .execute();
    for (const turn of ["turn_ana", "turn_ben", "turn_own", "turn_other"])
      await tx
        .insertInto("events")
        .values({
          turn_id: turn,
          seq: 1,
          at: 1,
          data: JSON.stringify({ type: "approved", by: "slack:T1:U1" }),
        })
        .execute();
    await tx
      .insertInto("conversations")
      .values([
        { id: shared, title: "Ours", changed_at: 1, changed_by: "slack:T1:U1" },
        { id: own, title: WORDS, changed_at: 1, changed_by: "slack:T1:U1" },
      ])
      .execute();
    await tx
      .insertInto("feedback")
      .values({ turn_id: "turn_ben", actor: "slack:T1:U1", verdict: "bad", words: WORDS, at: 3 })
      .execute();
    await tx
      .insertInto("profiles")
      .values({ person: "slack:U1", name: "Ana Alvarez", email: "ana@acme.example", at: 1 })
      .execute();
    await tx
      .insertInto("accounts")
      .values({
        person: "slack:U1",
        server: "jira",
        said_by: "slack:U1",
        account: "ana-7",
        name: "Ana",
        email: null,
        at: 1,
      })
      .execute();
    await tx.insertInto("used").values({ key: "turns person slack:U1", until: 5 }).execute();
    note({ kind: "turn.accepted", turnId: "turn_ana", actor: "slack:T1:U1", data: { message: WORDS } });
    note({
      kind: "turn.accepted",
      turnId: "turn_ben",
      actor: "slack:T1:U2",
      data: { message: "create an issue" },
    });
    note({ kind: "plan.decided", turnId: "turn_own", data: { said: WORDS } });
    note({
      kind: "approval.vote",
      turnId: "turn_ben",
      approvalId: "appr_ben",
      actor: "slack:T1:U1",
      data: { reason: WORDS },
    });
    note({
      kind: "conversation.deleted",
      actor: "slack:T1:U2",
      data: { people: ["slack:T1:U1", "slack:T1:U2"] },
    });
    note({ kind: "turn.accepted", turnId: "turn_anabel", actor: "slack:T1:U11", data: { message: "hello" } });
  });
}

async function wholeStore(db: Db): Promise<string> {
  const all: unknown[] = [];
  for (const table of [
    "used",
    "turns",
    "approvals",
    "votes",
    "events",
    "conversations",
    "feedback",
    "profiles",
    "accounts",
    "audit",
    "kv",
  ] as const)
    all.push(await db.selectFrom(table).selectAll().execute());
  return JSON.stringify(all);
}

async function open(kind: StoreKind) {
  const { first, second } = await stores.open(kind);
  const { db, now } = first;
  const running = createTransact(db, { kind, redactor, now });
  await fill(db, running);
  let pseudonyms = 0;
  const parts = {
    db: second.db,
    kind,
    now,
    transact: createTransact(second.db, { kind, redactor, now }),
    newPseudonym: () => `forgotten:${(pseudonyms += 1)}`,
  };
  return { db, running, parts };
}

describe.each(storeKinds)("a person's data on %s", (kind) => {
  it("[ops.forget] is exported, each record with its kind, and without secrets", async () => {
    const { db } = await open(kind);
    const records: { kind: string }[] = [];
    for await (const one of readPersonal(db, ana, redactor)) records.push(one as { kind: string });
    expect(records.map((record) => record.kind)).toEqual([
      "person",
      "profile",
      "account",
      "turn",
      "turn",
      "decision",
      "feedback",
      "conversation",
      "conversation",
      "audit",
      "audit",
    ]);
    expect(records[3]).toMatchObject({
      id: "turn_ana",
      message: "my salary is 4711, [redacted]",
      result: { reply: "About my salary is 4711, [redacted]" },
      requests: [{ id: "appr_ana", args: { api_token: "[redacted]" } }],
    });
    expect(records[5]).toMatchObject({ approval_id: "appr_ben", decision: "approve" });
    const text = JSON.stringify(records);
    expect(text).not.toContain("secret-of-mine");
    expect(text).not.toContain("create an issue");
  });

  it("[ops.forget] is forgotten, what others said and decided stays, and the chain is whole as before", async () => {
    const { db, running, parts } = await open(kind);
    const before = await readAuditHead(db);
    const stranger = await db.selectFrom("audit").selectAll().where("seq", "=", 6).execute();
    expect(await forgetPerson(parts, ana)).toEqual({ turns: 2, entries: 4, pseudonym: "forgotten:1" });
    const text = await wholeStore(db);
    for (const gone of [WORDS.slice(0, 20), '"slack:T1:U1"', "T2:U1", "slack:U1", "Ana", "ana-7", "ana@"])
      expect(text).not.toContain(gone);
    expect(await db.selectFrom("turns").select("id").execute()).toEqual([
      { id: "turn_ben" },
      { id: "turn_other" },
    ]);
    expect(await db.selectFrom("conversations").select(["title", "changed_by"]).execute()).toEqual([
      { title: "Ours", changed_by: "forgotten:1" },
    ]);
    expect(await db.selectFrom("votes").select(["actor", "decision", "reason"]).execute()).toEqual([
      { actor: "forgotten:1", decision: "approve", reason: null },
    ]);
    expect(
      JSON.parse((await db.selectFrom("approvals").select("approvers").executeTakeFirstOrThrow()).approvers),
    ).toEqual(["forgotten:1", "slack:T1:U2"]);
    expect(await db.selectFrom("audit").selectAll().where("seq", "=", 6).execute()).toEqual(stranger);
    expect(
      await db.selectFrom("audit").select(["kind", "actor", "data"]).where("seq", "=", 1).execute(),
    ).toEqual([
      {
        kind: "turn.accepted",
        actor: "forgotten:1",
        data: expect.stringMatching(/^\{"digest":"[^"]+","forgotten":true\}$/),
      },
    ]);

    // The running product goes on behind what a command wrote.
    await running(async (_, note) => note({ kind: "plain", actor: "slack:T1:U2" }));
    expect(await verifyAudit(db, before)).toMatchObject({ ok: true, forgotten: 4 });
    expect(await verifyAuditTail(db, 500)).toBeUndefined();
    expect(await forgetPerson(parts, ana)).toMatchObject({ turns: 0, entries: 0 });
    expect(await verifyAudit(db)).toMatchObject({ ok: true });
  });

  it("[ops.forget] is forgotten whole when it goes on after it was interrupted anywhere", async () => {
    const { db, parts } = await open(kind);
    for (let most = 1, isOver = false; !isOver; most += 1) {
      let left = most;
      const cut: Transact = async (work) => {
        if ((left -= 1) < 0) throw new Error("interrupted");
        return parts.transact(work);
      };
      const done = forgetPerson({ ...parts, transact: cut }, ana);
      isOver = await done.then(
        () => true,
        (error: unknown) => {
          expect(String(error)).toContain("interrupted");
          return false;
        },
      );
      expect(await verifyAudit(db)).toMatchObject({ ok: true });
      expect(most).toBeLessThan(20);
    }
    const text = await wholeStore(db);
    for (const gone of [WORDS.slice(0, 20), 'T1:U1"', "T2:U1", "forgotten:2", "forgetting"])
      expect(text).not.toContain(gone);
    expect(text).toContain("forgotten:1");
  });

  it("[ops.forget] loses the accounts, sites and sessions of theirs, whatever a key opens, and nobody else's", async () => {
    const { db, parts } = await open(kind);
    const sealer = createSealer(createSecretKey(randomBytes(32)));
    const grants = createSealedKeyv(db, "mcp-oauth-grant", sealer);
    const grantOf = (actor: string) => ({
      server: "linear",
      identity: actor,
      actor,
      tokens: { access_token: "t" },
      savedAt: 1,
    });
    await grants.set("g1", grantOf("slack:T1:U1"));
    await grants.set("g2", grantOf("slack:T1:U2"));
    await createSealedKeyv(db, "mcp-oauth-grant", createSealer(createSecretKey(randomBytes(32)))).set(
      "g3",
      grantOf("slack:T1:U1"),
    );
    const siteOf = (actor: string) => `site.${createHash("sha256").update(actor).digest("base64url")}`;
    for (const actor of ["slack:T1:U1", "slack:T1:U2"])
      await createSealedKeyv(db, siteOf(actor), sealer).set("s", { name: "own" });
    const sessions = createKeyv<object>(db, "http-session");
    for (const [id, actor] of [
      ["a", "slack:T2:U1"],
      ["b", "slack:T1:U11"],
    ] as const)
      await sessions.set(id, { actor, proof: "p" });
    const { told } = await connectionsOf(db, sealer, ana);
    expect(told).toEqual([
      {
        kind: "connection",
        server: "linear",
        identity: "slack:T1:U1",
        actor: "slack:T1:U1",
        connected_at: null,
      },
    ]);
    expect(await forgetAccess(parts.db, sealer, ana)).toEqual({ deleted: 2, unreadable: 1 });
    const left = await db.selectFrom("kv").select("key").orderBy("key").execute();
    expect(left.map(({ key }) => key).toSorted()).toEqual(
      [
        "http-session::b",
        "sealed.mcp-oauth-grant::g2",
        "sealed.mcp-oauth-grant::g3",
        `sealed.${siteOf("slack:T1:U2")}::s`,
      ].toSorted(),
    );
  });

  it("[ops.forget] leaves a channel private that they made private, and what is of somebody whose id begins as theirs", async () => {
    const { db, parts } = await open(kind);
    const privacy = createKeyv<object>(db, "channel-privacy");
    await privacy.set("slack:T1:C1", { setBy: "slack:T1:U1", at: 1 });
    await createKeyv<object>(db, "told").set("once:slack:T1:U11", { at: 1 });
    await forgetAccess(parts.db, undefined, ana);
    await forgetPerson(parts, ana);
    expect(await privacy.get("slack:T1:C1")).toEqual({ setBy: "forgotten:1", at: 1 });
    expect(await createKeyv(db, "told").get("once:slack:T1:U11")).toEqual({ at: 1 });
  });

  it("[ops.forget] stays while something of theirs waits or runs", async () => {
    const { db, parts } = await open(kind);
    const before = await wholeStore(db);
    await db.updateTable("approvals").set({ state: "pending" }).where("id", "=", "appr_ana").execute();
    await expect(forgetPerson(parts, ana)).rejects.toMatchObject({
      code: "undecided",
      message: expect.stringContaining("appr_ana"),
    });
    await db.updateTable("approvals").set({ state: "done" }).execute();
    await db.updateTable("turns").set({ state: "running" }).where("id", "=", "turn_own").execute();
    await expect(forgetPerson(parts, ana)).rejects.toMatchObject({ code: "busy" });
    await db.updateTable("turns").set({ state: "done" }).execute();
    expect((await wholeStore(db)).length).toBe(before.length);
  });

  it("[ops.forget] an entry that says it was forgotten counts as changed without one that says so, or changed since", async () => {
    const { db, parts } = await open(kind);
    const change = (seq: number, data: string) =>
      db.updateTable("audit").set({ data }).where("seq", "=", seq).execute();
    const [second] = await db.selectFrom("audit").select("data").where("seq", "=", 2).execute();
    await change(2, '{"forgotten":true}');
    expect(await verifyAudit(db)).toMatchObject({ ok: false, broken: { seq: 2 } });
    expect(await verifyAuditTail(db, 500)).toContain("entry 2 was changed");
    await change(2, second?.data ?? "");
    await forgetPerson(parts, ana);
    // Whoever says something in the place of what was forgotten has to name it in the chain, and is found all the same.
    const forged = `{"digest":"${"0".repeat(64)}","forgotten":true,"redacted":{"decision":"approve"}}`;
    await change(2, forged);
    const row = await db.selectFrom("audit").selectAll().where("seq", "=", 2).executeTakeFirstOrThrow();
    await parts.transact(async (_, note) =>
      note({ kind: "audit.forgotten", data: { entries: [[2, markOf(row)]] } }),
    );
    expect(await verifyAudit(db)).toMatchObject({ ok: false, broken: { seq: 2 } });
    await change(2, second?.data ?? "");
    await db.updateTable("audit").set({ actor: "slack:T1:U9" }).where("seq", "=", 1).execute();
    expect(await verifyAudit(db)).toMatchObject({ ok: false, broken: { seq: 1 } });
  });
});

it("[ops.forget] leaves nothing on the pages of the file that are in use", async () => {
  const { db, parts } = await open("sqlite");
  const hex = (at: number): string => createHash("sha256").update(String(at)).digest("hex");
  for (let at = 0; at < 60; at += 1) {
    const message = `my salary ${hex(at).repeat(9)}`;
    await parts.transact(async (tx, note) => {
      await tx
        .insertInto("turns")
        .values(turnOf(`t${at}`, "slack:T1:U1", `c${at}`, message))
        .execute();
      note({ kind: "turn.accepted", turnId: `t${at}`, actor: "slack:T1:U1", data: { message } });
    });
  }
  await sql`pragma secure_delete = on`.execute(db);
  await forgetPerson(parts, ana);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db);
  expect((await readFile(rows[0]?.file ?? "")).includes("my salary")).toBe(false);
});
