import { createHash, randomBytes } from "node:crypto";

import { auth } from "@modelcontextprotocol/client";
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";

import type { ActorId } from "#contract/actor.ts";

import { digest } from "../base/digest.ts";
import { limitedFetch } from "./fetch-limit.ts";
import type { OAuthFlow, OAuthGrant, OAuthStore } from "./oauth-records.ts";
import type { OAuthConfig } from "./options.ts";

/** Whose authorisation with which server a provider is for. */
export interface OAuthParty {
  server: string;
  /** Address of the MCP server. */
  url: string;
  identity: string;
  actor: ActorId;
  config: OAuthConfig;
}

export interface OAuthSetting {
  store: OAuthStore;
  /** Where authorisation servers send browsers back to. */
  redirectUrl: () => string;
  /** Address of the client id metadata document; only an https one is of use. */
  clientMetadataUrl: () => string | undefined;
  metadata: () => OAuthClientMetadata;
  /** Renewals under way, by party: a refresh token may be good for one use. */
  renewals: Map<string, Promise<unknown>>;
  now: () => number;
}

/** The SDK's view of one party, over the sealed store. `asked` is called with each link for the person. */
export interface PartyProvider extends OAuthClientProvider {
  /** Ends the flow that it was made for. */
  finish(code: string, iss: string | undefined): Promise<void>;
}

/** How long a link is good for, in milliseconds. */
export const flowMs: number = 15 * 60_000;
/** Tokens are renewed so long before they expire, so that none expires on its way. */
const earlyMs = 30_000;

export function grantKey({ server, identity }: Pick<OAuthParty, "server" | "identity">): string {
  return digest({ server, identity });
}

export function flowKey(state: string): string {
  return digest({ state });
}

