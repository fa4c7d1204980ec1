import { discoverOAuthServerInfo } from "@modelcontextprotocol/client";
import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client";

import type { ActorId } from "#contract/actor.ts";
import type { Connection, Connections } from "#contract/connections.ts";
import type { JsonObject } from "#contract/json.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import { limitedFetch } from "./fetch-limit.ts";
import { createPartyProvider, flowKey, grantKey } from "./oauth-provider.ts";
import type { OAuthParty, OAuthSetting, PartyProvider } from "./oauth-provider.ts";
import type { OAuthGrant, OAuthStore } from "./oauth-records.ts";
import type { McpLog, McpServerConfig } from "./options.ts";

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

/** The accounts that people and channels have connected with servers. */
export interface OAuth extends Connections {
  /** For the connection of one party; `asked` gets each link that the person has to open. */
  provider(server: string, identity: string, actor: ActorId, asked: (link: URL) => void): PartyProvider;
  /** Undefined where the party has connected no account. */
  grant(server: string, identity: string): Promise<OAuthGrant | undefined>;
  /** Somebody whose account may be used to read what a server offers; not those of `except`. */
  anybody(server: string, except: ReadonlyMap<string, unknown>): Promise<OAuthGrant | undefined>;
  /** Resolves when the party has connected an account since then, here or on another replica. */
  connected(server: string, identity: string, sinceMs: number, signal: AbortSignal): Promise<void>;
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
  const waiting = new Set<() => void>();
  const setting: OAuthSetting = {
    store,
    now,
    renewals: new Map(),
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

  function partyOf(server: string, identity: string, actor: ActorId): OAuthParty {
    const config = servers.get(server);
    const url = config?.url ?? config?.sse_url;
    if (config?.oauth === undefined || url === undefined) {
      throw new CountersignError("not_found", `No server ${server} with oauth is configured.`);
    }
    return { server, url, identity, actor, config: config.oauth };
  }

  async function flowOf(state: string) {
    const flow = await store.flows.get(flowKey(state));
    if (flow !== undefined && flow.expiresAt > now() && servers.has(flow.server)) return flow;
    const message = "This link was used already or has expired. Ask again in the chat for a new one.";
    throw new CountersignError("unknown_state", message);
  }

  async function grants(): Promise<OAuthGrant[]> {
    const found: OAuthGrant[] = [];
    for await (const [, grant] of store.grants.iterator?.() ?? [])
      if (servers.has(grant.server)) found.push(grant);
    return found.toSorted((a, b) => b.savedAt - a.savedAt);
  }

  function toConnection({ server, identity, savedAt }: OAuthGrant): Connection {
    return { server, whose: identity, per: servers.get(server)?.oauth?.per ?? "person", since: savedAt };
  }

  /** RFC 7009. Best effort: the product forgets the tokens in any case. */
  async function revoke({ server, identity, actor, tokens, client: granted }: OAuthGrant): Promise<void> {
    const party = partyOf(server, identity, actor);
    const { authorizationServerMetadata: metadata } = await discoverOAuthServerInfo(party.url, {
      fetchFn: limitedFetch,
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
      const answer = await limitedFetch(endpoint, { method: "POST", body, headers });
      if (!answer.ok) log.warn({ server, status: answer.status }, "a token could not be revoked");
    }
  }

  return {
    provider: (server, identity, actor, asked) =>
      createPartyProvider(partyOf(server, identity, actor), setting, asked),
    grant: (server, identity) => store.grants.get(grantKey({ server, identity })),
    anybody: async (server, except) =>
      (await grants()).find((grant) => grant.server === server && !except.has(grant.identity)),
    async connected(server, identity, sinceMs, signal) {
      for (;;) {
        signal.throwIfAborted();
        let wake = (): void => {};
        const told = new Promise<void>((resolve) => (wake = resolve));
        waiting.add(wake);
        const timer = setTimeout(wake, pollMs);
        signal.addEventListener("abort", wake, { once: true });
        try {
          const grant = await store.grants.get(grantKey({ server, identity }));
          if (grant !== undefined && grant.savedAt >= sinceMs) return;
          await told;
        } finally {
          clearTimeout(timer);
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
        }
      }
    },
    async settled() {
      await Promise.allSettled(setting.renewals.values());
    },
    async list(actor) {
      return (await grants()).filter((grant) => grant.actor === actor).map(toConnection);
    },
    async disconnect(server, actor, whose) {
      const grant = (await grants()).find(
        (one) =>
          one.server === server && one.actor === actor && (whose === undefined || one.identity === whose),
      );
      if (grant === undefined)
        throw new CountersignError("not_found", `You have connected no account with ${server}.`);
      await store.grants.delete(grantKey(grant));
      await revoke(grant).catch((error: unknown) =>
        log.warn(
          { server, error: messageOf(error) },
          "an authorisation server could not be told of a revocation",
        ),
      );
      log.info({ server, whose: grant.identity }, "account disconnected");
      return toConnection(grant);
    },
    async look(state) {
      const { server, identity, actor } = await flowOf(state);
      return { server, whose: identity, actor };
    },
    async finish(params) {
      const state = params.get("state") ?? "";
      const flow = await flowOf(state);
      // Of two that come with one state, one goes on.
      if (!(await store.flows.delete(flowKey(state)))) await flowOf("");
      const { server, identity, actor } = flow;
      const code = params.get("code");
      if (code === null) {
        const message = `The authorisation server of ${server} did not allow it.`;
        throw new CountersignError("authorization_refused", message);
      }
      try {
        const provider = createPartyProvider(partyOf(server, identity, actor), setting, () => {}, flow);
        await provider.finish(code, params.get("iss") ?? undefined);
      } catch (error) {
        log.warn({ server, whose: identity, error: messageOf(error) }, "an authorisation could not be ended");
        const message = `The account could not be connected with ${server}: the authorisation server is not the one that was asked, or refused. Ask again in the chat.`;
        throw new CountersignError("authorization_failed", message, { cause: error });
      }
      log.info({ server, whose: identity }, "account connected");
      for (const wake of waiting) wake();
      return { server, whose: identity, actor };
    },
    clientDocument: (): JsonObject => ({
      client_id: setting.clientMetadataUrl() ?? "",
      ...(setting.metadata() as unknown as JsonObject),
    }),
  };
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
