import type { Logger } from "pino";

import type { Settings } from "../settings/load.ts";
import { openEmbeddedStore, type Store } from "../store/open.ts";
import type { Journal } from "../turn/journal-port.ts";
import { createEmbeddedQueue, type TurnQueue } from "../turn/queue.ts";

const STORE_RETRY_MS = 5_000;

/** The embedded store of one process, or the Postgres that replicas share. */
export function openStore(settings: Settings, log: Logger): Promise<Store> {
  const { url } = settings.store;
  if (url === "") return openEmbeddedStore(settings.data_dir, log);
  // Loaded when needed: the embedded default carries no Postgres driver in memory.
  return import("../store/open-postgres.ts").then(({ openPostgresStore }) => openPostgresStore(url, log));
}

/** The queue that goes with the store. */
export async function openQueue(
  settings: Settings,
  { journal, log }: { journal: Journal; log: Logger },
): Promise<TurnQueue> {
  const { url } = settings.store;
  if (url === "")
    return createEmbeddedQueue({ unfinished: () => journal.unfinished(), retryMs: STORE_RETRY_MS });
  const { openBossQueue } = await import("../turn/boss-queue.ts");
  return openBossQueue({ connectionString: url, log });
}