export function createPartyProvider(
  party: OAuthParty,
  setting: OAuthSetting,
  asked: (link: URL) => void,
  flow?: OAuthFlow,
): PartyProvider {
  const { store, now } = setting;
  const { config } = party;
  const key = grantKey(party);
  /** By their challenge: several requests of a connection may be refused at once. */
  const verifiers = new Map<string, string>();
  let discovered: OAuthDiscoveryState | undefined = flow?.discovery;
  /** What a renewal under way was begun with. */
  let renewedWith: string | undefined;

  const clientKey = (issuer: string): string => digest({ issuer, redirect: setting.redirectUrl() });

  function preRegistered(issuer: string | undefined): StoredOAuthClientInformation | undefined {
    const { client_id, client_secret } = config;
    if (client_id === undefined || config.issuer === undefined) return undefined;
    if (issuer !== undefined && !sameIssuer(issuer, config.issuer)) return undefined;
    const secret = client_secret === undefined ? {} : { client_secret };
    return { client_id, ...secret, issuer: issuer ?? config.issuer };
  }

  function isOld({ tokens, savedAt }: OAuthGrant): boolean {
    return tokens.expires_in !== undefined && savedAt + tokens.expires_in * 1_000 - earlyMs < now();
  }

  /** One renewal for all requests that need it. */
  async function renew(): Promise<void> {
    const { renewals } = setting;
    const renewing =
      renewals.get(key) ??
      auth(provider, { serverUrl: party.url, fetchFn: limitedFetch })
        // Without new tokens the request goes out with none, and the refusal says what to do.
        .catch(() => undefined)
        .finally(() => renewals.delete(key));
    renewals.set(key, renewing);
    await renewing;
  }

  const provider: PartyProvider = {
    get redirectUrl() {
      return setting.redirectUrl();
    },
    get clientMetadata() {
      return { ...setting.metadata(), ...(config.scope === undefined ? {} : { scope: config.scope }) };
    },
    get clientMetadataUrl() {
      const url = setting.clientMetadataUrl();
      // Left out where it cannot be one: the SDK takes its presence for an intention.
      return (url?.startsWith("https:") === true ? url : undefined) as string;
    },
    state: () => randomBytes(32).toString("base64url"),
    async clientInformation(context) {
      const own = preRegistered(context?.issuer);
      if (own !== undefined || context === undefined) return own;
      // After a change of the product's address it registers anew; what it was given stays the old one's.
      const granted = flow === undefined ? (await store.grants.get(key))?.client : undefined;
      if (granted?.issuer === context.issuer) return granted;
      return store.clients.get(clientKey(context.issuer));
    },
    async saveClientInformation(information, context) {
      const issuer = context?.issuer ?? information.issuer;
      if (issuer !== undefined && preRegistered(issuer) === undefined)
        await store.clients.set(clientKey(issuer), information);
    },
    async tokens(context) {
      const grant = await store.grants.get(key);
      if (context !== undefined) renewedWith = grant?.tokens.refresh_token;
      if (grant === undefined || context !== undefined) return grant?.tokens;
      if (!isOld(grant)) return grant.tokens;
      if (grant.tokens.refresh_token === undefined) return grant.tokens;
      await renew();
      return (await store.grants.get(key))?.tokens;
    },
    async saveTokens(tokens, context) {
      const { server, identity } = party;
      const before = await store.grants.get(key);
      // It was disconnected while its tokens were renewed.
      if (before === undefined && flow === undefined) return;
      // A renewal need not bring a new refresh token.
      const kept = { ...(before?.tokens.refresh_token && { refresh_token: before.tokens.refresh_token }) };
      const merged = flow === undefined ? { ...kept, ...tokens } : tokens;
      const client = await provider.clientInformation(context);
      const savedAt = now();
      // A renewal for somebody else of a channel leaves the account with who connected it.
      const { actor, connectedAt = before?.savedAt ?? savedAt } =
        flow === undefined && before !== undefined ? before : { actor: party.actor, connectedAt: savedAt };
      const grant = { server, identity, actor, tokens: merged, savedAt, connectedAt };
      const whole = client === undefined ? grant : { ...grant, client };
      if (flow !== undefined && store.noted !== undefined) await store.noted.connect(key, whole);
      else await store.grants.set(key, whole);
    },
    saveDiscoveryState(state) {
      discovered = state;
    },
    // Found anew each time but on the way back: a server may change who authorises for it.
    discoveryState: () => flow?.discovery,
    saveCodeVerifier(verifier) {
      verifiers.set(challengeOf(verifier), verifier);
    },
    codeVerifier() {
      if (flow === undefined) throw new Error("no authorisation is under way");
      return flow.verifier;
    },
    async redirectToAuthorization(link) {
      const { server, identity, actor } = party;
      const state = link.searchParams.get("state") ?? "";
      const verifier = verifiers.get(link.searchParams.get("code_challenge") ?? "");
      if (verifier === undefined || discovered === undefined) throw new Error("no authorisation was begun");
      verifiers.clear();
      const scope = link.searchParams.get("scope");
      await store.flows.set(
        flowKey(state),
        {
          server,
          identity,
          actor,
          verifier,
          discovery: discovered,
          ...(scope === null ? {} : { scope }),
          expiresAt: now() + flowMs,
        },
        flowMs,
      );
      asked(link);
    },
    async invalidateCredentials(scope) {
      if (scope === "tokens" || scope === "all") {
        const current = (await store.grants.get(key))?.tokens.refresh_token;
        // Another replica was faster: its tokens are good.
        if (current === renewedWith) await store.grants.delete(key);
      }
      const issuer = discovered?.authorizationServerMetadata?.issuer ?? discovered?.authorizationServerUrl;
      if ((scope === "client" || scope === "all") && issuer !== undefined)
        await store.clients.delete(clientKey(issuer));
    },
    async finish(code, iss) {
      const resource = flow?.discovery.resourceMetadataUrl;
      await auth(provider, {
        serverUrl: party.url,
        authorizationCode: code,
        fetchFn: limitedFetch,
        ...(iss === undefined ? {} : { iss }),
        ...(flow?.scope === undefined ? {} : { scope: flow.scope }),
        ...(resource === undefined ? {} : { resourceMetadataUrl: new URL(resource) }),
      });
    },
  };
  return provider;
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function sameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, "") === b.replace(/\/$/, "");
}
