import { Keyv } from "keyv";
import { sql } from "kysely";

import { runBuilt } from "./built.ts";
import type { Db } from "./schema.ts";

/** How values stand in their rows; `key` is the whole key of the row. */
export interface ValueCodec {
  /** Writes a row, in the place of the one that is there. */
  put(db: Db, row: { key: string; text: string; expires_at: number | null }): Promise<void>;
  open(db: Db, key: string, value: string): string | Promise<string>;
}

const plain: ValueCodec = {
  async put(db, { key, text: value, expires_at }) {
    await db
      .insertInto("kv")
      .values({ key, value, expires_at })
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ value, expires_at }))
      .execute();
  },
  open: (_db, _key, value) => value,
};

/** Plain key-value state of one kind, kept in the store's `kv` table. Never for approvals: no compare-and-set. */
export function createKeyv<Value>(db: Db, namespace: string, codec: ValueCodec = plain): Keyv<Value> {
  const keptOn = (on: Db, at: number) =>
    on
      .selectFrom("kv")
      .select(["key", "value"])
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", at)]));
  const row = async (key: string) => {
    const [found] = await runBuilt(db, "read kept", [{ key, at: Date.now() }], (on, [one]) =>
      keptOn(on, one.at).where("key", "=", one.key),
    );
    return found;
  };
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
      const found = await row(key);
      return found && (await codec.open(db, key, found.value));
    },
    async set(key: string, text: string, ttl?: number): Promise<boolean> {
      await codec.put(db, { key, text, expires_at: ttl === undefined ? null : Date.now() + ttl });
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
      for (const { key, value } of await keptOn(db, Date.now()).where(isOwn).execute())
        yield [key, await codec.open(db, key, value)];
    },
    async has(key: string): Promise<boolean> {
      return (await row(key)) !== undefined;
    },
  };
  return new Keyv<Value>({ store, namespace, throwOnErrors: true });
}
