import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  type Tool as McpTool,
  type PriorDiscovery,
  type Progress,
  ProtocolError,
  SdkErrorCode,
  type ServerCapabilities,
  specTypeSchemas,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";

import type { JsonObject } from "#contract/json.ts";
import type { CallProgress, CallRequest, Tool } from "#contract/tool.ts";

import { codeOf, CountersignError, messageOf } from "../../base/errors.ts";
import { digest } from "../../base/json.ts";
import { type ConnectionAuth, type FilledIn, schemaOfCall } from "../call/credentials.ts";
import {
  callExposed,
  countingLists,
  type ExposedTool,
  listExposed,
  mostPages,
  pagesOf,
} from "../catalogue/exposed.ts";
import type {
  KeptSession,
  McpLog,
  McpServerConfig,
  NegotiatedProtocol,
  NegotiatedProtocolStore,
} from "../config.ts";
import { createRedirects } from "./fetch.ts";
import type { Launcher } from "./launcher.ts";
import { type CallClock, createOpenCalls } from "./open-call.ts";
import { elicit, sample } from "./questions.ts";
import { createTransport, type OpenTransport } from "./transports.ts";

export interface OpenerOptions {
  config: McpServerConfig;
  version: string;
  launcher: Launcher;
  log: McpLog;
  /** Ends every opening. */
  signal: AbortSignal;
  /** Keeps the verdict for the next process; without it every start negotiates. */
  verdicts: NegotiatedProtocolStore | undefined;
}

export interface OpenOptions {
  /** Milliseconds since the epoch. */
  until: number;
  onListChanged: () => void;
  /** Follow list changes for as long as the connection lives. */
  follow?: boolean;
  /** A session that an earlier connection began. */
  resume?: KeptSession | undefined;
  outfit?: ConnectionAuth | undefined;
}

/** Opens connections to one server and remembers which revision of the protocol it speaks. */
export interface Opener {
  open(options: OpenOptions): Promise<Connection>;
}

/** A server may be upgraded behind our back: it is asked again after this time. */
const verdictMs = 60 * 60 * 1000;

/** Names a server in the store: another program or address is another server, whatever its name. */
export function serverKey(config: McpServerConfig): string {
  return digest({
    name: config.name,
    command: config.command ?? null,
    url: config.url ?? config.sse_url ?? null,
  });
}

export function createOpener({ config, version, launcher, log, signal, verdicts }: OpenerOptions): Opener {
  const address = config.url ?? config.sse_url;
  const overHttp = address !== undefined;
  const redirects = address === undefined ? undefined : createRedirects(address);
  const key = serverKey(config);
  let verdict: NegotiatedProtocol | undefined;

  return {
    async open({ until, onListChanged, follow = false, resume, outfit }) {
      // The store only spares a negotiation: without an answer from it there is one.
      verdict ??= await verdicts?.get(key).catch(() => undefined);
      if (verdict !== undefined && Date.now() - verdict.at > verdictMs) verdict = undefined;
      const given = {
        ...(resume === undefined ? {} : { resume }),
        ...(outfit === undefined ? {} : { outfit }),
        ...(redirects === undefined ? {} : { redirects }),
      };
      const attempt = (prior: PriorDiscovery | undefined): Promise<Connection> =>
        connect(createTransport(config, launcher, given), {
          config,
          version,
          log,
          timeoutMs: left(until),
          signal,
          prior,
          resume,
          onListChanged,
          follow,
        });
      try {
        const connection = await attempt(verdict?.prior).catch((error: unknown) => {
          // Some old servers over stdio die of being asked for their revision.
          if (overHttp || codeOf(error) !== SdkErrorCode.EraNegotiationFailed) throw error;
          return attempt({ kind: "legacy" });
        });
        const prior = connection.verdict();
        if (prior !== undefined && verdict === undefined) {
          verdict = { prior, at: Date.now() };
          await verdicts?.set(key, verdict).catch(() => undefined);
        }
        return connection;
      } catch (error) {
        verdict = undefined;
        await verdicts?.delete(key).catch(() => undefined);
        throw error;
      }
    },
  };
}

/** Milliseconds until a moment, at least one. */
export function left(until: number): number {
  return Math.max(until - Date.now(), 1);
}

