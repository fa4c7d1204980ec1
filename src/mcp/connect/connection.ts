import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type Tool as McpTool,
  type PriorDiscovery,
  type Progress,
  ProtocolError,
  SdkErrorCode,
  type ServerCapabilities,
} from "@modelcontextprotocol/client";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { CallRequest, Tool } from "#contract/tool.ts";

import { codeOf, CountersignError, messageOf } from "../../base/errors.ts";
import { digest, isObject } from "../../base/json.ts";
import {
  callExposed,
  countingLists,
  type ExposedTool,
  listAll,
  listExposed,
  mostPages,
} from "../catalogue/exposed.ts";
import type { McpServerConfig } from "../config.ts";
import type { KeptSession, McpLog, NegotiatedProtocol, NegotiatedProtocolStore } from "../ports.ts";
import { isLate } from "../errors.ts";
import { callResult, isOwn, toProgress, toSaid } from "./answers.ts";
import { createRedirects } from "./fetch.ts";
import type { Launcher } from "./launcher.ts";
import { CallClock, OpenCalls, startClock } from "./open-call.ts";
import { elicit, sample } from "./questions.ts";
import {
  type ConnectionAuth,
  createTransport,
  type OpenTransport,
  type TransportOptions,
} from "./transports.ts";

/** An initialised connection to one server. */
export interface Connection {
  /** Aborts when the connection ends by itself; the reason says why. */
  readonly lost: AbortSignal;
  /** What the server calls itself, if it has said so on this connection. */
  title(): string | undefined;
  list(options: { timeoutMs: number }): Promise<McpTool[]>;
  /** Prompts and resources as tools, where the configuration wants them. */
  listExposed(options: { timeoutMs: number }): Promise<ExposedTool[]>;
  /**
   * Says something harmless and resolves when the server has answered, be it by an error of the protocol.
   * Rejects with what else came instead.
   */
  ping(options: { timeoutMs: number; signal: AbortSignal }): Promise<void>;
  /** Its clock is ended when the connection is lost. */
  call(call: SentCall): Promise<CallToolResult>;
  /** What a later connection to the same server may start from instead of negotiating. */
  protocol(): PriorDiscovery | undefined;
  /** What another connection needs to go on with this one's session; undefined where there is none. */
  session(): KeptSession | undefined;
  /**
   * Ends the connection and, over stdio, the server with it. `keep` leaves the session of the server
   * for a later connection. Never rejects.
   */
  close(options?: { keep: boolean }): Promise<void>;
}

/** Member of a call's `_meta`: for whom the server's own account acts. */
const ASKER = "countersign/asker";

export interface SentCall extends Pick<
  CallRequest,
  "tool" | "args" | "asker" | "trace" | "ask" | "sample" | "onProgress"
> {
  /** Ends the call. */
  clock: CallClock;
  injected?: FilledIn | undefined;
}

/** What a call is sent with beside its own arguments. All of it is secret. */
export interface FilledIn {
  args: JsonObject;
  /** Of every HTTP request that the call makes. */
  headers: Record<string, string>;
  /** Members of the request's `_meta`. */
  meta: JsonObject;
}

export interface ConnectorOptions {
  config: McpServerConfig;
  version: string;
  launcher: Launcher;
  log: McpLog;
  /** Ends every opening, and listings under way. */
  signal: AbortSignal;
  /** Keeps the negotiated protocol for the next process; without it every start negotiates. */
  protocols?: NegotiatedProtocolStore;
}

export interface ConnectOptions {
  /** The longest time to open it, in milliseconds; of a launched server its longest silence, see `startClock`. */
  limitMs: number;
  onListChanged: () => void;
  /** Hears what a launched server writes while it starts. */
  onOutput?: ((line: string) => void) | undefined;
  /** Follow list changes for as long as the connection lives. */
  follow?: boolean;
  /** A session that an earlier connection began, and made the handshake of. */
  resume?: KeptSession | undefined;
  auth?: ConnectionAuth;
}

const endSessionMs = 1_000;
const exitMs = 500;
const relistenMs = 5_000;
/** How long the first call waits for the stream for what the server says by itself, and which part of its time. */
const listen = { ms: 5_000, part: 0.25 };
/** Time limits of calls are kept by their clock: the SDK's own cannot wait for a person. */
const noLimit = 2 ** 31 - 1;
/** A server may be upgraded behind our back: it is asked for its protocol again after this time. */
const protocolMs = 60 * 60 * 1000;

