import { Keyv } from "keyv";
import { sql } from "kysely";

import type { Db } from "./schema.ts";

/** How values stand in their rows; `row` is the whole key of the row. */
interface ValueCodec {
  seal(row: string, text: string): string;
  open(row: string, sealed: string): string;
}

const bare: ValueCodec = { seal: (_, text) => text, open: (_, text) => text };

/** Plain key-value state of one kind, kept in the store's `kv` table. Never for approvals: no compare-and-set. */
export function createKeyv<Value>(db: Db, namespace: string, coat: ValueCodec = bare): Keyv<Value> {
  const row = (key: string) => db.selectFrom("kv").select(["value", "expires_at"]).where("key", "=", key);
  // Compared as text: in a LIKE pattern a namespace with an underscore would match others.
  const prefix = `${namespace}:`;
  const isOwn = sql<boolean>`substr(key, 1, ${prefix.length}) = ${prefix}`;
  /**
   * What nobody asks for any more goes with the next that is kept for a while. The index over expiry names the
   * rows: a range of keys would be another one where the database sorts by a language.
   */
  async function dropExpired(): Promise<void> {
    await db.deleteFrom("kv").where(isOwn).where("expires_at", "<=", Date.now()).execute();
  }

  const store = {
    async get(key: string): Promise<string | undefined> {
      const found = await row(key).executeTakeFirst();
      if (found === undefined || isExpired(found.expires_at)) return undefined;
      return coat.open(key, found.value);
    },
    async set(key: string, text: string, ttl?: number): Promise<boolean> {
      const value = coat.seal(key, text);
      const expires_at = ttl === undefined ? null : Date.now() + ttl;
      await db
        .insertInto("kv")
        .values({ key, value, expires_at })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value, expires_at }))
        .execute();
      if (ttl !== undefined) await dropExpired();
      return true;
    },
    async delete(key: string): Promise<boolean> {
      const result = await db.deleteFrom("kv").where("key", "=", key).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    async clear(): Promise<void> {
      await db.deleteFrom("kv").where(isOwn).execute();
    },
    async *iterator(): AsyncGenerator<[string, string]> {
      const rows = await db.selectFrom("kv").select(["key", "value", "expires_at"]).where(isOwn).execute();
      for (const found of rows)
        if (!isExpired(found.expires_at)) yield [found.key, coat.open(found.key, found.value)];
    },
    async has(key: string): Promise<boolean> {
      const found = await row(key).executeTakeFirst();
      return found !== undefined && !isExpired(found.expires_at);
    },
  };
  return new Keyv<Value>({ store, namespace, throwOnErrors: true });
}

function isExpired(expiresAt: number | null): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}
