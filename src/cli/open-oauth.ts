import type { Logger } from "pino";

import { createOAuth, type OAuth } from "../mcp/oauth.ts";
import type { Settings } from "../settings/load.ts";
import type { Store } from "../store/open.ts";
import { createSealedKeyv, type Sealer } from "../store/sealed.ts";

/** The accounts of people with servers, sealed in the store. */
export function openOAuth(
  settings: Settings,
  { db, now }: Store,
  parts: { sealer: Sealer; log: Logger },
): { oauth: OAuth; reachedAt: (url: string) => void } {
  const { sealer, log } = parts;
  let publicUrl = settings.http.public_url;
  const oauth = createOAuth({
    servers: settings.servers,
    store: {
      flows: createSealedKeyv(db, "mcp-oauth-flow", sealer),
      grants: createSealedKeyv(db, "mcp-oauth-grant", sealer),
      clients: createSealedKeyv(db, "mcp-oauth-client", sealer),
    },
    publicUrl: () => publicUrl,
    log,
    now,
  });
  return { oauth, reachedAt: (url) => void (publicUrl = url.replace(/\/$/, "")) };
}
