import { discoverOAuthServerInfo } from "@modelcontextprotocol/client";
import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client";

import { createPartyProvider, type OAuthParty, type OAuthSetting } from "./oauth-provider.ts";
import type { OAuthGrant } from "./oauth-records.ts";
import type { McpLog } from "./options.ts";

/**
 * Tells the authorisation server that tokens are given up: https://www.rfc-editor.org/rfc/rfc7009. Best
 * effort: rejects where that server cannot be asked, and the product forgets the tokens in any case.
 */
export async function revokeGrant(
  { server, tokens, client: granted }: OAuthGrant,
  party: OAuthParty,
  setting: OAuthSetting,
  log: McpLog,
): Promise<void> {
  const { authorizationServerMetadata: metadata } = await discoverOAuthServerInfo(party.url, {
    fetchFn: party.fetch,
  });
  const endpoint = (metadata as { revocation_endpoint?: unknown } | undefined)?.revocation_endpoint;
  if (typeof endpoint !== "string" || metadata === undefined) return;
  const provider = createPartyProvider(party, setting, () => {});
  const client = granted ?? (await provider.clientInformation({ issuer: metadata.issuer }));
  if (client === undefined) return;
  for (const [hint, token] of [
    ["refresh_token", tokens.refresh_token],
    ["access_token", tokens.access_token],
  ] as const) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = clientAuthentication(client, body);
    const answer = await party.fetch(endpoint, { method: "POST", body, headers });
    if (!answer.ok) log.warn({ server, status: answer.status }, "a token could not be revoked");
  }
}

/** As the client was registered: by its name alone, or with its secret in the header or the body. */
function clientAuthentication(
  client: StoredOAuthClientInformation & { token_endpoint_auth_method?: string | undefined },
  body: URLSearchParams,
): Record<string, string> {
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = client;
  if (secret === undefined || method === "client_secret_post" || method === "none") {
    body.set("client_id", id);
    if (secret !== undefined) body.set("client_secret", secret);
    return {};
  }
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
