import type { Logger } from "pino";

import { CountersignError } from "#src/base/errors.ts";
import type { Settings } from "#src/settings/load.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { createSealer, makeKeyFile, readKeyFile, reseal, type Sealer } from "#src/store/sealed.ts";
import type { Journal } from "#src/turn/journal.ts";
import { createEmbeddedQueue, type TurnQueue } from "#src/turn/queue.ts";

const STORE_RETRY_MS = 5_000;

/** The embedded store of one process, or the Postgres that replicas share. */
export function openStore(settings: Settings, log: Logger): Promise<Store> {
  const { url } = settings.store;
  if (url === "") return openEmbeddedStore(settings.data_dir, log);
  // Loaded when needed: the embedded default carries no Postgres driver in memory.
  return import("#src/store/open-postgres.ts").then(({ openPostgresStore }) => openPostgresStore(url, log));
}

/** The queue that goes with the store. */
export async function openQueue(
  settings: Settings,
  { journal, log }: { journal: Journal; log: Logger },
): Promise<TurnQueue> {
  const { url } = settings.store;
  if (url === "")
    return createEmbeddedQueue({ unfinished: () => journal.unfinished(), retryMs: STORE_RETRY_MS });
  const { openBossQueue } = await import("#src/turn/boss-queue.ts");
  return openBossQueue({ connectionString: url, log });
}

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
  const { sealed, unreadable } = await reseal(db, sealer);
  if (sealed > 0) log.info({ sealed }, "stored secrets were encrypted anew with the current key");
  if (unreadable > 0) {
    log.error(
      { unreadable },
      "stored secrets cannot be read: set COUNTERSIGN_SECRET_KEY_OLD to the key they were written with, or bring back secret.key",
    );
  }
  return sealer;
}
