import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";

import { CountersignError } from "../base/errors.ts";
import { reason } from "./call-errors.ts";
import { whyRefused } from "./elicit.ts";
import { createPartyProvider, type OAuthParty, type OAuthSetting } from "./oauth-provider.ts";

/** A person waits for the link. */
const limitMs = 15_000;

/**
 * The link at which a party without an account gets one, as a refused call would give it. `headers` are
 * those that the server is always sent. Rejects with code `authorization_failed`.
 */
export async function askForLink(
  party: OAuthParty,
  setting: OAuthSetting,
  headers: Readonly<Record<string, string>>,
): Promise<URL> {
  const limit = AbortSignal.timeout(limitMs);
  const fetchFn = (url: string | URL, init?: RequestInit): Promise<Response> =>
    party.fetch(url, { ...init, signal: limit });
  let link: URL | undefined;
  const provider = createPartyProvider(party, setting, (asked) => (link = asked));
  try {
    // What it refuses says who authorises for it, and what is to be asked for.
    const refused = await fetchFn(party.url, {
      method: "POST",
      headers: {
        ...headers,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    await refused.body?.cancel();
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
    await auth(provider, {
      serverUrl: party.url,
      fetchFn,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    });
  } catch (error) {
    const message = `${party.server} could not be asked for an authorisation: ${reason(error)}.`;
    throw new CountersignError("authorization_failed", message, { cause: error });
  }
  const why =
    link === undefined
      ? "It names no page to sign in at."
      : whyRefused({ kind: "link", message: "", url: link.href, domain: link.host });
  if (link !== undefined && why === undefined) return link;
  const message = `The authorisation server of ${party.server} cannot be used. ${why ?? ""}`;
  throw new CountersignError("authorization_failed", message);
}
