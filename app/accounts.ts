import type { Logger } from "pino";

import { codeOf } from "#src/base/errors.ts";
import type { AuditEntry } from "#src/ledger/audit.ts";
import type { Transact } from "#src/ledger/transact.ts";
import { belongsToSomebodyElse, type OAuthGrant, type OAuthStore } from "#src/mcp/auth/oauth-provider.ts";
import { createOAuth, type OAuth } from "#src/mcp/auth/oauth.ts";
import type { McpLog } from "#src/mcp/ports.ts";
import type { Settings } from "#src/settings/load.ts";
import type { Store } from "#src/store/open.ts";
import type { Db } from "#src/store/schema.ts";
import { changeSealed, createSealedKeyv, type Sealer } from "#src/store/sealed.ts";

import { openStoreBeside, readSealer } from "./storage.ts";

/** The accounts of people with servers, sealed in the store. */
export function openOAuth(
  settings: Settings,
  sealer: Sealer,
  { db, now, transact, log }: Pick<Store, "db" | "now"> & { transact: Transact; log: Logger },
): { oauth: OAuth; publicUrl: () => string; reachedAt: (url: string) => void } {
  let publicUrl = settings.http.public_url;
  const oauth = createOAuth({
    servers: settings.servers,
    store: { ...openOAuthStore(db, sealer), noted: noteChanges(transact, sealer, now) },
    publicUrl: () => publicUrl,
    log,
    now,
  });
  return { oauth, publicUrl: () => publicUrl, reachedAt: (url) => void (publicUrl = url.replace(/\/$/, "")) };
}

/** Where accounts, and what leads to them, are kept; a command beside the product opens the same. */
export function openOAuthStore(db: Db, sealer: Sealer): OAuthStore {
  return {
    flows: createSealedKeyv(db, "mcp-oauth-flow", sealer),
    grants: createSealedKeyv(db, GRANTS, sealer),
    clients: createSealedKeyv(db, "mcp-oauth-client", sealer),
    renew: (key, change) => changeSealed({ db, namespace: GRANTS, sealer }, key, change),
  };
}

/** Where the accounts stand that people connected. */
export const GRANTS = "mcp-oauth-grant";

function noteChanges(
  transact: Transact,
  sealer: Sealer,
  now: () => number,
): NonNullable<OAuthStore["noted"]> {
  const entryOf = (kind: string, { server, identity, actor }: OAuthGrant): AuditEntry => ({
    kind,
    actor,
    data: { server, whose: identity },
  });
  return {
    connect: (key, grant) =>
      transact(async (tx, note) => {
        const grants = createSealedKeyv<OAuthGrant>(tx, GRANTS, sealer);
        if (belongsToSomebodyElse(await grants.get(key), grant.actor, now())) return false;
        await grants.set(key, grant);
        note(entryOf("account.connected", grant));
        return true;
      }),
    disconnect: (key, grant) =>
      transact(async (tx, note) => {
        const isGone = await createSealedKeyv<OAuthGrant>(tx, GRANTS, sealer).delete(key);
        if (isGone) note(entryOf("account.disconnected", grant));
        return isGone;
      }),
  };
}

/**
 * The accounts that people have connected, for one command beside a running product; as none, where the
 * product has not run yet. Undefined where no server wants one.
 */
export async function openOAuthForCommand(
  settings: Settings,
  log: McpLog,
): Promise<{ oauth: OAuth; close(): Promise<void> } | undefined> {
  if (settings.servers.every(({ oauth }) => oauth === undefined)) return undefined;
  const sealer = readSealer(settings, log);
  const opened = sealer === undefined ? undefined : await openStoreIfAny(settings);
  const store =
    sealer === undefined || opened === undefined ? EMPTY_STORE : openOAuthStore(opened.db, sealer);
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

/** Tokens that have to be renewed are written: a refresh token may be good for one use. */
async function openStoreIfAny(settings: Settings): Promise<Pick<Store, "db" | "close"> | undefined> {
  try {
    return await openStoreBeside(settings, { mayWrite: true });
  } catch (error) {
    // A data folder that no product has run with.
    if (settings.store.url === "" && codeOf(error) === "store_failed") return undefined;
    throw error;
  }
}

const NOTHING = { get: async () => undefined, set: async () => undefined, delete: async () => false };
const EMPTY_STORE: OAuthStore = {
  flows: NOTHING,
  grants: NOTHING,
  clients: NOTHING,
  renew: async () => false,
};
