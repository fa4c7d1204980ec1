import {
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";

import type { ConnectionAuth } from "../call/credentials.ts";
import type { KeptSession, McpServerConfig } from "../config.ts";
import { createRedirects, type Fetch, limitedFetch, type Redirects } from "./fetch.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { Launcher } from "./launcher.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** A transport that has not been started, and what the pool must know about it. */
export interface OpenTransport {
  kind: "stdio" | "http" | "sse";
  transport: Transport;
  /** Why the connection ended by itself, as far as the transport knows. */
  failure(): { code?: string; message: string } | undefined;
  sessionId(): string | undefined;
  /** Opens the stream for what the server says by itself, on a resumed session. */
  listen(): void;
  /** Tells the server that its session is over, where there is one. */
  endSession: () => Promise<void>;
}

/** `redirects` knows where the server was found to be; without it the transport finds out by itself. */
export function createTransport(
  config: McpServerConfig,
  launcher: Launcher,
  {
    resume,
    outfit,
    redirects,
  }: { resume?: KeptSession; outfit?: ConnectionAuth; redirects?: Redirects } = {},
): OpenTransport {
  const headers = mergeHeaders(config.headers, outfit?.headers);
  const requestInit = { headers };
  const { provider } = outfit ?? {};
  const asked = (server: string): { fetch: Fetch; authProvider?: OAuthClientProvider } => {
    const sentOnce = redirects ?? createRedirects(server);
    if (provider === undefined) return { fetch: sentOnce(limitedFetch) };
    const guarded = createGuardedFetch({ server, issuer: config.oauth?.issuer, headers });
    return { fetch: sentOnce(guarded), authProvider: provider };
  };
  if (config.url !== undefined) {
    const transport = new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit,
      ...asked(config.url),
      ...(resume === undefined ? {} : { sessionId: resume.id, protocolVersion: resume.protocolVersion }),
      reconnectionOptions: {
        initialReconnectionDelay: 500,
        maxReconnectionDelay: 5_000,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: 2,
      },
    });
    return {
      kind: "http",
      transport,
      failure: () => undefined,
      sessionId: () => transport.sessionId,
      // A server may offer no such stream; one that has forgotten the session says so at the next call.
      listen: () => void transport.resumeStream("").catch(() => {}),
      endSession: () =>
        transport.sessionId === undefined ? Promise.resolve() : transport.terminateSession(),
    };
  }
  if (config.sse_url !== undefined) {
    const transport = new SSEClientTransport(new URL(config.sse_url), {
      requestInit,
      ...asked(config.sse_url),
    });
    return { ...sessionless, kind: "sse", transport, failure: () => undefined };
  }
  const transport = new StdioTransport(() => launcher.launch(config, { captureOutput: false }));
  return {
    ...sessionless,
    kind: "stdio",
    transport,
    failure() {
      const message = transport.failure();
      const code = transport.failureCode();
      return message === undefined ? undefined : { message, ...(code === undefined ? {} : { code }) };
    },
  };
}

/** Names of headers are the same in any case. */
function mergeHeaders(...all: (Record<string, string> | undefined)[]): Record<string, string> {
  const merged = new Headers();
  for (const headers of all)
    for (const [name, value] of Object.entries(headers ?? {})) merged.set(name, value);
  return Object.fromEntries(merged);
}

const sessionless = {
  sessionId: (): undefined => undefined,
  listen: (): void => {},
  endSession: (): Promise<void> => Promise.resolve(),
};
