import type { Logger } from "pino";

import type { Transact } from "../ledger/transact.ts";
import { createOAuth, type OAuth } from "../mcp/oauth.ts";
import type { OAuthGrant, OAuthStore } from "../mcp/oauth-records.ts";
import { isTaken } from "../mcp/oauth-taken.ts";
import type { Settings } from "../settings/load.ts";
import type { AuditEntry } from "../ledger/audit.ts";
import type { Db } from "../store/schema.ts";
import type { Store } from "../store/open.ts";
import { changeSealed, createSealedKeyv, type Sealer } from "../store/sealed.ts";

/** The accounts of people with servers, sealed in the store. */
export function openOAuth(
  settings: Settings,
  { db, now }: Store,
  parts: { sealer: Sealer; log: Logger; transact: Transact },
): { oauth: OAuth; reachedAt: (url: string) => void } {
  const { sealer, log, transact } = parts;
  let publicUrl = settings.http.public_url;
  const oauth = createOAuth({
    servers: settings.servers,
    store: { ...openOAuthStore(db, sealer), noted: noteChanges(transact, sealer, now) },
    publicUrl: () => publicUrl,
    log,
    now,
  });
  return { oauth, reachedAt: (url) => void (publicUrl = url.replace(/\/$/, "")) };
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

const GRANTS = "mcp-oauth-grant";

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
        if (isTaken(await grants.get(key), grant.actor, now())) return false;
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
