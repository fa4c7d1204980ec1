import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Transport } from "@modelcontextprotocol/client";

import { limitedFetch } from "./fetch-limit.ts";
import type { Launcher } from "./launcher.ts";
import type { McpServerConfig } from "./options.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** A transport that has not been started, and what the pool must know about it. */
export interface OpenTransport {
  kind: "stdio" | "http" | "sse";
  transport: Transport;
  /** Why the connection ended by itself, as far as the transport knows. */
  failure(): { code?: string; message: string } | undefined;
  /** Tells the server that its session is over, where there is one. */
  endSession(): Promise<void>;
}

export function createTransport(config: McpServerConfig, launcher: Launcher): OpenTransport {
  const requestInit = { headers: config.headers ?? {} };
  if (config.url !== undefined) {
    const transport = new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit,
      fetch: limitedFetch,
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
      endSession: () =>
        transport.sessionId === undefined ? Promise.resolve() : transport.terminateSession(),
    };
  }
  if (config.sse_url !== undefined) {
    const transport = new SSEClientTransport(new URL(config.sse_url), { requestInit, fetch: limitedFetch });
    return { kind: "sse", transport, failure: () => undefined, endSession: () => Promise.resolve() };
  }
  const transport = new StdioTransport(() => launcher.launch(config, { captureOutput: false }));
  return {
    kind: "stdio",
    transport,
    failure() {
      const message = transport.failure();
      const code = transport.failureCode();
      return message === undefined ? undefined : { message, ...(code === undefined ? {} : { code }) };
    },
    endSession: () => Promise.resolve(),
  };
}
