import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import type { Keyv } from "keyv";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import { codeOf, CountersignError } from "../base/errors.ts";
import { createKeyv, type ValueCodec } from "./keyv.ts";
import { readKeys } from "./key-file.ts";
import type { Db } from "./schema.ts";

/**
 * Texts encrypted with AES-256-GCM, each with a nonce of its own, and bound to the row it stands in:
 * a text that was changed, or moved to another row, does not open.
 */
export interface Sealer {
  /** Names the key that seals; another one after `renew`. */
  readonly keyId: string;
  /** Those that it opens with, which are this one and others. */
  readonly keyIds: readonly string[];
  seal(row: string, text: string): string;
  /** Throws `sealed_key_unknown` or `sealed_tampered`. */
  open(row: string, sealed: string): string;
  /** Takes up the keys that were made meanwhile, see rotate-keys.ts. */
  renew(db: Db): Promise<void>;
}

/** `s1.KEY.NONCE.TEXT`: version, key id, nonce, and text with tag, in base64url. */
const SHAPE = /^s1\.([\w-]{11})\.([\w-]{16})\.([\w-]{22,})$/;
const VERSION = "s1";
const TAG_BYTES = 16;
/** 96 bits at random: https://csrc.nist.gov/pubs/sp/800/38/d/final, good for 2^32 texts with one key. */
const NONCE_BYTES = 12;

/**
 * Every key is 32 bytes. `current` seals; it and the `old` ones open. `reread` gives the keys as they stand outside
 * now, of which the first seals; none where they cannot change.
 */
export function createSealer(
  current: KeyObject,
  old: readonly KeyObject[] = [],
  reread: () => readonly KeyObject[] = () => [],
): Sealer {
  const keys = new Map<string, Buffer>();
  function add(key: KeyObject): SealKey {
    const known = toSealKey(key);
    keys.set(known.id, known.bytes);
    return known;
  }
  for (const key of old) add(key);
  let own = add(current);

  function open(row: string, sealed: string): string {
    const [, id, nonce, text] = SHAPE.exec(sealed) ?? [];
    if (id === undefined || nonce === undefined || text === undefined) throw tampered(row);
    const key = keys.get(id);
    if (key === undefined) throw keyUnknown(row, id, [...keys.keys()]);
    const bytes = Buffer.from(text, "base64url");
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(boundTo(id, row));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    } catch (error) {
      throw tampered(row, error);
    }
  }

  return {
    get keyId() {
      return own.id;
    },
    get keyIds() {
      return [...keys.keys()];
    },
    open,

    seal(row, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", own.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(own.id, row));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, own.id, nonce.toString("base64url"), sealed.toString("base64url")].join(".");
    },

    async renew(db) {
      const [first, ...others] = reread();
      // Where this process is ahead of what stands outside, it stays there.
      if (first !== undefined && !keys.has(toSealKey(first).id)) own = add(first);
      for (const key of others) add(key);
      for (const seen = new Set<string>(); !seen.has(own.id);) {
        seen.add(own.id);
        const next = await handedOver(db, own.id, open);
        if (next !== undefined) own = add(next);
      }
    },
  };
}

/** Rows about keys: the next one, sealed with the one it takes the place of; and that one seals nothing any more. */
export const handoverRow = (keyId: string): string => `keys.handover:${keyId}`;
export const retiredRow = (keyId: string): string => `keys.retired:${keyId}`;

async function handedOver(db: Db, keyId: string, open: Sealer["open"]): Promise<KeyObject | undefined> {
  const row = handoverRow(keyId);
  const found = await db
    .selectFrom("kv")
    .select("value")
    .where("key", "=", row)
    .where("expires_at", ">", Date.now())
    .executeTakeFirst();
  return found && readKeys(open(row, found.value), row)[0];
}

/** Holds where the key may still seal: part of every write of sealed text, so that none comes after a rotation. */
function maySeal(keyId: string): RawBuilder<SqlBool> {
  return sql`not exists (select 1 from kv as retired where retired.key = ${retiredRow(keyId)})`;
}

