import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";

import { CountersignError, messageOf } from "../base/errors.ts";
import { keepPrivate } from "../base/private-files.ts";

/** Of the data folder: the secret key in base64, where the environment gives none. */
const NAME = "secret.key";
const KEY_BYTES = 32;

/** The data folder's own key; undefined where there is none. Throws `secret_key_unreadable`. */
export function readKeyFile(
  folder: string,
  log: { warn: (data: object, message: string) => void },
): KeyObject | undefined {
  const file = join(folder, NAME);
  if (!existsSync(file)) return undefined;
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
    keepPrivate(file, (message) => log.warn({ file }, message));
  } catch (error) {
    throw unreadable(file, messageOf(error), error);
  }
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== KEY_BYTES) {
    throw unreadable(file, `${bytes.length} bytes instead of ${KEY_BYTES} in base64`);
  }
  return createSecretKey(bytes);
}

/**
 * Makes a key in the data folder, whose lock the caller holds. It is there whole or not at all, also
 * after a power cut. Throws `data_folder_unwritable`.
 */
export function makeKeyFile(folder: string): KeyObject {
  const file = join(folder, NAME);
  const bytes = randomBytes(KEY_BYTES);
  try {
    const draft = openSync(`${file}.new`, "w", 0o600);
    try {
      writeSync(draft, `${bytes.toString("base64")}\n`);
      fsyncSync(draft);
    } finally {
      closeSync(draft);
    }
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
  return createSecretKey(bytes);
}

/** So that the new name survives a power cut; Windows knows no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
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
