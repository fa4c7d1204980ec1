import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";

import { createKeyv } from "#src/store/keyv.ts";
import { openPostgresStore } from "#src/store/open-postgres.ts";
import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await joinPostgres();
}, 120_000);
afterAll(() => server.stop(), 60_000);

/** As most installations have it: a database that sorts by the rules of a language, not by bytes. */
async function createEnglishDatabase(): Promise<string> {
  const url = new URL(await server.createDatabase());
  const client = new pg.Client(url.href);
  await client.connect();
  await client.query(
    "create database english template template0 locale_provider icu icu_locale 'en-US' locale 'C'",
  );
  await client.end();
  url.pathname = "/english";
  return url.href;
}

it("forgets what has expired also where the database sorts by a language", async () => {
  const store = await openPostgresStore(await createEnglishDatabase(), { warn: () => undefined });
  try {
    const cache = createKeyv<string>(store.db, "cache");
    await cache.set("short", "gone", 60_000);
    await store.db
      .updateTable("kv")
      .set({ expires_at: Date.now() - 1 })
      .execute();
    await cache.set("next", "kept", 60_000);
    const rows = await store.db.selectFrom("kv").select("key").where("key", "like", "cache:%").execute();
    expect(rows.map(({ key }) => key)).toEqual(["cache::next"]);
  } finally {
    await store.close();
  }
});