/** Rejects with `sealed_key_retired` where there is no newer key than this one. */
async function requireNewer(db: Db, sealer: Sealer, keyId: string): Promise<void> {
  // Another write may have found out before.
  if (sealer.keyId !== keyId) return;
  await sealer.renew(db);
  if (sealer.keyId !== keyId) return;
  throw new CountersignError(
    "sealed_key_retired",
    `The secret key ${keyId} was rotated: nothing is encrypted with it any more. Start this process with the ` +
      "newer key in COUNTERSIGN_SECRET_KEY, or bring back the data folder's secret.key.",
  );
}

/** Rejects with `sealed_key_retired` where this process has no key that may seal. */
export async function requireKey(db: Db, sealer: Sealer): Promise<void> {
  await sealer.renew(db);
  const { keyId } = sealer;
  if (await isRetired(db, keyId)) await requireNewer(db, sealer, keyId);
}

export async function isRetired(db: Db, keyId: string): Promise<boolean> {
  const rows = db.selectFrom("kv").select("key").where("key", "=", retiredRow(keyId));
  return (await rows.executeTakeFirst()) !== undefined;
}

function sealedCodec(sealer: Sealer): ValueCodec {
  return {
    async put(db, { key, text, expires_at }) {
      for (;;) {
        const { keyId } = sealer;
        const mayWrite = maySeal(keyId);
        const value = sealer.seal(key, text);
        const written = await db
          .insertInto("kv")
          .columns(["key", "value", "expires_at"])
          .expression(
            sql`select cast(${key} as text), cast(${value} as text), cast(${expires_at} as bigint) where ${mayWrite}`,
          )
          .onConflict((conflict) => conflict.column("key").doUpdateSet({ value, expires_at }))
          .executeTakeFirst();
        if (written.numInsertedOrUpdatedRows !== 0n) return;
        await requireNewer(db, sealer, keyId);
      }
    },

    async open(db, key, value) {
      try {
        return sealer.open(key, value);
      } catch (error) {
        if (codeOf(error) !== "sealed_key_unknown") throw error;
        await sealer.renew(db);
        return sealer.open(key, value);
      }
    },
  };
}

/** State as `createKeyv` keeps it, sealed. Names of keys are not: put no secret into them. */
export function createSealedKeyv<Value>(db: Db, namespace: string, sealer: Sealer): Keyv<Value> {
  return createKeyv(db, `${PREFIX}${namespace}`, sealedCodec(sealer));
}

/**
 * Changes a value only where it is still there: what is deleted meanwhile does not come back. `change` is
 * given what stands there, and again where another was faster; undefined leaves it. False where nothing changed.
 */
export async function changeSealed<Value>(
  { db, namespace, sealer }: { db: Db; namespace: string; sealer: Sealer },
  key: string,
  change: (before: Value) => Value | undefined,
): Promise<boolean> {
  let read: { row: string; sealed: string } | undefined;
  const codec = sealedCodec(sealer);
  const kept = createKeyv<Value>(db, `${PREFIX}${namespace}`, {
    ...codec,
    open(at, row, sealed) {
      read = { row, sealed };
      return codec.open(at, row, sealed);
    },
  });
  for (;;) {
    read = undefined;
    const before = await kept.get(key);
    const after = before === undefined ? undefined : change(before);
    const at = read as { row: string; sealed: string } | undefined;
    if (at === undefined || after === undefined) return false;
    const text = String(await kept.encode({ value: after }));
    const { keyId } = sealer;
    // No two sealed texts are alike, so the same text is the same writing.
    if (await replaceSealed(db, sealer, { ...at, text })) return true;
    if (await isRetired(db, keyId)) await requireNewer(db, sealer, keyId);
  }
}