/** Names a server in the store: another program or address is another server, whatever its name. */
export function serverKey({ name, command, url, sse_url: sse }: McpServerConfig): string {
  return digest({ name, command: command ?? null, url: url ?? sse ?? null });
}

/** Opens connections to one server and remembers which revision of the protocol it speaks. */
export function createConnector(options: ConnectorOptions): (options: ConnectOptions) => Promise<Connection> {
  const { config, launcher, protocols } = options;
  const address = config.url ?? config.sse_url;
  const redirects = address === undefined ? undefined : createRedirects(address);
  const key = serverKey(config);
  let known: NegotiatedProtocol | undefined;
  const stream = { isMute: false };

  return async (given) => {
    // The store only spares a negotiation: without an answer from it there is one.
    known ??= await protocols?.get(key).catch(() => undefined);
    if (known !== undefined && known.isSilent !== true && Date.now() - known.at > protocolMs)
      known = undefined;
    const attempt = (prior: PriorDiscovery | undefined): Promise<Connection> =>
      connect((hears) => createTransport(config, launcher, { ...given, redirects, ...hears }), {
        ...options,
        ...given,
        prior,
        stream,
      });
    let silence: Pick<NegotiatedProtocol, "isSilent"> = {};
    try {
      const connection = await attempt(known?.prior).catch((error: unknown) => {
        // Some old servers over stdio die of being asked for their revision, and some keep silent. A process that
        // was asked may still answer, and takes no other handshake then: only a fresh one is an old server.
        const isAsked = known === undefined && codeOf(error) !== "launch_failed";
        if (address !== undefined || !isAsked || options.signal.aborted) throw error;
        if (isLate(error)) silence = { isSilent: true };
        return attempt({ kind: "legacy" }).catch((second: unknown) => {
          throw second instanceof ProtocolError ? error : second;
        });
      });
      const prior = connection.protocol();
      if (prior !== undefined && known === undefined) {
        known = { prior, at: Date.now(), ...silence };
        await protocols?.set(key, known).catch(() => undefined);
      }
      return connection;
    } catch (error) {
      if (known?.isSilent === true && !(error instanceof ProtocolError)) throw error;
      known = undefined;
      await protocols?.delete(key).catch(() => undefined);
      throw error;
    }
  };
}

/** Milliseconds until a moment, at least one. */
export function left(until: number): number {
  return Math.max(until - Date.now(), 1);
}

/** What earlier connections to the server have shown. */
interface Known {
  prior: PriorDiscovery | undefined;
  /** Whether its stream says nothing before the first message: then nobody waits for it again. */
  stream: { isMute: boolean };
}

