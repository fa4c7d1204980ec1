import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { Kysely, PostgresDialect, SqliteDialect } from "kysely";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";

import { createRedactor } from "#src/base/redact.ts";
import { AUDIT_GENESIS, hashAuditRow, verifyAudit } from "#src/ledger/audit.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { migrations, type StoreKind } from "#src/store/migrations.ts";
import { openNodeSqlite } from "#src/store/node-sqlite.ts";
import { openPostgresStore } from "#src/store/open-postgres.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import type { Schema } from "#src/store/schema.ts";
import { appendEvent, readEvents } from "#src/turn/events.ts";
import { toTurn } from "#src/turn/rows.ts";

import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();

/** The last migration before turns counted their events and Postgres kept the end of the audit chain. */
const LAST = "0020_reads";

const result = { type: "result", result: { reply: "Kept.", toolResults: [], log: [] } };

/** A store as an earlier version left it, with a turn, its events and an audit entry. */
async function leaveOlder(kind: StoreKind, place: string): Promise<void> {
  const dialect =
    kind === "sqlite"
      ? new SqliteDialect({ database: openNodeSqlite(join(place, "countersign.db")) })
      : new PostgresDialect({ pool: new pg.Pool({ connectionString: place }) });
  const db = new Kysely<Schema>({ dialect });
  const earlier = Object.fromEntries(Object.entries(migrations(kind)).filter(([name]) => name <= LAST));
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(earlier) } });
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  await db
    .insertInto("turns")
    .values({
      id: "turn_1",
      surface: "http",
      actor: "http:ana",
      conversation_id: "http:c1",
      channel: "http:c1",
      message: "what is DEMO-1",
      given: null,
      event_key: null,
      state: "done",
      allow_summarization: 1,
      created_at: 1,
      updated_at: 2,
      result: JSON.stringify(result.result),
      error: null,
      stopped_by: null,
    })
    .execute();
  const events = [{ type: "status", phase: "queued", elapsedMs: 0 }, result];
  for (const [at, event] of events.entries())
    await db
      .insertInto("events")
      .values({ turn_id: "turn_1", seq: at + 1, at: 1, data: JSON.stringify(event) })
      .execute();
  const entry = {
    seq: 1,
    at: 1,
    kind: "turn.accepted",
    turn_id: "turn_1",
    approval_id: null,
    actor: "http:ana",
    data: "{}",
    prev: AUDIT_GENESIS,
  };
  await db
    .insertInto("audit")
    .values({ ...entry, hash: hashAuditRow(entry) })
    .execute();
  await db.destroy();
}

async function openOlder(kind: StoreKind): Promise<Store> {
  const place =
    kind === "sqlite" ? await mkdtemp(join(tmpdir(), "countersign-older-")) : await stores.database();
  await leaveOlder(kind, place);
  const log = { warn: () => undefined };
  const store = kind === "sqlite" ? await openEmbeddedStore(place) : await openPostgresStore(place, log);
  onTestFinished(() => store.close());
  return store;
}

it("an upgrade that is cut off in the middle leaves nothing behind, and the next start makes it", async () => {
  const place = await mkdtemp(join(tmpdir(), "countersign-older-"));
  await leaveOlder("sqlite", place);
  const change = (statement: string): void => {
    const raw = new DatabaseSync(join(place, "countersign.db"));
    raw.exec(statement);
    raw.close();
  };
  change("create trigger cut before update on turns begin select raise(abort, 'cut off'); end");
  await expect(openEmbeddedStore(place)).rejects.toThrow("cut off");
  change("drop trigger cut");
  const store = await openEmbeddedStore(place);
  onTestFinished(() => store.close());
  expect((await store.db.selectFrom("turns").select("event_count").execute())[0]).toEqual({ event_count: 2 });
});

/** What JSON, SQL and Postgres each write in their own way. */
const awkward = 'a "quote", a \\, a\ttab,\r\n\b\f\u0000\u0001\u001F\u007F, \u2028, 🐴, \uD800 and é';

describe.each(storeKinds)("a store of an earlier version on %s", (kind) => {
  it("is served: events go on behind the old ones, and the chain behind its last entry", async () => {
    const { db, now } = await openOlder(kind);
    const row = await db.selectFrom("turns").selectAll().executeTakeFirstOrThrow();
    expect(toTurn(row)).toMatchObject({ state: "done", result: { reply: "Kept." } });
    expect((await readEvents(db, "turn_1", 0)).map(({ event }) => event)).toEqual([
      { type: "status", phase: "queued", elapsedMs: 0 },
      result,
    ]);
    const transact = createTransact(db, { kind, now, redactor: createRedactor(["secret-of-mine"]) });
    const [written] = await transact(async (tx, note) => {
      for (const text of [awkward, "with secret-of-mine"])
        note({ kind: "tool.changed", turnId: awkward.replaceAll("\0", ""), data: { text, "é\n": text } });
      note({ kind: "plain" });
      return appendEvent(tx, "turn_1", { type: "progress", message: "three" }, 3);
    });
    expect(written?.numbered.seq).toBe(3);
    await transact(async (_, note) => note({ kind: "plain", actor: "http:ana", approvalId: "appr_1" }));
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: 5 });
  });
});
