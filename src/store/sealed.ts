import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Keyv } from "keyv";
import { sql } from "kysely";

import { CountersignError, messageOf } from "../base/errors.ts";
import { keepPrivate, syncFolder } from "../base/private-files.ts";
import { createKeyv } from "./keyv.ts";
import type { Db } from "./schema.ts";

/**
 * Texts encrypted with AES-256-GCM, each with a nonce of its own, and bound to the row it stands in:
 * a text that was changed, or moved to another row, does not open.
 */
export interface Sealer {
  /** Names the key that seals. */
  readonly keyId: string;
  seal(row: string, text: string): string;
  /** Throws `sealed_key_unknown` or `sealed_tampered`. */
  open(row: string, sealed: string): string;
}

/** `s1.KEY.NONCE.TEXT`: version, key id, nonce, and text with tag, in base64url. */
const SHAPE = /^s1\.([\w-]{11})\.([\w-]{16})\.([\w-]{22,})$/;
const VERSION = "s1";
const TAG_BYTES = 16;
/** 96 bits at random: https://csrc.nist.gov/pubs/sp/800/38/d/final, good for 2^32 texts with one key. */
const NONCE_BYTES = 12;

/** Every key is 32 bytes. `current` seals; it and the `old` ones open. */
export function createSealer(current: KeyObject, old: readonly KeyObject[] = []): Sealer {
  const own = toSealKey(current);
  const keys = new Map([...old.map(toSealKey), own].map((key) => [key.id, key.bytes]));
  return {
    keyId: own.id,

    seal(row, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", own.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(own.id, row));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, own.id, nonce.toString("base64url"), sealed.toString("base64url")].join(".");
    },

    open(row, sealed) {
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
    },
  };
}

/** State as `createKeyv` keeps it, sealed. Names of keys are not: put no secret into them. */
export function createSealedKeyv<Value>(db: Db, namespace: string, sealer: Sealer): Keyv<Value> {
  return createKeyv(db, `${PREFIX}${namespace}`, sealer);
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
  const kept = createKeyv<Value>(db, `${PREFIX}${namespace}`, {
    seal: (row, text) => sealer.seal(row, text),
    open(row, sealed) {
      read = { row, sealed };
      return sealer.open(row, sealed);
    },
  });
  for (;;) {
    read = undefined;
    const before = await kept.get(key);
    const after = before === undefined ? undefined : change(before);
    const at = read as { row: string; sealed: string } | undefined;
    if (at === undefined || after === undefined) return false;
    // No two sealed texts are alike, so the same text is the same writing.
    const updated = await db
      .updateTable("kv")
      .set({ value: sealer.seal(at.row, String(await kept.encode({ value: after }))) })
      .where("key", "=", at.row)
      .where("value", "=", at.sealed)
      .executeTakeFirst();
    if (updated.numUpdatedRows > 0n) return true;
  }
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
    const updated = await db
      .updateTable("kv")
      .set({ value: sealer.seal(key, text) })
      .where("key", "=", key)
      .where("value", "=", value)
      .executeTakeFirst();
    sealed += Number(updated.numUpdatedRows);
  }
  return { sealed, unreadable };
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

/** What encrypts and what names the key are derived from it apart, so that the name tells nothing. */
function toSealKey(key: KeyObject): { id: string; bytes: Buffer } {
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

/** Of the data folder: secret keys in base64, where the environment gives none. */
const NAME = "secret.key";
const KEY_BYTES = 32;

/**
 * The data folder's own keys, of which the first seals; the others only open, until what they sealed is sealed anew.
 * None where there is no file. Throws `secret_key_unreadable`.
 */
export function readKeyFile(
  folder: string,
  log: { warn: (data: object, message: string) => void },
): KeyObject[] {
  const file = join(folder, NAME);
  if (!existsSync(file)) return [];
  try {
    const text = readFileSync(file, "utf8").trim();
    keepPrivate(file, (message) => log.warn({ file }, message));
    return readKeys(text, file);
  } catch (error) {
    throw error instanceof CountersignError ? error : unreadable(file, messageOf(error), error);
  }
}

/** Keys as `keysText` writes them; `named` is where they stand. Throws `secret_key_unreadable`. */
export function readKeys(text: string, named: string): KeyObject[] {
  return text.split("\n").map((line) => {
    const bytes = Buffer.from(line.trim(), "base64");
    if (bytes.length !== KEY_BYTES)
      throw unreadable(named, `${bytes.length} bytes instead of ${KEY_BYTES} in base64`);
    return createSecretKey(bytes);
  });
}

/** A line for each, in base64, and each once. */
export function keysText(keys: readonly KeyObject[]): string {
  return [...new Set(keys.map((key) => key.export().toString("base64")))].join("\n");
}

/** A key in the data folder, whose lock the caller holds. Throws `data_folder_unwritable`. */
export function makeKeyFile(folder: string): KeyObject {
  const key = createSecretKey(randomBytes(KEY_BYTES));
  writeKeyFile(folder, [key]);
  return key;
}

/**
 * Replaces the data folder's keys. The file is there as it was or as it shall be, also after a power cut. Throws
 * `data_folder_unwritable`.
 */
export function writeKeyFile(folder: string, keys: readonly KeyObject[]): void {
  const file = join(folder, NAME);
  try {
    writeFileSync(`${file}.new`, `${keysText(keys)}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    syncFolder(folder);
  } catch (error) {
    throw new CountersignError(
      "data_folder_unwritable",
      `Cannot write the secret key to ${file}: ${messageOf(error)}. ` +
        "Make the data folder writable for this user, or set COUNTERSIGN_SECRET_KEY.",
      { cause: error },
    );
  }
}

function unreadable(file: string, found: string, cause?: unknown): CountersignError {
  return new CountersignError(
    "secret_key_unreadable",
    `Expected the secret key in ${file}, got: ${found}. Restore the file from a backup, or set ` +
      "COUNTERSIGN_SECRET_KEY. Removing it makes a new key, with which stored credentials cannot be read.",
    cause === undefined ? {} : { cause },
  );
}