/** An initialised connection to one server. */
export interface Connection {
  /** Aborts when the connection ends by itself; the reason says why. */
  readonly lost: AbortSignal;
  list(options: { timeoutMs: number }): Promise<McpTool[]>;
  /** Prompts and resources as tools, where the configuration wants them. */
  listExposed(options: { timeoutMs: number }): Promise<ExposedTool[]>;
  /**
   * Says something harmless and resolves when the server has answered, be it by an error of the protocol.
   * Rejects with what else came instead.
   */
  ping(options: { timeoutMs: number; signal: AbortSignal }): Promise<void>;
  /** Its clock is ended when the connection is lost. */
  call(tool: Tool, args: JsonObject, options: CallOptions): Promise<CallToolResult>;
  /** What a later connection to the same server may start from instead of negotiating. */
  verdict(): PriorDiscovery | undefined;
  /** What another connection needs to go on with this one's session; undefined where there is none. */
  session(): KeptSession | undefined;
  /**
   * Ends the connection and, over stdio, the server with it. `keep` leaves the session of the server
   * for a later connection. Never rejects.
   */
  close(options?: { keep: boolean }): Promise<void>;
}

interface CallOptions {
  /** Ends the call. */
  clock: CallClock;
  onProgress?: (progress: CallProgress) => void;
  ask: CallRequest["ask"];
  sample: CallRequest["sample"];
  /** Goes to the server beside the arguments. */
  injected?: FilledIn | undefined;
}

interface ConnectOptions {
  config: McpServerConfig;
  version: string;
  log: McpLog;
  timeoutMs: number;
  /** Ends the opening, and listings under way. */
  signal: AbortSignal;
  prior: PriorDiscovery | undefined;
  /** The session that the transport was made for; its handshake was made by another connection. */
  resume: KeptSession | undefined;
  onListChanged: () => void;
  /** Follow list changes for as long as the connection lives. */
  follow: boolean;
}

const endSessionMs = 1_000;
const exitMs = 500;
const relistenMs = 5_000;
/** Time limits of calls are kept by their clock: the SDK's own cannot wait for a person. */
const noLimit = 2 ** 31 - 1;

const defaultQuestionMs = 10 * 60_000;

/** Rejects, with the transport closed, when the server does not answer in time or ends. */
async function connect(open: OpenTransport, options: ConnectOptions): Promise<Connection> {
  const { config, log, resume } = options;
  const server = config.name;
  const calls = createOpenCalls();
  const client = new Client(
    { name: "countersign", version: options.version },
    {
      capabilities: capabilitiesOf(config),
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(options.timeoutMs, 5_000) } },
      defaultCacheTtlMs: 0,
      listMaxPages: mostPages,
    },
  );
  const counting = countingLists(client);
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
    calls.end();
  }

  const changes = ["notifications/tools/list_changed", "notifications/prompts/list_changed"] as const;
  for (const change of changes) client.setNotificationHandler(change, () => options.onListChanged());
  const { roots = [] } = config;
  if (roots.length > 0) {
    client.setRequestHandler("roots/list", () => ({
      roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })),
    }));
  }
  if (config.sampling === "ask") {
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) =>
      sample(params, calls.current(), mcpReq.signal),
    );
  }
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
    elicit(params, calls.current(), AbortSignal.any([mcpReq.signal, lost.signal, closing.signal]), {
      server,
      log,
      ttlMs: config.question_timeout_ms ?? defaultQuestionMs,
    }),
  );

  const legacyOnly = open.kind === "sse" || resume !== undefined ? ({ kind: "legacy" } as const) : undefined;
  const prior = legacyOnly ?? options.prior;
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
  // The SDK opens the stream for what the server says by itself only after a handshake.
  if (resume !== undefined) open.listen();

  function capabilities(): ServerCapabilities | undefined {
    return resume === undefined ? client.getServerCapabilities() : resume.capabilities;
  }

  /** On the 2026-07-28 revision notifications come over a subscription that must be kept open. */
  async function followListChanges(): Promise<void> {
    if (client.getProtocolEra() !== "modern" || client.getServerCapabilities()?.tools?.listChanged !== true)
      return;
    for (let first = true; !closing.signal.aborted && !lost.signal.aborted; first = false) {
      try {
        const promptsListChanged = client.getServerCapabilities()?.prompts?.listChanged === true;
        const subscription = await client.listen({ toolsListChanged: true, promptsListChanged });
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
      if (capabilities()?.tools === undefined) return [];
      // The SDK's limit is for a page; there may be pages without an end.
      const signal = AbortSignal.any([options.signal, lost.signal, AbortSignal.timeout(timeoutMs)]);
      const request = { timeout: timeoutMs, signal };
      try {
        if (resume !== undefined) return await listResumed(client, request);
        const counted = counting("tools/list", { ...request, cacheMode: "refresh" as const });
        return (await client.listTools(undefined, counted)).tools;
      } catch (error) {
        // The SDK reports an abort as a timeout.
        lost.signal.throwIfAborted();
        throw error;
      }
    },
    listExposed: ({ timeoutMs }) =>
      listExposed(client, capabilities(), config.expose ?? [], {
        timeout: timeoutMs,
        signal: AbortSignal.any([options.signal, lost.signal, AbortSignal.timeout(timeoutMs)]),
      }),
    async ping({ timeoutMs, signal }) {
      const until = AbortSignal.any([options.signal, lost.signal, signal]);
      await client
        .request({ method: "ping" }, { timeout: timeoutMs, signal: until })
        .catch((error: unknown) => {
          if (!(error instanceof ProtocolError)) throw error;
        });
    },
    call(tool, given, { clock, onProgress, ask, sample: sampling, injected }) {
      const args = injected === undefined ? given : { ...given, ...injected.args };
      const { name } = tool;
      const limits = { signal: clock.signal, timeout: noLimit };
      const open = { toolId: tool.id, clock, ask, sample: sampling };
      if (tool.source !== undefined) return calls.during(open, () => callExposed(client, name, args, limits));
      const params = { name, arguments: args, ...metaOf(injected) };
      const watched = {
        ...limits,
        // Asked for even when nobody watches, because progress keeps a slow call alive.
        onprogress(progress: Progress): void {
          clock.touch();
          if (!isOwn(progress)) onProgress?.(toProgress(progress));
        },
      };
      return calls.during(open, () =>
        client.getProtocolEra() === "legacy"
          ? client.request({ method: "tools/call", params }, callResult, watched)
          : // The definition is for header mirroring only; the output is checked by the caller.
            client.callTool(params, {
              ...watched,
              toolDefinition: { name, inputSchema: schemaOfCall(tool) as McpTool["inputSchema"] },
            }),
      );
    },
    verdict() {
      if (resume !== undefined) return undefined;
      if (client.getProtocolEra() === "legacy") return { kind: "legacy" };
      const discover = client.getDiscoverResult();
      return discover === undefined ? undefined : { kind: "modern", discover };
    },
    session() {
      const id = open.sessionId();
      if (id === undefined) return undefined;
      if (resume !== undefined) return resume;
      const protocolVersion = client.getNegotiatedProtocolVersion();
      const known = client.getServerCapabilities();
      return protocolVersion === undefined || known === undefined
        ? undefined
        : { id, protocolVersion, capabilities: known };
    },
    async close({ keep } = { keep: false }) {
      closing.abort();
      if (!keep) await Promise.race([open.endSession().catch(() => {}), pause(endSessionMs)]);
      await client.close().catch(() => {});
      await open.transport.close().catch(() => {});
    },
  };
}

