import {
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";

import type { McpServerConfig } from "../config.ts";
import type { KeptSession } from "../ports.ts";
import { createRedirects, type Fetch, limitedFetch, type Redirects } from "./fetch.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { Launcher } from "./launcher.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** What a connection is opened with, beside what the configuration says for everybody. */
export interface ConnectionAuth {
  headers: Record<string, string>;
  /** Authorises the requests. */
  provider?: OAuthClientProvider | undefined;
}

/** A transport that has not been started, and what a connection must know about it. */
export interface OpenTransport {
  kind: "stdio" | "http" | "sse";
  transport: Transport;
  /** Why the connection ended by itself, as far as the transport knows. */
  failure?: () => { code?: string | undefined; message: string } | undefined;
  sessionId?: () => string | undefined;
  /** Opens the stream for what the server says by itself, on a resumed session. */
  listen?: () => void;
  /** Resolves when the server has answered about that stream, be it by a refusal, or none is asked for. */
  listening?: Promise<void>;
  /** Tells the server that its session is over, where there is one. */
  endSession?: () => Promise<void>;
}

export interface TransportOptions {
  resume?: KeptSession | undefined;
  auth?: ConnectionAuth;
  /** Knows where the server was found to be; without it the transport finds out by itself. */
  redirects?: Redirects | undefined;
  /** Asked with each request over HTTP, and with each message of a pipe: what it returns is called with all that comes. */
  hearing?: () => () => void;
  /** The trace context that a request over HTTP is part of. */
  trace?: () => string | undefined;
  /** See LaunchOptions. */
  onOutput?: ((line: string) => void) | undefined;
}

export function createTransport(
  config: McpServerConfig,
  launcher: Launcher,
  { resume, auth, redirects, onOutput, hearing, trace }: TransportOptions = {},
): OpenTransport {
  const headers = mergeHeaders(config.headers, auth?.headers);
  const optionsFor = (
    server: string,
  ): { requestInit: RequestInit; fetch: Fetch; authProvider?: OAuthClientProvider } => {
    const sentOnce = redirects ?? createRedirects(server);
    const heard = (fetch: Fetch): Fetch =>
      hearing === undefined
        ? fetch
        : (to, init) => fetch(to, { ...withTrace(init, trace?.()), onLine: hearing() });
    if (auth?.provider === undefined)
      return { requestInit: { headers }, fetch: heard(sentOnce(limitedFetch)) };
    const guarded = createGuardedFetch({ server, issuer: config.oauth?.issuer, headers });
    return { requestInit: { headers }, fetch: heard(sentOnce(guarded)), authProvider: auth.provider };
  };
  if (config.url !== undefined) {
    const options = optionsFor(config.url);
    const { fetch, listening } = watchStream(options.fetch);
    const transport = new StreamableHTTPClientTransport(new URL(config.url), {
      ...options,
      fetch,
      ...(resume && { sessionId: resume.id, protocolVersion: resume.protocolVersion }),
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
      sessionId: () => transport.sessionId,
      // A server may offer no such stream; one that has forgotten the session says so at the next call.
      listen: () => void transport.resumeStream("").catch(() => {}),
      listening,
      endSession: () => transport.terminateSession(),
    };
  }
  if (config.sse_url !== undefined) {
    const transport = new SSEClientTransport(new URL(config.sse_url), optionsFor(config.sse_url));
    return { kind: "sse", transport };
  }
  const launch = (): ReturnType<typeof launcher.launch> =>
    launcher.launch(config, { captureOutput: false, onOutput });
  const transport = new StdioTransport(launch, () => hearing?.()());
  return { kind: "stdio", transport, failure: () => transport.failure() };
}

/** The SDK asks for the stream when the server has accepted (202) the end of the handshake, and tells nobody of it. */
function watchStream(fetch: Fetch): { fetch: Fetch; listening: Promise<void> } {
  const answered = Promise.withResolvers<void>();
  return {
    listening: answered.promise,
    async fetch(url, init) {
      const isStream =
        init?.method === "GET" && new Headers(init.headers).get("accept")?.includes("text/event-stream");
      const isHandshake =
        typeof init?.body === "string" && init.body.includes('"method":"notifications/initialized"');
      if (isStream !== true && !isHandshake) return fetch(url, init);
      let isToCome = false;
      try {
        const response = await fetch(url, init);
        isToCome = isHandshake && response.status === 202;
        return response;
      } finally {
        if (!isToCome) answered.resolve();
      }
    },
  };
}

function withTrace(init: RequestInit | undefined, traceparent: string | undefined): RequestInit | undefined {
  if (traceparent === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("traceparent", traceparent);
  return { ...init, headers };
}

/** Names of headers are the same in any case. */
function mergeHeaders(...all: (Record<string, string> | undefined)[]): Record<string, string> {
  const merged = new Headers();
  for (const headers of all)
    for (const [name, value] of Object.entries(headers ?? {})) merged.set(name, value);
  return Object.fromEntries(merged);
}
