// A real authorisation server, and an MCP server that takes its tokens and no others.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Provider } from "oidc-provider";

export interface AuthorisedServer {
  /** Address of the MCP server. */
  url: string;
  issuer: string;
  /** Grant types of the token requests that succeeded, in order. */
  granted: string[];
  /** Every good bearer token that the MCP server was given, to whose it is. */
  tokens: Map<string, string>;
  isGood(token: string): Promise<boolean>;
  /** Takes back every token of an account, as its person may do there. */
  takeBack(account: string): Promise<void>;
  /** Open sessions of the MCP server, to whose account began them; none where it has no sessions. */
  sessions: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

/** The header by which the browser of a test says whose account it is signed in with. */
export const accountHeader = "x-account";

/**
 * Tokens are good for `ttlSeconds`; refresh tokens for one use. `hasSessions`: the MCP server asks for a
 * token at the beginning of a session only, and takes its id for one after that.
 */
export async function startAuthorisedServer(
  ttlSeconds: number,
  { hasSessions = false }: { hasSessions?: boolean } = {},
): Promise<AuthorisedServer> {
  const granted: string[] = [];
  const tokens = new Map<string, string>();
  const given: { account: string; id: string }[] = [];
  const sessions = new Map<string, string>();
  const transports = new Map<string, NodeStreamableHTTPServerTransport>();
  const resource = { url: "" };
  const auth = createServer((request, response) => void handleAuth(request, response));
  const issuer = await listen(auth);
  const provider = new Provider(issuer, {
    scopes: ["openid", "offline_access", "notes"],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: ttlSeconds, Grant: 3_600, Session: 3_600, Interaction: 600, RefreshToken: 3_600 },
    cookies: { keys: ["test"] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource.url,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "notes",
          accessTokenFormat: "opaque",
          accessTokenTTL: ttlSeconds,
        }),
      },
    },
  });
  provider.on("grant.success", ({ oidc }) => void granted.push(oidc.params.grant_type ?? ""));
  const callback = provider.callback();

  async function handleAuth(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith("/interaction/") !== true) return callback(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const accountId = String(request.headers[accountHeader] ?? "");
    const grant = new provider.Grant({ accountId, clientId: params.client_id });
    grant.addOIDCScope("openid offline_access notes");
    grant.addResourceScope(params.resource ?? resource.url, "notes");
    const consent = { grantId: await grant.save() };
    given.push({ account: accountId, id: consent.grantId });
    await provider.interactionFinished(request, response, { login: { accountId }, consent });
  }

  const notes = createServer((request, response) => void handleNotes(request, response));
  resource.url = `${await listen(notes)}/mcp`;

  async function handleNotes(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, origin } = new URL(request.url ?? "/", resource.url);
    const metadataPath = "/.well-known/oauth-protected-resource/mcp";
    if (pathname === metadataPath) {
      const metadata = {
        resource: resource.url,
        authorization_servers: [issuer],
        scopes_supported: ["notes"],
      };
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(metadata));
    }
    const begun = transports.get(request.headers["mcp-session-id"]?.toString() ?? "");
    if (begun !== undefined) return begun.handleRequest(request, response);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const known = token === undefined ? undefined : await provider.AccessToken.find(token);
    if (known === undefined) {
      const challenge = `Bearer resource_metadata="${origin}${metadataPath}", scope="notes"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    tokens.set(token ?? "", known.accountId);
    const open = (): McpServer => {
      const server = new McpServer({ name: "notes", version: "1" });
      const annotations = { readOnlyHint: true };
      server.registerTool("whoami", { description: "Who the notes belong to.", annotations }, () => ({
        content: [{ type: "text", text: `notes of ${known.accountId}, read with ${token}` }],
      }));
      return server;
    };
    if (hasSessions) {
      if (request.headers["mcp-session-id"] !== undefined) return void response.writeHead(404).end();
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized(id) {
          sessions.set(id, known.accountId);
          transports.set(id, transport);
        },
        onsessionclosed(id) {
          sessions.delete(id);
          transports.delete(id);
        },
      });
      await open().connect(transport);
      return transport.handleRequest(request, response);
    }
    const handler = createMcpHandler(open);
    const handle = toNodeHandler(handler);
    await handle(request as Parameters<typeof handle>[0], response);
  }

  return {
    url: resource.url,
    issuer,
    granted,
    tokens,
    sessions,
    async takeBack(account) {
      for (const { id } of given.filter((one) => one.account === account)) {
        await provider.AccessToken.revokeByGrantId(id);
        await provider.RefreshToken.revokeByGrantId(id);
      }
    },
    isGood: async (token) => (await provider.AccessToken.find(token)) !== undefined,
    async stop() {
      for (const server of [auth, notes]) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
