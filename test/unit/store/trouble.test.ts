import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { toApiError } from "#adapters/http/errors.ts";
import { CountersignError } from "#src/base/errors.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { openPostgresStore } from "#src/store/open-postgres.ts";
import type { Store } from "#src/store/open.ts";
import { fromDriver } from "#src/store/store-errors.ts";
import { type PostgresServer, startPostgres } from "#test/fakes/postgres.ts";

describe("what a database says of itself", () => {
  const sqlite = (errcode: number): Error =>
    Object.assign(new Error("x"), { code: "ERR_SQLITE_ERROR", errcode });
  const postgres = (code: string): Error => Object.assign(new Error("x"), { code });

  it.each([
    ["store_full", sqlite(13)],
    ["store_full", sqlite(4_874)],
    ["store_full", postgres("53100")],
    ["store_read_only", sqlite(1_032)],
    ["store_read_only", postgres("25006")],
    ["store_busy", sqlite(5)],
    ["store_busy", postgres("53300")],
    ["store_damaged", sqlite(11)],
    ["store_damaged", postgres("XX001")],
    ["store_lost", postgres("3D000")],
    ["store_unreachable", postgres("08006")],
    ["store_unreachable", new Error("Connection terminated unexpectedly")],
    ["store_failed", sqlite(778)],
  ])("is %s, for people and on the wire", (code, error) => {
    const known = fromDriver(error);
    expect(known).toMatchObject({ code, forPeople: true, cause: error });
    expect(toApiError(known)).toMatchObject({
      status: 503,
      code,
      message: expect.stringContaining("nothing was"),
    });
  });

  it("is left alone where it says nothing of the store", () => {
    for (const error of [
      sqlite(2_067),
      postgres("40001"),
      postgres("23505"),
      new CountersignError("not_found", "x"),
    ])
      expect(fromDriver(error)).toBe(error);
  });
});

describe("a shared store in trouble", () => {
  let server: PostgresServer;
  let store: Store;
  beforeAll(async () => {
    server = await startPostgres();
    store = await openPostgresStore(await server.createDatabase(), { warn: () => undefined });
  }, 120_000);
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  const write = (): Promise<unknown> =>
    store.db.transaction().execute(async (tx) => {
      await tx
        .insertInto("kv")
        .values({ key: String(Math.random()), value: "", expires_at: null })
        .execute();
    });

  it("is not waited for without an end when it falls silent, and is used again when it answers", async () => {
    const address = await server.createDatabase();
    const link = await silenceable(Number(new URL(address).port));
    const url = address.replace(/:\d+\//, `:${link.port}/`);
    const patience = { connectMs: 300, answerMs: 300, checkMs: 500 };
    const far = await openPostgresStore(url, { warn: () => undefined }, patience);
    const write = (): Promise<unknown> =>
      far.db
        .insertInto("kv")
        .values({ key: String(Math.random()), value: "", expires_at: null })
        .execute();
    await write();
    link.silence();
    expect(await far.check()).toMatchObject({ ok: false, code: "store_unreachable" });
    // Over the connection that stood, and over one that has to be made.
    await expect(write()).rejects.toMatchObject({ code: "store_unreachable" });
    await expect(write()).rejects.toMatchObject({ code: "store_unreachable" });
    link.speak();
    await write();
    expect(await far.check()).toEqual({ ok: true });
    await far.close();
    link.close();
  });

  it("asks nothing by its name any more where a pooler gives it another connection", async () => {
    const another = await openPostgresStore(await server.createDatabase(), { warn: () => undefined });
    for (const one of [store, another]) {
      for (let time = 1; time <= 4; time += 1) await one.check();
      await sql`deallocate all`.execute(one.db);
    }
    const transact = createTransact(store.db, {
      kind: "postgres",
      redactor: createRedactor([]),
      now: Date.now,
    });
    let tries = 0;
    await transact(async (tx) => {
      tries += 1;
      // As `check` does.
      await tx.selectFrom("kv").select("key").limit(1).execute();
    });
    expect(tries).toBe(2);
    expect(await another.check()).toEqual({ ok: true });
    for (const one of [store, another]) {
      await sql`deallocate all`.execute(one.db);
      for (let time = 1; time <= 4; time += 1) expect(await one.check()).toEqual({ ok: true });
    }
    await another.close();
  });

  it("tells a replica that can only be read, tables that are gone, and a server that is away", async () => {
    await write();
    await sql`set default_transaction_read_only = on`.execute(store.db);
    await expect(write()).rejects.toMatchObject({ code: "store_read_only" });
    await sql`set default_transaction_read_only = off`.execute(store.db);
    await write();
    await sql`alter table kv rename to elsewhere`.execute(store.db);
    await expect(write()).rejects.toMatchObject({ code: "store_lost" });
    expect(await store.check()).toMatchObject({ ok: false, code: "store_lost" });
    await sql`alter table elsewhere rename to kv`.execute(store.db);
    expect(await store.check()).toEqual({ ok: true });
    await server.stop();
    await expect(write()).rejects.toMatchObject({ code: "store_unreachable" });
    expect(await store.check()).toMatchObject({ ok: false, code: "store_unreachable" });
  });
});

/** A way to a server of this machine that can be as silent as a network without a route. */
async function silenceable(
  to: number,
): Promise<{ port: number; silence(): void; speak(): void; close(): void }> {
  let isSilent = false;
  const sockets = new Set<Socket>();
  const link = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => isSilent || other.write(bytes));
      from.on("close", () => isSilent || other.destroy());
      from.on("error", () => undefined);
    }
  });
  link.listen(0, "127.0.0.1");
  await once(link, "listening");
  return {
    port: (link.address() as AddressInfo).port,
    silence: () => (isSilent = true),
    speak: () => (isSilent = false),
    close() {
      link.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
