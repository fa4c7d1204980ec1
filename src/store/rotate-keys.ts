import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";

import { sql } from "kysely";

import { CountersignError } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { changeKeyFile, keysText } from "./key-file.ts";
import type { StoreKind } from "./migrations.ts";
import type { Db } from "./schema.ts";
import {
  createSealer,
  handoverRow,
  isRetired,
  keyIdOf,
  reseal,
  retiredRow,
  sealedBy,
  type Sealer,
} from "./sealed.ts";

/** What a rotation did: rows sealed anew, and those that no key at hand opens, which stay as they are. */
export interface Rotated {
  keyId: string;
  sealed: number;
  unreadable: number;
}

interface Where {
  db: Db;
  kind: StoreKind;
  failPoint: FailPoint;
}

/**
 * A new key for the data folder, taken over by a product that runs with it: from the moment on at which the others
 * are retired no text is written with them any more, whoever still has them only opens, and when everything is
 * sealed anew they are removed. Killed anywhere, the next rotation or the next start goes on from there. `given` are
 * further keys that only open.
 */
export async function rotateFolderKey(
  folder: string,
  where: Where,
  given: readonly KeyObject[] = [],
): Promise<Rotated> {
  const next = createSecretKey(randomBytes(32));
  const old: KeyObject[] = [];
  changeKeyFile(folder, (keys) => {
    old.push(...keys);
    return [next, ...keys];
  });
  where.failPoint("rotate.made");
  return finishFolderKeys(folder, where, createSealer(next, [...old, ...given]));
}

/** Ends what a rotation, or a restore, left in the middle: all but the key that seals are given up. */
export async function finishFolderKeys(folder: string, where: Where, sealer: Sealer): Promise<Rotated> {
  const rotated = await replaceKeys(where, sealer);
  where.failPoint("rotate.sealed");
  const used = await sealedBy(where.db);
  changeKeyFile(folder, (keys) =>
    // A key that another rotation made meanwhile stands before ours.
    keys.filter(
      (key) =>
        !sealer.keyIds.includes(keyIdOf(key)) || keyIdOf(key) === sealer.keyId || used.has(keyIdOf(key)),
    ),
  );
  return rotated;
}

/**
 * A key of the environment takes the place of the old ones, from which whoever still runs with one of them gets it:
 * for `handoverMs` it lies in the store, sealed with each of these.
 */
export async function rotateGivenKey(
  where: Where,
  { next, old, handoverMs }: { next: KeyObject; old: readonly KeyObject[]; handoverMs: number },
): Promise<Rotated> {
  const { db } = where;
  const expires_at = Date.now() + handoverMs;
  for (const key of old) {
    const row = handoverRow(keyIdOf(key));
    const value = createSealer(key).seal(row, keysText([next]));
    await db
      .insertInto("kv")
      .values({ key: row, value, expires_at })
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ value, expires_at }))
      .execute();
  }
  where.failPoint("rotate.made");
  const rotated = await replaceKeys(where, createSealer(next, old));
  where.failPoint("rotate.sealed");
  return rotated;
}

async function replaceKeys({ db, kind, failPoint }: Where, sealer: Sealer): Promise<Rotated> {
  const { keyId } = sealer;
  const old = sealer.keyIds.filter((id) => id !== keyId);
  await requireUnused(db, keyId);
  const marks = old.map((id) => ({ key: retiredRow(id), value: keyId, expires_at: null }));
  if (marks.length > 0)
    await db
      .insertInto("kv")
      .values(marks)
      .onConflict((conflict) => conflict.column("key").doNothing())
      .execute();
  // Whoever wrote before they could see that has ended when everybody has let go of the table.
  if (kind === "postgres")
    await db.transaction().execute(async (tx) => sql`lock table kv in share mode`.execute(tx));
  failPoint("rotate.retired");
  for (let total = 0; ;) {
    const { sealed, unreadable } = await reseal(db, sealer);
    total += sealed;
    const others = [...(await sealedBy(db))].filter(([id]) => old.includes(id));
    const left = others.reduce((sum, [, rows]) => sum + rows, 0);
    // What does not open although its key is there was tampered with.
    if (left <= unreadable) return { keyId, sealed: total, unreadable };
    await requireUnused(db, keyId);
  }
}

async function requireUnused(db: Db, keyId: string): Promise<void> {
  if (!(await isRetired(db, keyId))) return;
  throw new CountersignError(
    "sealed_key_retired",
    `The key ${keyId} was rotated away before, or is being rotated by somebody else now: take a new one.`,
  );
}
