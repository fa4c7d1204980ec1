import type { Readable } from "node:stream";

import {
  type JSONRPCMessage,
  type OAuthClientProvider,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";

import type { CountersignError } from "../../base/errors.ts";
import { pauseAfter } from "../../base/time.ts";
import type { McpServerConfig } from "../config.ts";
import { maxMessageBytes, slice } from "../limits.ts";
import type { KeptSession } from "../ports.ts";
import { createRedirects, type Fetch, limitedFetch, lineFeed, type Redirects, tooLarge } from "./fetch.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { LaunchedServer, Launcher } from "./launcher.ts";

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

/** How long output may still arrive after the server ended, in ms. */
const drainMs = 200;

/** Messages that are further apart than this, in ms, are no flood. */
const pauseMs = 50;

/**
 * Messages over the pipes of a launched server. The SDK's own transport ends the direct child only;
 * this one belongs to a process group that ends as a whole.
 */
class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #launch: () => Promise<LaunchedServer>;
  readonly #onSaid: () => void;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Messages since others had their turn, and when the first of them came. */
  #taken = 0;
  #begunMs = 0;
  #launched: LaunchedServer | undefined;
  #closed = false;
  #failure: CountersignError | undefined;

  /** `onSaid` hears of each message that is no answer. */
  constructor(launch: () => Promise<LaunchedServer>, onSaid: () => void) {
    this.#launch = launch;
    this.#onSaid = onSaid;
  }

  // The SDK takes a transport with `pid` and `stderr` for stdio, where a server that keeps silent
  // about `server/discover` is an old one and not an outage.
  get pid(): number | null {
    return this.#launched?.process.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  /** Why the connection ended by itself, if it did. */
  failure(): { code?: string; message: string } | undefined {
    const message = this.#launched?.ending();
    return this.#failure ?? (message === undefined ? undefined : { message });
  }

  async start(): Promise<void> {
    const launched = await this.#launch();
    this.#launched = launched;
    if (this.#closed) {
      await launched.end();
      throw new SdkError(SdkErrorCode.ConnectionClosed, "closed while the server was being launched");
    }
    const { child, exited } = launched.process;
    child.stdout.on("data", (chunk: Buffer) => void this.#read(chunk, child.stdout));
    child.stdout.on("error", (error) => this.onerror?.(error));
    child.once("close", () => this.#finish());
    // A descendant may hold the pipes open: the end of the server is what counts.
    child.stdout.once("end", () => this.#finishSoon());
    void exited.then(() => this.#finishSoon());
  }

  /** Never rejects. While others have their turn the server's output waits in its pipe. */
  async #read(chunk: Buffer, output: Readable): Promise<void> {
    if (this.#closed) return;
    if (performance.now() - this.#begunMs > pauseMs) this.#taken = 0;
    let begin = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, begin)) {
      const part = chunk.subarray(begin, end);
      if (!this.#hold(part)) return;
      const line = this.#pending.length === 1 ? part : Buffer.concat(this.#pending);
      this.#dropPending();
      if (this.#taken === 0) this.#begunMs = performance.now();
      this.#take(line);
      begin = end + 1;
      this.#taken += 1;
      if (this.#taken >= slice.messages) {
        output.pause();
        await pauseAfter(this.#begunMs);
        this.#taken = 0;
      }
      // A message may have had the connection closed.
      if (this.#closed) return;
    }
    this.#hold(chunk.subarray(begin));
    output.resume();
  }

  /** Keeps a part of a message; false where that is more than a message may have. */
  #hold(part: Buffer): boolean {
    this.#pendingBytes += part.length;
    this.#pending.push(part);
    if (this.#pendingBytes <= maxMessageBytes) return true;
    this.#failure = tooLarge();
    void this.close();
    return false;
  }

  /** Who receives a message checks it against the protocol: doing so here as well would be half the work of a call. */
  #take(line: Buffer): void {
    let message: unknown;
    try {
      message = JSON.parse(line.toString());
    } catch {
      // Some servers write their log there.
      return;
    }
    try {
      if ((message as { jsonrpc?: unknown } | null)?.jsonrpc !== "2.0")
        throw new Error("expected a message of JSON-RPC 2.0, got other JSON; it is left out");
      if (isSaid(message as JSONRPCMessage)) this.#onSaid();
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #dropPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #finishSoon(): void {
    setTimeout(() => this.#finish(), drainMs).unref();
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#dropPending();
    void this.#launched?.end();
    this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#launched?.process.child;
    if (this.#closed || child === undefined || !child.stdin.writable) {
      return Promise.reject(new SdkError(SdkErrorCode.NotConnected, "Not connected"));
    }
    return new Promise((resolve, reject) => {
      child.stdin.write(serializeMessage(message), (error) => {
        if (error == null) resolve();
        else reject(new SdkError(SdkErrorCode.SendFailed, error.message, undefined, { cause: error }));
      });
    });
  }

  /** Ends the server and waits until its group is gone. */
  async close(): Promise<void> {
    this.#finish();
    await this.#launched?.end();
  }
}

/** Whether the server says it of itself. An answer, or the progress of a call, says nothing of other calls. */
function isSaid(message: JSONRPCMessage): boolean {
  return "method" in message && message.method !== "notifications/progress";
}
