import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll } from "vitest";

import type { StoreKind } from "#src/store/migrations.ts";
import { openPostgresStore } from "#src/store/open-postgres.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

/** Both stores; every case of the suite runs on each. */
export const storeKinds: readonly StoreKind[] = ["sqlite", "postgres"];

/** What a replica opens: on Postgres two pools on one database, on sqlite the one process that may. */
export interface StorePair {
  kind: StoreKind;
  first: Store;
  second: Store;
  close(): Promise<void>;
}

/** A database with tables: they are brought up once, by two replicas at the same time, then copied. */
let brought: Promise<string> | undefined;

/** Registers the Postgres cluster with the test file; the result opens empty stores. */
export function useStores(): { open(kind: StoreKind): Promise<StorePair>; database(): Promise<string> } {
  let server: PostgresServer | undefined;
  const leftovers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await joinPostgres();
  }, 120_000);
  afterAll(async () => {
    for (const close of leftovers.toReversed()) await close();
    await server?.stop();
  });

  async function database(): Promise<string> {
    if (server === undefined) throw new Error("the cluster is started by beforeAll");
    return server.createDatabase();
  }

  async function broughtUp(): Promise<string> {
    brought ??= database().then(async (url) => {
      await (await openPostgres(url)).close();
      return url;
    });
    const like = await brought;
    return server?.createDatabase(like) ?? like;
  }

  return {
    database,
    async open(kind) {
      const pair = kind === "sqlite" ? await openSqlite() : await openPostgres(await broughtUp());
      let isClosed = false;
      const close = async (): Promise<void> => {
        if (isClosed) return;
        isClosed = true;
        await pair.close();
      };
      leftovers.push(close);
      return { ...pair, close };
    },
  };
}

async function openSqlite(): Promise<StorePair> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-ledger-"));
  const store = await openEmbeddedStore(folder);
  return {
    kind: "sqlite",
    first: store,
    second: store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Both replicas open the database at the same time. */
async function openPostgres(url: string): Promise<StorePair> {
  const log = { warn: () => undefined };
  const [first, second] = await Promise.all([openPostgresStore(url, log), openPostgresStore(url, log)]);
  return {
    kind: "postgres",
    first,
    second,
    async close() {
      await first.close();
      await second.close();
    },
  };
}
