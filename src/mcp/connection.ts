import { setTimeout as delay } from "node:timers/promises";

import { Client, SdkErrorCode } from "@modelcontextprotocol/client";
import type { CallToolResult, PriorDiscovery, Progress, Tool as McpTool } from "@modelcontextprotocol/client";

import type { JsonObject } from "#contract/json.ts";
import type { CallProgress, Tool } from "#contract/tool.ts";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import type { McpLog } from "./options.ts";
import type { OpenTransport } from "./transports.ts";

/** An initialised connection to one server. */
export interface Connection {
  /** Aborts when the connection ends by itself; the reason says why. */
  readonly lost: AbortSignal;
  list(options: { timeoutMs: number }): Promise<McpTool[]>;
  call(tool: Tool, args: JsonObject, options: CallOptions): Promise<CallToolResult>;
  /** What a later connection to the same server may start from instead of negotiating. */
  verdict(): PriorDiscovery | undefined;
  /** Ends the connection and, over stdio, the server with it. Never rejects. */
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress?: (progress: CallProgress) => void;
}

export interface ConnectOptions {
  server: string;
  version: string;
  log: McpLog;
  timeoutMs: number;
  /** Ends the opening, and listings under way. */
  signal: AbortSignal;
  prior: PriorDiscovery | undefined;
  onListChanged: () => void;
  /** Follow list changes for as long as the connection lives. */
  follow: boolean;
}

/** A call that reports progress may last this many times its time limit. */
const patience = 20;
const endSessionMs = 1_000;
const exitMs = 500;
const relistenMs = 5_000;

/** Rejects, with the transport closed, when the server does not answer in time or ends. */
export async function connect(open: OpenTransport, options: ConnectOptions): Promise<Connection> {
  const { server, log } = options;
  const client = new Client(
    { name: "countersign", version: options.version },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(options.timeoutMs, 5_000) } },
      defaultCacheTtlMs: 0,
    },
  );
  const lost = new AbortController();
  const closing = new AbortController();

  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
  client.onerror = (error) => {
    log.debug({ server, error: messageOf(error) }, "server connection error");
    // A killed HTTP server never closes the connection: this message is all that tells of it.
    if (error.message.includes("Maximum reconnection attempts")) lose("the server stopped answering");
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
  client.onclose = () => {
    if (!closing.signal.aborted) lose("the connection closed");
  };
  function lose(why: string): void {
    const failure = open.failure() ?? { message: why };
    lost.abort(new CountersignError(failure.code ?? "connection_lost", failure.message));
  }

  client.setNotificationHandler("notifications/tools/list_changed", () => options.onListChanged());

  const legacyOnly = open.kind === "sse" ? ({ kind: "legacy" } as const) : undefined;
  const prior = options.prior ?? legacyOnly;
  try {
    await withLimit(
      client.connect(open.transport, {
        timeout: options.timeoutMs,
        ...(prior === undefined ? {} : { prior }),
      }),
      options,
    );
  } catch (error) {
    closing.abort();
    const closed = open.transport.close().catch(() => {});
    if (codeOf(error) === SdkErrorCode.RequestTimeout) throw error;
    // A broken pipe may be noticed before the exit of the server, which says more.
    await Promise.race([closed, pause(exitMs)]);
    const failure = open.failure();
    if (failure === undefined) throw error;
    throw new CountersignError(codeOf(error) ?? "connection_lost", `the server ${failure.message}`);
  }
  if (options.follow) void followListChanges();

  /** On the 2026-07-28 revision notifications come over a subscription that must be kept open. */
  async function followListChanges(): Promise<void> {
    if (client.getProtocolEra() !== "modern" || client.getServerCapabilities()?.tools?.listChanged !== true)
      return;
    for (let first = true; !closing.signal.aborted && !lost.signal.aborted; first = false) {
      try {
        const subscription = await client.listen({ toolsListChanged: true });
        // What changed while nobody listened is unknown.
        if (!first) options.onListChanged();
        if ((await subscription.closed) === "local") return;
      } catch (error) {
        log.debug({ server, error: messageOf(error) }, "could not listen for list changes");
      }
      await pause(relistenMs);
    }
  }

  return {
    lost: lost.signal,
    async list({ timeoutMs }) {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const listing = client.listTools(undefined, {
        timeout: timeoutMs,
        signal: AbortSignal.any([options.signal, lost.signal]),
        cacheMode: "refresh",
      });
      const { tools } = await listing.catch((error: unknown) => {
        // The SDK reports an abort as a timeout.
        lost.signal.throwIfAborted();
        throw error;
      });
      return tools;
    },
    call(tool, args, { signal, timeoutMs, onProgress }) {
      return client.callTool(
        { name: tool.name, arguments: args },
        {
          signal: AbortSignal.any([signal, lost.signal]),
          timeout: timeoutMs,
          maxTotalTimeout: timeoutMs * patience,
          resetTimeoutOnProgress: true,
          // Asked for even when nobody watches, because progress keeps a slow call alive.
          onprogress: (progress) => onProgress?.(toProgress(progress)),
          // For header mirroring only; the output is checked by the caller.
          toolDefinition: { name: tool.name, inputSchema: tool.inputSchema as McpTool["inputSchema"] },
        },
      );
    },
    verdict() {
      if (client.getProtocolEra() === "legacy") return { kind: "legacy" };
      const discover = client.getDiscoverResult();
      return discover === undefined ? undefined : { kind: "modern", discover };
    },
    async close() {
      closing.abort();
      await Promise.race([open.endSession().catch(() => {}), pause(endSessionMs)]);
      await client.close().catch(() => {});
      await open.transport.close().catch(() => {});
    },
  };
}

function pause(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}

function toProgress(progress: Progress): CallProgress {
  return {
    progress: progress.progress,
    ...(progress.total === undefined ? {} : { total: progress.total }),
    ...(progress.message === undefined ? {} : { message: progress.message }),
  };
}

/** The SDK's time limit starts with the handshake; this one counts the launch as well. */
async function withLimit(work: Promise<void>, { timeoutMs, signal }: ConnectOptions): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CountersignError(SdkErrorCode.RequestTimeout, `no connection within ${timeoutMs} ms`));
    }, timeoutMs);
    onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("stopped"));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  work.catch(() => {});
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}