/** Seals a text in the place of what stands there; false where something else does, or the key may not seal. */
async function replaceSealed(
  db: Db,
  sealer: Sealer,
  { row, sealed, text }: { row: string; sealed: string; text: string },
): Promise<boolean> {
  const mayWrite = maySeal(sealer.keyId);
  const updated = await db
    .updateTable("kv")
    .set({ value: sealer.seal(row, text) })
    .where("key", "=", row)
    .where("value", "=", sealed)
    .where(mayWrite)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

/** Deletes a value without opening it: that needs no key. */
export async function forgetSealed(db: Db, namespace: string, key: string): Promise<void> {
  await createKeyv(db, `${PREFIX}${namespace}`).delete(key);
}

/** Rows of sealed state are told by it, and never mixed with those of plain state. */
const PREFIX = "sealed.";

/**
 * Seals with the current key what an old one has sealed, so that the old one can be given up. Leaves a row
 * that changes meanwhile. Resolves to how many rows were sealed anew, and how many could not be opened.
 */
export async function reseal(db: Db, sealer: Sealer): Promise<{ sealed: number; unreadable: number }> {
  let sealed = 0;
  let unreadable = 0;
  for (const { key, value } of await sealedRows(db)) {
    if (value.startsWith(`${VERSION}.${sealer.keyId}.`)) continue;
    const text = textOf(sealer, key, value);
    if (text === undefined) {
      unreadable += 1;
      continue;
    }
    if (await replaceSealed(db, sealer, { row: key, sealed: value, text })) sealed += 1;
  }
  return { sealed, unreadable };
}

/** How many rows each key seals, by its id. */
export async function sealedBy(db: Db): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { value } of await sealedRows(db)) {
    const [, id = ""] = SHAPE.exec(value) ?? [];
    found.set(id, (found.get(id) ?? 0) + 1);
  }
  return found;
}

/** How many rows are sealed, and how many of them this sealer cannot open; none opens any. */
export async function countSealed(
  db: Db,
  sealer: Sealer | undefined,
): Promise<{ sealed: number; unreadable: number }> {
  const rows = await sealedRows(db);
  const readable = rows.filter(
    ({ key, value }) => sealer !== undefined && textOf(sealer, key, value) !== undefined,
  );
  return { sealed: rows.length, unreadable: rows.length - readable.length };
}

function sealedRows(db: Db): Promise<{ key: string; value: string }[]> {
  return db
    .selectFrom("kv")
    .select(["key", "value"])
    .where(sql<boolean>`substr(key, 1, ${PREFIX.length}) = ${PREFIX}`)
    .execute();
}

function textOf(sealer: Sealer, key: string, value: string): string | undefined {
  try {
    return sealer.open(key, value);
  } catch {
    return undefined;
  }
}

/** The name of a key, as sealed texts carry it. */
export function keyIdOf(key: KeyObject): string {
  return toSealKey(key).id;
}

interface SealKey {
  id: string;
  bytes: Buffer;
}

/** What encrypts and what names the key are derived from it apart, so that the name tells nothing. */
function toSealKey(key: KeyObject): SealKey {
  const derived = (purpose: string, length: number): Buffer =>
    Buffer.from(hkdfSync("sha256", key, "", `countersign sealed state ${VERSION}: ${purpose}`, length));
  return { id: derived("key id", 8).toString("base64url"), bytes: derived("encryption", 32) };
}

function boundTo(keyId: string, row: string): Buffer {
  return Buffer.from(JSON.stringify([VERSION, keyId, row]));
}

function keyUnknown(row: string, found: string, known: string[]): CountersignError {
  return new CountersignError(
    "sealed_key_unknown",
    `${row} in the store was encrypted with the key ${found}, and this process has ${known.join(" and ")}. ` +
      "Set COUNTERSIGN_SECRET_KEY_OLD to the key it was written with, or bring back the data folder's secret.key.",
    { details: { row, found, known } },
  );
}

function tampered(row: string, cause?: unknown): CountersignError {
  return new CountersignError(
    "sealed_tampered",
    `${row} in the store is not what this product wrote there: it was changed or moved, and is not used. ` +
      "Restore it from a backup, or delete the row and connect the account anew.",
    { ...(cause === undefined ? {} : { cause }), details: { row } },
  );
}
