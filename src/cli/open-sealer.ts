import type { Logger } from "pino";

import { CountersignError } from "../base/errors.ts";
import type { Settings } from "../settings/load.ts";
import { makeKeyFile, readKeyFile } from "../store/key-file.ts";
import type { Store } from "../store/open.ts";
import { createSealer, sealAnew, type Sealer } from "../store/sealed.ts";

/**
 * What encrypts secrets in the store: the key of the environment, on one machine also that of the data
 * folder, which is made when there is neither. What an older key sealed is sealed anew.
 */
export async function openSealer(settings: Settings, { db, kind }: Store, log: Logger): Promise<Sealer> {
  const { secret_key: given, old_secret_keys: old, data_dir: folder } = settings;
  const ofFolder = kind === "sqlite" ? readKeyFile(folder, log) : undefined;
  const known = [...old, ...(ofFolder === undefined || given === undefined ? [] : [ofFolder])];
  const current = given ?? ofFolder ?? (kind === "sqlite" ? makeKeyFile(folder) : undefined);
  if (current === undefined) {
    // The settings are refused before; nothing may be stored in the clear.
    throw new CountersignError("secret_key_missing", "expected COUNTERSIGN_SECRET_KEY, as store.url is set");
  }
  const sealer = createSealer(current, known);
  const { sealed, unreadable } = await sealAnew(db, sealer);
  if (sealed > 0) log.info({ sealed }, "stored secrets were encrypted anew with the current key");
  if (unreadable > 0) {
    log.error(
      { unreadable },
      "stored secrets cannot be read: set COUNTERSIGN_SECRET_KEY_OLD to the key they were written with, or bring back secret.key",
    );
  }
  return sealer;
}