function pause(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}

/** `listTools` answers nothing on a resumed session: the client was never told of the tools. */
async function listResumed(
  client: Client,
  options: { timeout: number; signal: AbortSignal },
): Promise<McpTool[]> {
  return pagesOf("tools/list", async (cursor) => {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, options);
    return { items: tools, nextCursor };
  });
}

function capabilitiesOf({ roots = [], sampling }: McpServerConfig): ClientCapabilities {
  return {
    elicitation: { form: { applyDefaults: true }, url: {} },
    ...(roots.length === 0 ? {} : { roots: {} }),
    ...(sampling === "ask" ? { sampling: {} } : {}),
  };
}

function metaOf(injected: FilledIn | undefined): { _meta?: JsonObject } {
  return injected === undefined || Object.keys(injected.meta).length === 0 ? {} : { _meta: injected.meta };
}

/** The SDK reports its own rounds of the 2026-07-28 revision as progress. */
function isOwn({ message }: Progress): boolean {
  return message?.startsWith("Fulfilling input required by") === true;
}

function toProgress(progress: Progress): CallProgress {
  return {
    progress: progress.progress,
    ...(progress.total === undefined ? {} : { total: progress.total }),
    ...(progress.message === undefined ? {} : { message: progress.message }),
  };
}

/** The SDK's time limit starts with the handshake; this one counts the launch as well. */
async function withLimit(
  work: Promise<void>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
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

/** Members of what a server answers that has not made the call, or not to its end. */
const ofOtherAnswers = ["task", "inputRequests", "requestState"];

/**
 * A result of `tools/call` on the 2025-11-25 revision. Where no schema is given the SDK makes one for each
 * call and tries it on nothing, which takes as long as all that the pool does for a call.
 */
export const callResult: StandardSchemaV1<unknown, CallToolResult> = {
  "~standard": {
    version: 1,
    vendor: "countersign",
    validate(value) {
      if (!isObject(value)) return { issues: [{ message: "expected an object" }] };
      const { structuredContent } = value;
      if (structuredContent !== undefined && !isObject(structuredContent))
        return { issues: [{ message: "structuredContent: expected an object" }] };
      // Many old servers leave it out where there is none, and it is made up.
      const other = value.content === undefined ? ofOtherAnswers.find((key) => key in value) : undefined;
      if (other !== undefined) return { issues: [{ message: `content: expected beside ${other}` }] };
      return known.validate(value);
    },
  },
};

const known = specTypeSchemas.CallToolResult["~standard"];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
