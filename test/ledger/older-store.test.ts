import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { Kysely, PostgresDialect, sql, SqliteDialect } from "kysely";
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
import { appendEvent, createTurnSignals, readEvents } from "#src/turn/events.ts";
import { Journal } from "#src/turn/journal.ts";
import { toTurn } from "#src/turn/rows.ts";

import { buildTurnResult } from "#test/builders.ts";

import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();

/** The last migration before turns counted their events and Postgres kept the end of the audit chain. */
const LAST = "0020_reads";

const result = { type: "result", result: { reply: "Kept.", toolResults: [], log: [] } };

/** A store as an earlier version left it, whose newest migration is `last`, with a turn, its events and an audit entry. */
async function leaveOlder(kind: StoreKind, place: string, last: string): Promise<void> {
  const dialect =
    kind === "sqlite"
      ? new SqliteDialect({ database: openNodeSqlite(join(place, "countersign.db")) })
      : new PostgresDialect({ pool: new pg.Pool({ connectionString: place }) });
  const db = new Kysely<Schema>({ dialect });
  const earlier = Object.fromEntries(Object.entries(migrations(kind)).filter(([name]) => name <= last));
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(earlier) } });
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  // The columns of the first version; later ones are filled in by their migrations.
  await sql`insert into turns (id, surface, actor, conversation_id, channel, message, state, allow_summarization,
    created_at, updated_at, result) values ('turn_1', 'http', 'http:ana', 'http:c1', 'http:c1', 'what is DEMO-1',
    'done', 1, 1, 2, ${JSON.stringify(result.result)})`.execute(db);
  const events = [{ type: "status", phase: "queued", elapsedMs: 0 }, result];
  for (const [at, event] of events.entries())
    await db
      .insertInto("events")
      .values({ turn_id: "turn_1", seq: at + 1, at: 1, data: JSON.stringify(event) })
      .execute();
  await db
    .insertInto("steps")
    .values({ turn_id: "turn_1", seq: 1, kind: "respond", step: 1, state: "outcome", at: 1, data: "{}" })
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

async function openOlder(kind: StoreKind, last: string): Promise<{ store: Store; place: string }> {
  const place =
    kind === "sqlite" ? await mkdtemp(join(tmpdir(), "countersign-older-")) : await stores.database();
  await leaveOlder(kind, place, last);
  const log = { warn: () => undefined };
  const store = kind === "sqlite" ? await openEmbeddedStore(place) : await openPostgresStore(place, log);
  onTestFinished(async () => {
    await store.close();
    if (kind === "sqlite") await rm(place, { recursive: true, force: true });
  });
  return { store, place };
}

