import type { KeyObject } from "node:crypto";

import type { Logger } from "pino";

import { CountersignError } from "#src/base/errors.ts";
import type { Settings } from "#src/settings/load.ts";
import { openEmbeddedStore, openEmbeddedStoreForReading, type Store } from "#src/store/open.ts";
import type { Db } from "#src/store/schema.ts";
import { makeKeyFile, readKeyFile } from "#src/store/key-file.ts";
import { finishFolderKeys } from "#src/store/rotate-keys.ts";
import { createSealer, requireKey, reseal, type Sealer } from "#src/store/sealed.ts";
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

/** The store beside the process that holds it, for one command. Throws `store_failed` where there is none. */
export async function openStoreBeside(
  { store: { url }, data_dir: folder }: Settings,
  { mayWrite = false }: { mayWrite?: boolean } = {},
): Promise<Pick<Store, "db" | "close">> {
  if (url === "") return openEmbeddedStoreForReading(folder, { mayWrite });
  return (await import("#src/store/open-postgres.ts")).openPostgresStoreForReading(url);
}

export async function withStore<Result>(
  settings: Settings,
  work: (db: Db) => Promise<Result>,
  options?: { mayWrite?: boolean },
): Promise<Result> {
  const store = await openStoreBeside(settings, options);
  try {
    return await work(store.db);
  } finally {
    await store.close();
  }
}

/** The queue that goes with the store. */
export async function openQueue(
  settings: Settings,
  { db, journal, now, log }: { db: Db; journal: Journal; now: () => number; log: Logger },
): Promise<TurnQueue> {
  const { url } = settings.store;
  if (url === "")
    return createEmbeddedQueue({ unfinished: () => journal.unfinished(), retryMs: STORE_RETRY_MS, now });
  const { openBossQueue } = await import("#src/turn/boss-queue.ts");
  return openBossQueue({ connectionString: url, db, graceMs: settings.shutdown.grace, log });
}

/**
 * What encrypts secrets in the store: the key of the environment, on one machine also that of the data
 * folder, which is made when there is neither. What an older key sealed is sealed anew. Rejects with
 * `sealed_key_retired` where the key was rotated away.
 */
export async function openSealer(settings: Settings, { db, kind }: Store, log: Logger): Promise<Sealer> {
  const isOwn = kind === "sqlite" && settings.secret_key === undefined;
  if (isOwn && secretKeys(settings, log).length === 0) makeKeyFile(settings.data_dir);
  const sealer = readSealer(settings, log);
  if (sealer === undefined) {
    // The settings are refused before; nothing may be stored in the clear.
    throw new CountersignError("secret_key_missing", "expected COUNTERSIGN_SECRET_KEY, as store.url is set");
  }
  await requireKey(db, sealer);
  const { sealed, unreadable } = await reseal(db, sealer);
  if (sealed > 0) log.info({ sealed }, "stored secrets were encrypted anew with the current key");
  if (unreadable > 0) {
    log.error(
      { unreadable },
      "stored secrets cannot be read: set COUNTERSIGN_SECRET_KEY_OLD to the key they were written with, or bring back secret.key",
    );
  }
  if (isOwn && secretKeys(settings, log).length > 1)
    await finishFolderKeys(settings.data_dir, { db, kind, failPoint: () => undefined }, sealer);
  return sealer;
}

/** The same as it is; undefined where there is no key yet: then nothing is sealed either. */
export function readSealer(settings: Settings, log: Parameters<typeof readKeyFile>[1]): Sealer | undefined {
  const reread = (): KeyObject[] => secretKeys(settings, log);
  const [current, ...old] = reread();
  return current === undefined
    ? undefined
    : createSealer(current, [...old, ...settings.old_secret_keys], reread);
}

/** Every key that may seal, of which the first does: that of the environment, then those of the data folder. */
export function secretKeys(settings: Settings, log: Parameters<typeof readKeyFile>[1]): KeyObject[] {
  const { secret_key: given } = settings;
  const ofFolder = settings.store.url === "" ? readKeyFile(settings.data_dir, log) : [];
  return given === undefined ? ofFolder : [given, ...ofFolder];
}