/** Rejects, with the transport closed, when the server does not answer in time or ends. */
async function connect(
  transportOf: (hears: Required<Pick<TransportOptions, "onOutput" | "hearing" | "trace">>) => OpenTransport,
  options: ConnectorOptions & ConnectOptions & Known,
): Promise<Connection> {
  const { config, log, resume, onListChanged, limitMs } = options;
  const server = config.name;
  let starting: CallClock | undefined;
  const calls = new OpenCalls();
  const open = transportOf({
    onOutput(line) {
      if (starting === undefined) return;
      starting.touch();
      options.onOutput?.(line);
    },
    hearing: () => calls.hearing(),
    trace: () => calls.trace(),
  });
  starting =
    open.kind === "stdio" ? startClock(limitMs) : new CallClock({ idleMs: limitMs, totalMs: limitMs });
  starting.heed(options.signal);
  const client = new Client(
    { name: "countersign", version: options.version },
    {
      capabilities: capabilitiesOf(config),
      // Its clock ends it: over a pipe the SDK would go on with the same process, which may answer late.
      versionNegotiation: { mode: "auto", probe: { timeoutMs: noLimit } },
      defaultCacheTtlMs: 0,
      listMaxPages: mostPages,
    },
  );
  const counting = countingLists(client);
  const lost = new AbortController();
  const closing = new AbortController();
  const ending = [options.signal, lost.signal];

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
    const failure = open.failure?.() ?? { message: why };
    lost.abort(new CountersignError(failure.code ?? "connection_lost", failure.message));
    calls.end();
  }

  const changes = ["notifications/tools/list_changed", "notifications/prompts/list_changed"] as const;
  for (const change of changes) client.setNotificationHandler(change, () => onListChanged());
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const said = params.level === "debug" ? undefined : toSaid(params);
    if (said !== undefined) calls.current()?.onProgress?.(said);
  });
  const { roots = [], question_timeout_ms: ttlMs = 10 * 60_000 } = config;
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
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => {
    const signal = AbortSignal.any([mcpReq.signal, lost.signal, closing.signal]);
    return elicit(params, calls.current(), signal, { server, log, ttlMs });
  });

  const legacyOnly = open.kind === "sse" || resume !== undefined ? ({ kind: "legacy" } as const) : undefined;
  const prior = legacyOnly ?? options.prior;
  try {
    const opening = client.connect(open.transport, { timeout: noLimit, ...(prior && { prior }) });
    await orAbort(opening, starting.signal);
  } catch (error) {
    closing.abort();
    const closed = open.transport.close().catch(() => {});
    const late = starting.outOfTime();
    if (late !== undefined) throw tooLate(late.ms);
    options.signal.throwIfAborted();
    // A broken pipe may be noticed before the exit of the server, which says more.
    await Promise.race([closed, pause(exitMs)]);
    const failure = open.failure?.();
    if (failure === undefined) throw error;
    throw new CountersignError(codeOf(error) ?? "connection_lost", `the server ${failure.message}`);
  } finally {
    starting.stop();
    starting = undefined;
  }
  if (options.follow === true) void followListChanges();
  // The SDK opens the stream for what the server says by itself only after a handshake.
  if (resume !== undefined) open.listen?.();
  // Many servers ask their questions on that stream, and forget them where nobody listens yet.
  const hasStream = resume !== undefined || client.getProtocolEra() === "legacy";
  let heard = hasStream ? heardOf(open.listening, options.stream, config.timeout_ms) : undefined;
  void heard?.then(() => (heard = undefined));

  function capabilities(): ServerCapabilities | undefined {
    return resume === undefined ? client.getServerCapabilities() : resume.capabilities;
  }

  /** The SDK's limit is for a page; there may be pages without an end. */
  function limitsOf(timeout: number): { timeout: number; signal: AbortSignal } {
    return { timeout, signal: AbortSignal.any([...ending, AbortSignal.timeout(timeout)]) };
  }

  /** On the 2026-07-28 revision notifications come over a subscription that must be kept open. */
  async function followListChanges(): Promise<void> {
    const { tools, prompts } = client.getServerCapabilities() ?? {};
    if (client.getProtocolEra() !== "modern" || tools?.listChanged !== true) return;
    const promptsListChanged = prompts?.listChanged === true;
    for (let isFirst = true; !closing.signal.aborted && !lost.signal.aborted; isFirst = false) {
      try {
        const subscription = await client.listen({ toolsListChanged: true, promptsListChanged });
        // What changed while nobody listened is unknown.
        if (!isFirst) onListChanged();
        if ((await subscription.closed) === "local") return;
      } catch (error) {
        log.debug({ server, error: messageOf(error) }, "could not listen for list changes");
      }
      await pause(relistenMs);
    }
  }

  return {
    lost: lost.signal,
    title: () => client.getServerVersion()?.title,
    async list({ timeoutMs }) {
      if (capabilities()?.tools === undefined) return [];
      const limits = limitsOf(timeoutMs);
      try {
        // `listTools` answers nothing on a resumed session: the client was never told of the tools.
        if (resume !== undefined) return await listAll<McpTool>(client, "tools/list", "tools", limits);
        const counted = counting("tools/list", { ...limits, cacheMode: "refresh" as const });
        return (await client.listTools(undefined, counted)).tools;
      } catch (error) {
        // The SDK reports an abort as a timeout.
        lost.signal.throwIfAborted();
        throw error;
      }
    },
    listExposed: ({ timeoutMs }) =>
      listExposed(client, capabilities(), config.expose ?? [], limitsOf(timeoutMs)),
    async ping({ timeoutMs, signal }) {
      const until = AbortSignal.any([...ending, signal]);
      const answered = client.request({ method: "ping" }, { timeout: timeoutMs, signal: until });
      await answered.catch((error: unknown) => {
        if (!(error instanceof ProtocolError)) throw error;
      });
    },
    call({ tool, args: given, asker, trace, clock, onProgress, ask, sample, injected }) {
      const args = { ...given, ...injected?.args };
      const { name } = tool;
      const limits = { signal: clock.signal, timeout: noLimit };
      const open = { toolId: tool.id, trace, clock, ask, sample, onProgress };
      if (tool.source !== undefined) return calls.during(open, () => callExposed(client, name, args, limits));
      const isLegacy = client.getProtocolEra() === "legacy";
      const meta = {
        ...(asker && { [ASKER]: asker }),
        // https://modelcontextprotocol.io/seps/414-request-meta
        ...(trace !== undefined && { traceparent: trace }),
        // Since the 2026-07-28 revision a server is silent where nobody asks for its messages.
        ...(!isLegacy && { [LOG_LEVEL_META_KEY]: "info" }),
        ...injected?.meta,
      };
      const params = { name, arguments: args, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
      const watched = {
        ...limits,
        // Asked for even when nobody watches, because progress keeps a slow call alive.
        onprogress(progress: Progress): void {
          clock.touch();
          if (!isOwn(progress)) onProgress?.(toProgress(progress));
        },
      };
      const send = (): Promise<CallToolResult> =>
        isLegacy
          ? client.request({ method: "tools/call", params }, callResult, watched)
          : // The definition is for header mirroring only; the output is checked by the caller.
            client.callTool(params, {
              ...watched,
              toolDefinition: { name, inputSchema: schemaOfCall(tool) as McpTool["inputSchema"] },
            });
      return calls.during(open, () => (heard === undefined ? send() : heard.then(send)));
    },
    protocol() {
      if (resume !== undefined) return undefined;
      if (client.getProtocolEra() === "legacy") return { kind: "legacy" };
      const discover = client.getDiscoverResult();
      return discover === undefined ? undefined : { kind: "modern", discover };
    },
    session() {
      const id = open.sessionId?.();
      if (id === undefined) return undefined;
      if (resume !== undefined) return resume;
      const protocolVersion = client.getNegotiatedProtocolVersion();
      const capabilities = client.getServerCapabilities();
      return protocolVersion === undefined || capabilities === undefined
        ? undefined
        : { id, protocolVersion, capabilities };
    },
    async close({ keep } = { keep: false }) {
      closing.abort();
      if (!keep) await Promise.race([open.endSession?.().catch(() => {}), pause(endSessionMs)]);
      await client.close().catch(() => {});
      await open.transport.close().catch(() => {});
    },
  };
}

