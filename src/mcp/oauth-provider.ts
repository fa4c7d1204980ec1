import { createHash, randomBytes } from "node:crypto";

import { auth } from "@modelcontextprotocol/client";
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

import type { ActorId } from "#contract/actor.ts";

import { digest } from "../base/digest.ts";
import { CountersignError } from "../base/errors.ts";
import { headerFault, isHeaderValue } from "../base/header.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import type { OAuthFlow, OAuthGrant, OAuthStore } from "./oauth-records.ts";
import { takenBy } from "./oauth-taken.ts";
import type { OAuthConfig } from "./options.ts";

/** Whose authorisation with which server a provider is for. */
export interface OAuthParty {
  server: string;
  /** Address of the MCP server. */
  url: string;
  identity: string;
  /** For what its metadata name. */
  fetch: GuardedFetch;
  /** Who asks, when a link is made. */
  actor: () => ActorId;
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
  /** Tells the authorisation server of tokens that are not kept; never rejects. */
  giveUp: (grant: OAuthGrant, party: OAuthParty) => Promise<void>;
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
  let renewed: OAuthGrant | undefined;

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
      auth(provider, { serverUrl: party.url, fetchFn: party.fetch })
        // Without new tokens the request goes out with none, and the refusal says what to do.
        .catch(() => undefined)
        .finally(() => renewals.delete(key));
    renewals.set(key, renewing);
    await renewing;
  }

  /** Leaves the account with who connected it, whoever's call its tokens were renewed for. */
  async function saveRenewed(
    tokens: StoredOAuthTokens,
    context: Parameters<PartyProvider["saveTokens"]>[1],
  ): Promise<void> {
    const begun = renewed;
    if (begun === undefined) return;
    const client = (await provider.clientInformation(context)) ?? begun.client;
    const savedAt = now();
    const renew = (before: OAuthGrant): OAuthGrant => {
      // A renewal need not bring a new refresh token.
      const { refresh_token } = before.tokens;
      const merged = { ...(refresh_token !== undefined && { refresh_token }), ...tokens };
      const whole = { ...before, tokens: merged, savedAt, connectedAt: connectedAt(before) };
      return client === undefined ? whole : { ...whole, client };
    };
    let isGone = true;
    const isKept = await store.renew(key, (before) => {
      isGone = false;
      // It was disconnected meanwhile and another was connected: these are not its tokens.
      return connectedAt(before) === connectedAt(begun) ? renew(before) : undefined;
    });
    // Disconnected while it was renewed: what was given for it since is not to be used either.
    if (!isKept && isGone) await setting.giveUp(renew(begun), party);
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
      if (context !== undefined) renewed = grant;
      if (grant === undefined || context !== undefined) return grant?.tokens;
      if (!isOld(grant)) return grant.tokens;
      if (grant.tokens.refresh_token === undefined) return grant.tokens;
      await renew();
      return (await store.grants.get(key))?.tokens;
    },
    async saveTokens(tokens, context) {
      if (!isHeaderValue(tokens.access_token)) {
        const message = `The authorisation server of ${party.server} gave a token that is no ${headerFault}.`;
        throw new CountersignError("authorization_failed", message);
      }
      if (flow === undefined) return saveRenewed(tokens, context);
      const { server, identity } = party;
      const client = await provider.clientInformation(context);
      const savedAt = now();
      const grant = { server, identity, actor: flow.actor, tokens, savedAt, connectedAt: savedAt };
      const whole = client === undefined ? grant : { ...grant, client };
      if (store.noted === undefined) return void (await store.grants.set(key, whole));
      if (await store.noted.connect(key, whole)) return;
      // Somebody else of the channel was faster by the time of an exchange.
      await setting.giveUp(whole, party);
      throw takenBy((await store.grants.get(key)) ?? whole);
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
      const { server, identity } = party;
      party.fetch.check(link);
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
          actor: party.actor(),
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
        if (current === renewed?.tokens.refresh_token) await store.grants.delete(key);
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
        fetchFn: party.fetch,
        ...(iss === undefined ? {} : { iss }),
        ...(flow?.scope === undefined ? {} : { scope: flow.scope }),
        ...(resource === undefined ? {} : { resourceMetadataUrl: new URL(resource) }),
      });
    },
  };
  return provider;
}

function connectedAt(grant: OAuthGrant): number {
  return grant.connectedAt ?? grant.savedAt;
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function sameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, "") === b.replace(/\/$/, "");
}
