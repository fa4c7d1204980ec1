import { createHash, randomBytes } from "node:crypto";
import {
  auth,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";

import type { ActorId } from "#contract/actor.ts";

import { CountersignError } from "../../base/errors.ts";
import { headerFault, isHeaderValue } from "../../base/http.ts";
import { actorName } from "../../base/ids.ts";
import { digest } from "../../base/json.ts";
import type { OAuthConfig } from "../config.ts";
import type { GuardedFetch } from "../connect/guarded-fetch.ts";

/** An authorisation that waits for its person's browser. */
export interface OAuthFlow {
  server: string;
  identity: string;
  /** Who began it; the account has to be theirs. */
  actor: ActorId;
  verifier: string;
  discovery: OAuthDiscoveryState;
  scope?: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Tokens of one person or channel with one server. */
export interface OAuthGrant {
  server: string;
  identity: string;
  /** Who connected it. */
  actor: ActorId;
  tokens: StoredOAuthTokens;
  /** Whom the tokens were given to: no other client may renew or revoke them. */
  client?: StoredOAuthClientInformation;
  /** When the tokens were given, milliseconds since the epoch. */
  savedAt: number;
  /** When the account was connected; absent in records from before that was kept. */
  connectedAt?: number;
}

/** One kind of state, sealed in the store and shared by all replicas; a Keyv fits. Names of keys are not sealed. */
export interface SealedState<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value, ttlMs?: number): Promise<unknown>;
  delete(key: string): Promise<boolean>;
  iterator?: () => AsyncIterable<[string, Value]>;
}

export interface OAuthStore {
  flows: SealedState<OAuthFlow>;
  grants: SealedState<OAuthGrant>;
  /** How the product is registered with an authorisation server. */
  clients: SealedState<StoredOAuthClientInformation>;
  /**
   * Changes a grant only where it is still there, in one step; `change` may be asked again, and leaves it with
   * undefined. False where nothing changed.
   */
  renew(key: string, change: (before: OAuthGrant) => OAuthGrant | undefined): Promise<boolean>;
  /** Changes a grant and notes that in the audit chain, in one transaction; without it nothing is noted. */
  noted?: {
    /** False, with nothing changed, where somebody else's stands there (`belongsToSomebodyElse`). */
    connect(key: string, grant: OAuthGrant): Promise<boolean>;
    /** False where there was none any more. */
    disconnect(key: string, grant: OAuthGrant): Promise<boolean>;
  };
}

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
  clientMetadataUrl: () => string;
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
    const { client_id, client_secret, issuer: named } = config;
    if (client_id === undefined || named === undefined) return undefined;
    if (issuer !== undefined && issuer.replace(/\/$/, "") !== named.replace(/\/$/, "")) return undefined;
    return { client_id, ...(client_secret !== undefined && { client_secret }), issuer: issuer ?? named };
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

  /** Leaves the account with the person who connected it. */
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
      return { ...whole, ...(client && { client }) };
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
      return { ...setting.metadata(), ...(config.scope !== undefined && { scope: config.scope }) };
    },
    get clientMetadataUrl() {
      const url = setting.clientMetadataUrl();
      // Left out where it cannot be one: the SDK takes its presence for an intention.
      return (url.startsWith("https:") ? url : undefined) as string;
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
      const mayRenew = context === undefined && grant?.tokens.refresh_token !== undefined;
      if (!mayRenew || !isOld(grant)) return grant?.tokens;
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
      const known = { server, identity, actor: flow.actor, ...(client && { client }) };
      const grant: OAuthGrant = { ...known, tokens, savedAt, connectedAt: savedAt };
      if (store.noted === undefined) return void (await store.grants.set(key, grant));
      if (await store.noted.connect(key, grant)) return;
      // Somebody else of the channel was faster by the time of an exchange.
      await setting.giveUp(grant, party);
      throw alreadyConnected((await store.grants.get(key)) ?? grant);
    },
    saveDiscoveryState(state) {
      discovered = state;
    },
    // Found anew each time but on the way back: a server may change who authorises for it.
    discoveryState: () => flow?.discovery,
    saveCodeVerifier(verifier) {
      verifiers.set(createHash("sha256").update(verifier).digest("base64url"), verifier);
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
      const begun: OAuthFlow = {
        server,
        identity,
        actor: party.actor(),
        verifier,
        discovery: discovered,
        ...(scope !== null && { scope }),
        expiresAt: now() + flowMs,
      };
      await store.flows.set(flowKey(state), begun, flowMs);
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
        ...(iss !== undefined && { iss }),
        ...(flow?.scope !== undefined && { scope: flow.scope }),
        ...(resource !== undefined && { resourceMetadataUrl: new URL(resource) }),
      });
    },
  };
  return provider;
}

function connectedAt(grant: OAuthGrant): number {
  return grant.connectedAt ?? grant.savedAt;
}

/** Whether an account is somebody else's and may still be of use: nobody takes its place by connecting one. */
export function belongsToSomebodyElse(grant: OAuthGrant | undefined, actor: ActorId, now: number): boolean {
  if (grant === undefined || grant.actor === actor) return false;
  const { tokens, savedAt } = grant;
  // What has expired and cannot be renewed would keep a channel without an account for good.
  const hasEnded = tokens.expires_in !== undefined && savedAt + tokens.expires_in * 1_000 <= now;
  return !hasEnded || tokens.refresh_token !== undefined;
}

export function alreadyConnected({ server, actor }: Pick<OAuthGrant, "server" | "actor">): CountersignError {
  const name = actorName(actor);
  const message = `${name} has connected an account with ${server} here already, and it stays. Ask again in the chat to use it; to connect another, ${name} disconnects it first.`;
  return new CountersignError("already_connected", message);
}