/** The error of a server that did not answer in time. */
function tooLate(ms: number): CountersignError {
  return new CountersignError(SdkErrorCode.RequestTimeout, `no connection within ${ms} ms`, {
    details: { timeout: ms },
  });
}

/**
 * Settles as shared work does, without letting one caller's abort end it for the others: rejects when the signal
 * aborts.
 */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("stopped"));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Resolves when the server has answered about its stream, or does not; undefined where nobody need wait. */
function heardOf(
  listening: Promise<void> | undefined,
  stream: Known["stream"],
  callMs = Number.POSITIVE_INFINITY,
): Promise<void> | undefined {
  if (listening === undefined || stream.isMute) return undefined;
  const answered = listening.then(() => (stream.isMute = false));
  const silent = pause(Math.min(listen.ms, callMs * listen.part)).then(() => true);
  return Promise.race([answered, silent]).then((isMute) => void (stream.isMute = isMute));
}

function pause(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}

function capabilitiesOf({ roots = [], sampling }: McpServerConfig): ClientCapabilities {
  return {
    elicitation: { form: { applyDefaults: true }, url: {} },
    ...(roots.length > 0 && { roots: {} }),
    ...(sampling === "ask" && { sampling: {} }),
  };
}

/**
 * The schema by which a call is made: with what the product fills in and the server wants in headers, which
 * the specification has clients mirror there (https://modelcontextprotocol.io/seps/2243-http-standardization).
 */
function schemaOfCall({ inputSchema, filled = [], fixed = [] }: Tool): JsonSchema {
  const mirrored = [...filled, ...fixed].flatMap(({ name, mirrored }) =>
    mirrored === undefined ? [] : [[name, mirrored]],
  );
  if (mirrored.length === 0) return inputSchema;
  const { properties } = inputSchema;
  const shown = isObject(properties) ? properties : {};
  return { ...inputSchema, properties: { ...shown, ...(Object.fromEntries(mirrored) as JsonObject) } };
}