it("[ops.backup] an upgrade that is cut off in the middle leaves nothing behind, and the next start makes it", async () => {
  const place = await mkdtemp(join(tmpdir(), "countersign-older-"));
  await leaveOlder("sqlite", place, LAST);
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

/** Opens the store that its argument names, and is killed before the statement whose number comes second. */
const OPENER = `
  import { DatabaseSync } from "node:sqlite";
  import { openEmbeddedStore } from ${JSON.stringify(fileURLToPath(import.meta.resolve("#src/store/open.ts")))};
  let left = Number(process.argv[2]), asked = 0;
  for (const name of ["prepare", "exec"]) {
    const own = DatabaseSync.prototype[name];
    DatabaseSync.prototype[name] = function (...args) {
      asked += 1;
      if (asked === left) process.kill(process.pid, "SIGKILL");
      return own.apply(this, args);
    };
  }
  await openEmbeddedStore(process.argv[1]);
  console.log(asked);
  process.exit(0);`;

async function openUntil(place: string, statement: number): Promise<{ signal: string | null; told: string }> {
  const args = ["--input-type=module", "-e", OPENER, "--", place, String(statement)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [[, signal], told] = await Promise.all([once(child, "close"), text(child.stdout)]);
  return { signal: signal as string | null, told };
}

it("[ops.backup] an upgrade that is killed anywhere leaves the old store or the new one", async () => {
  const whole = await mkdtemp(join(tmpdir(), "countersign-older-"));
  await leaveOlder("sqlite", whole, LAST);
  const statements = Number((await openUntil(whole, 0)).told);
  expect(statements).toBeGreaterThan(20);
  const found = new Set<string>();
  for (const part of [0.2, 0.4, 0.6, 0.8, 0.95]) {
    const place = await mkdtemp(join(tmpdir(), "countersign-older-"));
    await leaveOlder("sqlite", place, LAST);
    expect((await openUntil(place, Math.ceil(statements * part))).signal).toBe("SIGKILL");
    const raw = new DatabaseSync(join(place, "countersign.db"));
    const [row] = raw.prepare("select name from kysely_migration order by name desc limit 1").all();
    raw.close();
    found.add(String(row?.name));
    const store = await openEmbeddedStore(place);
    expect(await verifyAudit(store.db)).toMatchObject({ ok: true, entries: 1 });
    expect(await store.db.selectFrom("turns").select("event_count").execute()).toEqual([{ event_count: 2 }]);
    await store.close();
  }
  const newest = Object.keys(migrations("sqlite")).at(-1);
  expect([...found].filter((name) => name !== LAST && name !== newest)).toEqual([]);
  expect(found).toContain(LAST);
}, 90_000);

/** What JSON, SQL and Postgres each write in their own way. */
const awkward = 'a "quote", a \\, a\ttab,\r\n\b\f\u0000\u0001\u001F\u007F, \u2028, 🐴, \uD800 and é';

const versions = Object.keys(migrations("sqlite")).slice(0, -1);

describe.each(storeKinds)("a store of an earlier version on %s", (kind) => {
  // On Postgres each takes a database of its own.
  it.each(kind === "sqlite" ? versions : versions.filter((_, at) => at % 8 === 0))(
    "[ops.backup] is upgraded from %s, with what it holds",
    async (last) => {
      const { store, place } = await openOlder(kind, last);
      const row = await store.db.selectFrom("turns").selectAll().executeTakeFirstOrThrow();
      expect(toTurn(row)).toMatchObject({ state: "done", result: { reply: "Kept." } });
      expect((await readEvents(store.db, "turn_1", 0)).map(({ event }) => event)).toEqual([
        { type: "status", phase: "queued", elapsedMs: 0 },
        result,
      ]);
      expect(await store.db.selectFrom("steps").select(["seq", "data"]).execute()).toEqual([
        { seq: 1, data: "{}" },
      ]);
      expect(await verifyAudit(store.db)).toMatchObject({ ok: true, entries: 1 });
      if (kind === "postgres") return;
      const kept = await readdir(join(place, "backups"));
      expect(kept).toEqual([expect.stringContaining(`before-upgrade-of-${last}-`)]);
      const before = openNodeSqlite(join(place, "backups", kept[0] ?? ""), { readOnly: true });
      const names = before.prepare("select name from kysely_migration order by name desc limit 1").all([]);
      expect(names).toEqual([{ name: last }]);
      before.close();
    },
  );

  it("is served: events go on behind the old ones, and the chain behind its last entry", async () => {
    const { db, now } = (await openOlder(kind, LAST)).store;
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

it.each(storeKinds)(
  "a turn that is done on %s has the outcomes of its reads with its result",
  async (kind) => {
    const { db, now } = (await openOlder(kind, LAST)).store;
    const transact = createTransact(db, { kind, now, redactor: createRedactor([]) });
    const signals = createTurnSignals(0);
    const journal = new Journal({ db, kind, transact, now, signals, failPoint: () => undefined });
    for (const isWrittenBefore of [false, true]) {
      await db.updateTable("turns").set({ state: "running", result: null }).execute();
      for (const table of ["calls", "steps"] as const) await db.deleteFrom(table).execute();
      const run = await journal.open("turn_1", { isCounted: true, isFresh: false });
      const calls = [{ command: "QUERY" as const, tool: "box.read", args: {} }];
      const plan = { planner: "command" as const, attempts: [], outcome: { kind: "calls" as const, calls } };
      run?.planOutcome(1, plan, { find: () => undefined, event: undefined });
      await run?.callIntents(run.calls, []);
      const [call] = run?.calls ?? [];
      const outcome = { ok: true, data: "long ".repeat(500), text: "said by the server" };
      if (call !== undefined) run?.callOutcome(call, "done", outcome);
      if (isWrittenBefore) await run?.commit();
      const ended = { ...buildTurnResult("long ".repeat(500)), toolResults: [] };
      await run?.end({ state: "done", result: ended, events: [{ type: "result", result: ended }] });
      expect(await db.selectFrom("calls").select("outcome").execute()).toEqual([{ outcome: null }]);
      expect(await journal.calls("turn_1")).toMatchObject([{ state: "done", outcome }]);
      expect((await journal.turn("turn_1"))?.result).toEqual(ended);
    }
  },
);

it("[ops.backup] keeps the three newest backups of upgrades, and makes none of an empty store or of its own version", async () => {
  const place = await mkdtemp(join(tmpdir(), "countersign-older-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const folder = join(place, "backups");
  await leaveOlder("sqlite", place, LAST);
  await mkdir(folder);
  const others = [
    "before-upgrade-of-0003_given-2026-01-01T00-00-00Z.db",
    "before-upgrade-of-0001_first-2026-03-01T00-00-00Z.db",
    "before-upgrade-of-0002_messages-2026-02-01T00-00-00Z.db",
  ];
  for (const name of [...others, "backup-2025-01-01T00-00-00Z.db"]) await writeFile(join(folder, name), "");
  await (await openEmbeddedStore(place)).close();
  const kept = await readdir(folder);
  expect(kept).toHaveLength(4);
  expect(kept).toEqual(expect.arrayContaining([...others.slice(1), "backup-2025-01-01T00-00-00Z.db"]));
  await (await openEmbeddedStore(place)).close();
  expect(await readdir(folder)).toEqual(kept);
  const empty = await mkdtemp(join(tmpdir(), "countersign-older-"));
  onTestFinished(() => rm(empty, { recursive: true, force: true }));
  await (await openEmbeddedStore(empty)).close();
  expect(await readdir(empty)).not.toContain("backups");
});
