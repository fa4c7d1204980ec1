import {
  auth,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";

import type { ActorId } from "#contract/actor.ts";
import type { AccountAsker, AccountConnections, Connection } from "#contract/connections.ts";
import type { JsonObject } from "#contract/json.ts";

import { codeOf, CountersignError, messageOf } from "../../base/errors.ts";
import { actorName } from "../../base/ids.ts";
import { sleep } from "../../base/time.ts";
import { en } from "../../base/words/en.ts";
import type { McpServerConfig } from "../config.ts";
import { createGuardedFetch } from "../connect/guarded-fetch.ts";
import { whyRefused } from "../connect/questions.ts";
import { reason } from "../errors.ts";
import type { McpLog } from "../ports.ts";
import {
  alreadyConnected,
  belongsToSomebodyElse,
  createPartyProvider,
  flowKey,
  flowMs,
  grantKey,
  type OAuthFlow,
  type OAuthGrant,
  type OAuthParty,
  type OAuthSetting,
  type OAuthStore,
  type PartyProvider,
} from "./oauth-provider.ts";

export interface OAuthOptions {
  servers: readonly McpServerConfig[];
  store: OAuthStore;
  /** Where browsers reach the HTTP surface, without a slash at its end. */
  publicUrl: () => string;
  log: McpLog;
  now: () => number;
  /** Instead of the document that the HTTP surface serves. */
  clientMetadataUrl?: string;
}

/** `wider`: the same account has more scope now; what was opened with it goes on. */
export interface AccountChange {
  server: string;
  identity: string;
  what: "connected" | "wider" | "disconnected";
}

/** The accounts that people and channels have connected with servers. */
export interface OAuth extends AccountConnections {
  /**
   * For the connection of one party; `actor` tells whom a link that is made then is for, `asked` gets each
   * link that the person has to open.
   */
  provider(server: string, identity: string, actor: () => ActorId, asked: (link: URL) => void): PartyProvider;
  /** Undefined where the party has connected no account. */
  grant(server: string, identity: string): Promise<OAuthGrant | undefined>;
  /** Somebody whose account may be used to read what a server offers; not one that was refused since it was given, by whose it is. */
  anybody(server: string, refused: ReadonlyMap<string, { at: number }>): Promise<OAuthGrant | undefined>;
  /** Resolves when the party has connected an account since then, here or on another replica. */
  connected(server: string, identity: string, sinceMs: number, signal: AbortSignal): Promise<void>;
  /** Calls after an account was connected or disconnected at this process, and waits. The listener must not throw. */
  onChange(listener: (change: AccountChange) => Promise<void>): void;
  /** Resolves when no token is being renewed: a new one that is not kept leaves its party without any. */
  settled(): Promise<void>;
}

/** How often the store is looked at for an authorisation that another replica may have ended. */
const pollMs = 500;

export function createOAuth(options: OAuthOptions): OAuth {
  const { store, log, now } = options;
  const servers = new Map(
    options.servers.filter(({ oauth }) => oauth !== undefined).map((one) => [one.name, one]),
  );
  const waiting = new Set<AbortController>();
  const listeners = new Set<(change: AccountChange) => Promise<void>>();
  const tell = (change: AccountChange): Promise<unknown> =>
    Promise.all([...listeners].map((listener) => listener(change)));
  const setting: OAuthSetting = {
    store,
    now,
    renewals: new Map(),
    giveUp,
    redirectUrl: () => `${options.publicUrl()}/oauth/callback`,
    clientMetadataUrl: () => options.clientMetadataUrl ?? `${options.publicUrl()}/oauth/client.json`,
    metadata: () => ({
      client_name: "Countersign",
      redirect_uris: [setting.redirectUrl()],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    }),
  };

  async function giveUp(grant: OAuthGrant, party: OAuthParty): Promise<void> {
    await revokeGrant(grant, party, setting, log).catch((error: unknown) => {
      const facts = { server: grant.server, error: messageOf(error) };
      log.warn(facts, "an authorisation server could not be told of a revocation");
    });
  }

  function partyOf(server: string, identity: string, actor: () => ActorId): OAuthParty {
    const config = servers.get(server);
    const url = config?.url ?? config?.sse_url;
    if (config?.oauth === undefined || url === undefined) {
      throw new CountersignError("not_found", `No server ${server} with oauth is configured.`);
    }
    const fetch = createGuardedFetch({ server: url, issuer: config.oauth.issuer });
    return { server, url, identity, actor, config: config.oauth, fetch };
  }

  async function flowOf(state: string): Promise<OAuthFlow> {
    const flow = await store.flows.get(flowKey(state));
    if (flow !== undefined && flow.expiresAt > now() && servers.has(flow.server)) return flow;
    throw expired();
  }

  async function grants(): Promise<OAuthGrant[]> {
    const found: OAuthGrant[] = [];
    for await (const [, grant] of store.grants.iterator?.() ?? [])
      if (servers.has(grant.server)) found.push(grant);
    return found.toSorted((a, b) => b.savedAt - a.savedAt);
  }

  function perOf(server: string): "person" | "channel" {
    return servers.get(server)?.oauth?.per ?? "person";
  }

  function toConnection({ server, identity, actor, savedAt, connectedAt = savedAt }: OAuthGrant): Connection {
    return { server, whose: identity, per: perOf(server), by: actor, since: connectedAt };
  }

  function whoseOf(server: string, { actor, channel }: AccountAsker): string {
    return perOf(server) === "channel" ? channel : actor;
  }

  return {
    provider: (server, identity, actor, asked) =>
      createPartyProvider(partyOf(server, identity, actor), setting, asked),
    grant: (server, identity) => store.grants.get(grantKey({ server, identity })),
    anybody: async (server, refused) =>
      (await grants()).find(
        (grant) => grant.server === server && grant.savedAt > (refused.get(grant.identity)?.at ?? 0),
      ),
    async connected(server, identity, sinceMs, signal) {
      for (;;) {
        signal.throwIfAborted();
        const finished = new AbortController();
        waiting.add(finished);
        try {
          const grant = await store.grants.get(grantKey({ server, identity }));
          if (grant !== undefined && grant.savedAt >= sinceMs) return;
          await sleep(pollMs, AbortSignal.any([signal, finished.signal]));
        } finally {
          waiting.delete(finished);
        }
      }
    },
    async settled() {
      await Promise.allSettled(setting.renewals.values());
    },
    async list(actor) {
      return (await grants()).filter((grant) => grant.actor === actor).map(toConnection);
    },
    accounts: (asker) =>
      Promise.all(
        [...servers.keys()].map(async (server) => {
          const whose = whoseOf(server, asker);
          const grant = await store.grants.get(grantKey({ server, identity: whose }));
          return { server, per: perOf(server), whose, ...(grant && { connection: toConnection(grant) }) };
        }),
      ),
    async begin(server, asker) {
      const whose = whoseOf(server, asker);
      const party = partyOf(server, whose, () => asker.actor);
      if (whose === "") {
        const message = `${server} needs an account of a channel: name the channel, over HTTP with session_id.`;
        throw new CountersignError("bad_request", message);
      }
      if ((await store.grants.get(grantKey(party))) !== undefined) {
        const message = en.recorded.connectedAlready(server);
        throw new CountersignError("already_connected", message);
      }
      const expiresAt = now() + flowMs;
      const link = await authorisationLink(party, setting, servers.get(server)?.headers ?? {});
      return { server, whose, url: link.href, domain: link.host, expiresAt };
    },
    async disconnect(server, actor, whose) {
      const meant = (await grants()).filter(
        (one) => one.server === server && (whose === undefined || one.identity === whose),
      );
      const grant = meant.find((one) => one.actor === actor);
      if (grant === undefined) throw notYours(server, whose === undefined ? undefined : meant[0]);
      const key = grantKey(grant);
      const isGone = await (store.noted?.disconnect(key, grant) ?? store.grants.delete(key));
      if (!isGone) throw notYours(server, undefined);
      const party = partyOf(server, grant.identity, () => actor);
      await giveUp(grant, party);
      log.info({ server, whose: grant.identity }, "account disconnected");
      await tell({ server, identity: grant.identity, what: "disconnected" });
      return toConnection(grant);
    },
    async look(state) {
      const { server, identity, actor } = await flowOf(state);
      return { server, whose: identity, actor };
    },
    async finish(params) {
      const state = params.get("state") ?? "";
      const flow = await flowOf(state);
      const { server, identity, actor } = flow;
      const before = await store.grants.get(grantKey(flow));
      if (before !== undefined && belongsToSomebodyElse(before, actor, now())) throw alreadyConnected(before);
      // Of two that come with one state, one goes on.
      if (!(await store.flows.delete(flowKey(state)))) throw expired();
      const code = params.get("code");
      if (code === null) {
        const message = `The authorisation server of ${server} did not allow it.`;
        throw new CountersignError("authorization_refused", message);
      }
      try {
        const party = partyOf(server, identity, () => actor);
        const provider = createPartyProvider(party, setting, () => {}, flow);
        await provider.finish(code, params.get("iss") ?? undefined);
      } catch (error) {
        if (codeOf(error) === "already_connected") throw error;
        log.warn({ server, whose: identity, error: messageOf(error) }, "an authorisation could not be ended");
        const message = `The account could not be connected with ${server}: the authorisation server is not the one that was asked, or refused. Ask again in the chat.`;
        throw new CountersignError("authorization_failed", message, { cause: error });
      }
      log.info({ server, whose: identity }, "account connected");
      const what = before?.actor === actor ? "wider" : "connected";
      await tell({ server, identity, what });
      for (const waiter of waiting) waiter.abort();
      return { server, whose: identity, actor };
    },
    onChange: (listener) => void listeners.add(listener),
    clientDocument: (): JsonObject => ({
      client_id: setting.clientMetadataUrl(),
      ...(setting.metadata() as unknown as JsonObject),
    }),
  };
}

function expired(): CountersignError {
  const message = "This link was used already or has expired. Ask again in the chat for a new one.";
  return new CountersignError("unknown_state", message);
}

/** Whose account it is is told only where it is a channel's, which its people share. */
function notYours(server: string, other: OAuthGrant | undefined): CountersignError {
  if (other === undefined || other.identity === other.actor)
    return new CountersignError("not_found", en.recorded.notConnected(server));
  const message = en.recorded.othersAccount(actorName(other.actor), server);
  return new CountersignError("not_eligible", message);
}

/** A person waits for the link. */
const limitMs = 15_000;

/**
 * The link at which a party without an account gets one, as a refused call would give it. `headers` are
 * those that the server is always sent. Rejects with code `authorization_failed`.
 */
async function authorisationLink(
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
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
  } catch (error) {
    const message = `${party.server} could not be asked for an authorisation: ${reason(error)}.`;
    throw new CountersignError("authorization_failed", message, { cause: error });
  }
  const why = link && whyRefused({ kind: "link", message: "", url: link.href, domain: link.host });
  if (link !== undefined && why === undefined) return link;
  const message = `The authorisation server of ${party.server} cannot be used. ${why ?? "It names no page to sign in at."}`;
  throw new CountersignError("authorization_failed", message);
}

/**
 * Tells the authorisation server that tokens are given up: https://www.rfc-editor.org/rfc/rfc7009. Best
 * effort: rejects where that server cannot be asked, and the product forgets the tokens in any case.
 */
async function revokeGrant(
  { server, tokens, client: granted }: OAuthGrant,
  party: OAuthParty,
  setting: OAuthSetting,
  log: McpLog,
): Promise<void> {
  const found = await discoverOAuthServerInfo(party.url, { fetchFn: party.fetch });
  const metadata = found.authorizationServerMetadata;
  const endpoint = (metadata as { revocation_endpoint?: unknown } | undefined)?.revocation_endpoint;
  if (typeof endpoint !== "string" || metadata === undefined) return;
  const provider = createPartyProvider(party, setting, () => {});
  const client = granted ?? (await provider.clientInformation({ issuer: metadata.issuer }));
  if (client === undefined) return;
  for (const hint of ["refresh_token", "access_token"] as const) {
    const token = tokens[hint];
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
