import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { CountersignError, messageOf } from "../base/errors.ts";
import { keepPrivate, syncFolder } from "../base/private-files.ts";
import { alone } from "./folder-lock.ts";

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

/** Changes the data folder's keys; of two that do at once, one waits. Throws as above. */
export function changeKeyFile(
  folder: string,
  change: (keys: readonly KeyObject[]) => readonly KeyObject[],
): void {
  alone(folder, () => writeKeyFile(folder, change(readKeyFile(folder, { warn: () => undefined }))));
}

/**
 * Replaces the data folder's keys. The file is there as it was or as it shall be, also after a power cut. Throws
 * `data_folder_unwritable`.
 */
function writeKeyFile(folder: string, keys: readonly KeyObject[]): void {
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
