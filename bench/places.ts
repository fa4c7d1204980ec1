import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openPostgresStore } from "#src/store/open-postgres.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { type PostgresServer, startPostgres } from "#test/fakes/postgres.ts";

/** Gives benches their folders and databases, and takes them away at the end. */
export interface Places {
  folder(): Promise<string>;
  /** The URL of an empty database on a Postgres of the bench's own. */
  database(): Promise<string>;
  /** An empty store of either kind, with the URL of the database on Postgres. */
  store(kind: "embedded" | "postgres"): Promise<{ store: Store; folder: string; url: string }>;
  close(): Promise<void>;
}

export function createPlaces(): Places {
  const folders: string[] = [];
  const stores: Store[] = [];
  let server: Promise<PostgresServer> | undefined;

  async function folder(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), "countersign-bench-"));
    folders.push(made);
    return made;
  }
  async function database(): Promise<string> {
    server ??= startPostgres();
    return (await server).createDatabase();
  }
  return {
    folder,
    database,
    async store(kind) {
      const place = await folder();
      const url = kind === "postgres" ? await database() : "";
      const store =
        kind === "postgres"
          ? await openPostgresStore(url, { warn: () => undefined })
          : await openEmbeddedStore(place);
      stores.push(store);
      return { store, folder: place, url };
    },
    async close() {
      for (const store of stores) await store.close();
      await (await server)?.stop();
      for (const made of folders) await rm(made, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
