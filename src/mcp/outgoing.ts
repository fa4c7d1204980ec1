import type { OAuthClientProvider } from "@modelcontextprotocol/client";

import type { CallRequest } from "#contract/tool.ts";

import type { Injected } from "./injection.ts";
import type { McpServerConfig } from "./options.ts";

/** A call on its way out, with what nobody but the server is told. */
export interface OutgoingCall extends CallRequest {
  injected?: Injected;
}

/**
 * On whose behalf the server is spoken to: what is said and kept for one is not for others. Undefined
 * where the server knows the product alone.
 */
export function identityOf(
  { oauth, person_headers = {} }: McpServerConfig,
  { actor, channel }: Pick<CallRequest, "actor" | "channel">,
): string | undefined {
  if (oauth?.per === "channel") return channel;
  if (actor !== undefined && (oauth !== undefined || Object.hasOwn(person_headers, actor))) return actor;
  return undefined;
}

/** Names a session of a channel and, where the server tells them apart, of a person in it. */
export function sessionKey(channel: string, identity: string | undefined): string {
  return identity === undefined ? channel : `${channel}\n${identity}`;
}

export function identityIn(key: string): string | undefined {
  const at = key.indexOf("\n");
  return at === -1 ? undefined : key.slice(at + 1);
}

/** What a connection is opened with, beside what the configuration says for everybody. */
export interface Outfit {
  headers: Record<string, string>;
  /** Authorises the requests. */
  provider?: OAuthClientProvider | undefined;
}

export function outfitFor(
  { person_headers = {} }: McpServerConfig,
  identity: string | undefined,
  injected?: Injected,
): Outfit {
  const personal = identity === undefined ? undefined : person_headers[identity];
  return { headers: { ...personal, ...injected?.headers } };
}
