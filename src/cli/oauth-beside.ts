import { CountersignError } from "../base/errors.ts";
import { createOAuth, type OAuth } from "../mcp/oauth.ts";
import type { OAuthStore, SealedState } from "../mcp/oauth-records.ts";
import type { McpLog } from "../mcp/options.ts";
import type { Settings } from "../settings/load.ts";
import { readKeyFile } from "../store/key-file.ts";
import { openEmbeddedStoreForReading, type Store } from "../store/open.ts";
import { createSealer, type Sealer } from "../store/sealed.ts";
import { openOAuthStore } from "./open-oauth.ts";

/**
 * The accounts that people have connected, for one command beside a running product; as none, where the
 * product has not run yet. Undefined where no server wants one.
 */
export async function openOAuthBeside(
  settings: Settings,
  log: McpLog,
): Promise<{ oauth: OAuth; close(): Promise<void> } | undefined> {
  if (settings.servers.every(({ oauth }) => oauth === undefined)) return undefined;
  const sealer = readSealer(settings, log);
  const opened = sealer === undefined ? undefined : await openStored(settings);
  const store =
    sealer === undefined || opened === undefined ? emptyStore() : openOAuthStore(opened.db, sealer);
  const oauth = createOAuth({
    servers: settings.servers,
    store,
    publicUrl: () => settings.http.public_url,
    log,
    now: Date.now,
  });
  return {
    oauth,
    async close() {
      await oauth.settled();
      await opened?.close();
    },
  };
}

/** Undefined where there is no key yet: then nothing is sealed either. */
function readSealer(settings: Settings, log: McpLog): Sealer | undefined {
  const { secret_key: given, old_secret_keys: old, data_dir: folder } = settings;
  const ofFolder = settings.store.url === "" ? readKeyFile(folder, log) : undefined;
  const current = given ?? ofFolder;
  if (current === undefined) return undefined;
  return createSealer(current, ofFolder === undefined || given === undefined ? old : [...old, ofFolder]);
}

/** Tokens that have to be renewed are written: a refresh token may be good for one use. */
async function openStored({
  store: { url },
  data_dir: folder,
}: Settings): Promise<Pick<Store, "db" | "close"> | undefined> {
  try {
    if (url === "") return openEmbeddedStoreForReading(folder, { mayWrite: true });
    return await (await import("../store/open-postgres.ts")).openPostgresStoreForReading(url);
  } catch (error) {
    // A data folder that no product has run with.
    if (url === "" && error instanceof CountersignError && error.code === "store_failed") return undefined;
    throw error;
  }
}

function emptyStore(): OAuthStore {
  return { flows: none(), grants: none(), clients: none(), renew: async () => false };
}

function none<Value>(): SealedState<Value> {
  return { get: async () => undefined, set: async () => undefined, delete: async () => false };
}
