import type { Tool as McpTool } from "@modelcontextprotocol/client";

import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome, CallRequest, ServerStatus, Tool } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import type { AccountChange, OAuth } from "./auth/oauth.ts";
import { authFor, connectTool, createAuthorisedCalls } from "./call/authorise.ts";
import { createCalls, failed } from "./call/call-tool.ts";
import {
  configuredSecrets,
  type ConnectionAuth,
  createSecretCalls,
  type FilledIn,
  hideFilled,
  identityIn,
  identityOf,
  sessionKey,
} from "./call/credentials.ts";
import { createMask, type SecretLog } from "./call/masking.ts";
import type { CheckOutput } from "./call/outcome.ts";
import { toTool } from "./catalogue/catalogue.ts";
import { createDiscovery } from "./catalogue/discovery.ts";
import type { KeptSession, McpServerConfig, NegotiatedProtocolStore, SessionRecords } from "./config.ts";
import { type Connection, createOpener, left, type OpenOptions, serverKey } from "./connect/connection.ts";
import { createDaemon } from "./connect/daemon.ts";
import type { Launcher } from "./connect/launcher.ts";
import { createSessionKeeper } from "./connect/session-keeper.ts";
import { commonChannel, createSessions } from "./connect/sessions.ts";
import { createTransport } from "./connect/transports.ts";
import { sessionFault, toConnectError } from "./errors.ts";

/** One configured server: what it offers, how it is, and the calls to it. */
export interface ManagedServer {
  readonly name: string;
  status(): ServerStatus;
  /** As listed at the last successful discovery, also while the server is down. */
  tools(): Tool[];
  /** Resolves after the first try, whatever came of it. */
  start(): Promise<void>;
  call(request: CallRequest): Promise<CallOutcome>;
  stop(): Promise<void>;
}

export interface ManagedServerOptions {
  config: McpServerConfig;
  version: string;
  launcher: Launcher;
  log: SecretLog;
  check: CheckOutput;
  discoveryTimeoutMs: number;
  retry: { minMs: number; maxMs: number };
  verdicts: NegotiatedProtocolStore | undefined;
  sessions: SessionRecords | undefined;
  oauth: OAuth | undefined;
  /** Called when the tools or the status changed; must not throw. */
  onChange: () => void;
}

/** A call that reports progress may last this many times its time limit. */
const patience = 20;

export function createServer(options: ManagedServerOptions): ManagedServer {
  const { config, log, launcher } = options;
  const { name } = config;
  const persistent = config.use_persistent_session === true;
  const timeoutMs = config.timeout_ms ?? 60_000;
  const questionMs = config.question_timeout_ms ?? 10 * 60_000;
  // The launch of a server is no silence of a call.
  const connectMs = persistent ? options.discoveryTimeoutMs : Math.max(timeoutMs, options.discoveryTimeoutMs);
  const stopping = new AbortController();
  /** Calls and closings under way. */
  const work = new Set<Promise<unknown>>();
  const daemon =
    config.command !== undefined && (config.url !== undefined || config.sse_url !== undefined)
      ? createDaemon(config, launcher, (why) => discovery.lost(why))
      : undefined;
  const opener = createOpener({
    config,
    version: options.version,
    launcher,
    log,
    signal: stopping.signal,
    verdicts: options.verdicts,
  });
  const idleMs = config.session_idle_ms ?? 10 * 60_000;
  // What a process keeps is its own: only over HTTP a session outlives its connection.
  const overStdio = config.url === undefined && config.sse_url === undefined;
  const shared = (config.session_scope ?? (config.command === undefined ? "channel" : "shared")) === "shared";
  const keeper = createSessionKeeper({
    server: serverKey(config),
    records: config.url === undefined ? undefined : options.sessions,
    noteMs: idleMs / 4,
    log,
  });
  const sessions = createSessions({
    open: openFor,
    close: release,
    onLost: (why) => discovery.lost(why),
    keeper,
    adopt: overStdio && !shared,
    max: config.max_sessions ?? 50,
    idleMs,
  });
  const makeCall = createCalls({
    context: {
      server: name,
      idleMs: timeoutMs,
      totalMs: config.total_timeout_ms ?? timeoutMs * patience,
      questionMs,
      check: options.check,
      log,
      stopping: stopping.signal,
    },
    connectMs,
    max: config.max_calls ?? 16,
    sessions: persistent ? sessions : undefined,
    sessionOf: (request) => sessionKey(shared ? commonChannel : request.channel, identityOf(config, request)),
    openFresh: async (request) =>
      open({
        outfit: await outfitOf(identityOf(config, request), request.injected),
        until: Date.now() + connectMs,
        // Over stdio a changed list dies with the process; a server that lives on is listed again.
        onListChanged: overStdio ? () => {} : () => discovery.changed(),
      }),
    release,
  });

  const discovery = createDiscovery({
    server: name,
    log,
    limitMs: options.discoveryTimeoutMs,
    retry: options.retry,
    list(until) {
      const list = persistent ? listOverSession : listOverFreshConnection;
      return authorised === undefined ? list(until) : authorised.withAnybody(() => list(until));
    },
    onUp: () => void track(endUnused()),
    onChange: options.onChange,
  });

  async function open(options: OpenOptions): Promise<Connection> {
    await daemon?.ensure(left(options.until));
    return opener.open(options);
  }

  const secretCalls = createSecretCalls(config, makeCall, log);
  // A server, or what stands before it, may say back what it was sent: in its list, and in why it takes nothing.
  const secrets = configuredSecrets(config);
  const mask = secrets.length === 0 ? undefined : createMask(secrets, []);
  const hidden = (text: string): string => mask?.text(text) ?? text;
  const authorised =
    config.oauth === undefined || options.oauth === undefined
      ? undefined
      : createAuthorisedCalls(config, options.oauth, {
          questionMs,
          async onChange(change) {
            void track(endKeptSessions(config, launcher, await sessions.endOf(isOfChangedAccount(change))));
            void discovery.look();
          },
        });

  const outfitOf = (identity: string | undefined, injected?: FilledIn): Promise<ConnectionAuth> =>
    authFor(config, authorised, identity, injected);

  /** A channel's session, taken up from the store where another process began it. */
  async function openFor(channel: string): Promise<Connection> {
    const resume = await keeper.find(channel);
    const connection = await open({
      outfit: await outfitOf(identityIn(channel)),
      until: Date.now() + options.discoveryTimeoutMs,
      onListChanged: () => discovery.changed(),
      follow: channel === commonChannel || overStdio,
      resume,
    });
    const session = connection.session();
    if (session !== undefined && session.id !== resume?.id) await keeper.keep(channel, session);
    return connection;
  }

  function release(connection: Connection, { keep } = { keep: false }): void {
    void track(connection.close({ keep: keep && options.sessions !== undefined }));
  }

  /** Ends sessions that an earlier process left and that no channel has used since. */
  async function endUnused(): Promise<void> {
    if (!persistent || config.url === undefined) return;
    await endKeptSessions(config, launcher, await keeper.takeUnused(idleMs));
  }

  function track<T>(task: Promise<T>): Promise<T> {
    const forget = (): void => void work.delete(task);
    work.add(task);
    task.then(forget, forget);
    return task;
  }

  async function listOverSession(until: number): Promise<Tool[]> {
    for (let last = false; ; last = true) {
      const { connection, giveBack } = await sessions.borrow(sessions.listingChannel());
      try {
        return await list(connection, until);
      } catch (error) {
        const gone = sessionFault(error, connection.session()?.id) !== undefined;
        await sessions.drop(connection, { gone });
        // The end of a connection, or of its session, says nothing yet about the server.
        if (last || !(connection.lost.aborted || gone)) throw error;
      } finally {
        giveBack();
      }
    }
  }

  async function listOverFreshConnection(until: number): Promise<Tool[]> {
    let changed = false;
    const onListChanged = (): void => void (changed = true);
    const connection = await open({ outfit: await outfitOf(undefined), until, onListChanged });
    try {
      const tools = await list(connection, until);
      // Some servers complete their list only after the handshake.
      return changed ? await list(connection, until) : tools;
    } finally {
      release(connection);
    }
  }

  function masked(tool: McpTool): McpTool {
    const shown = mask?.json(tool as unknown as JsonObject) as unknown as McpTool | undefined;
    if (shown !== undefined && shown.name !== tool.name)
      throw new Error("expected a name without what the configuration keeps secret");
    return shown ?? tool;
  }

  async function list(connection: Connection, until: number): Promise<Tool[]> {
    const listed = await connection.list({ timeoutMs: left(until) });
    const exposed = await connection.listExposed({ timeoutMs: left(until) });
    // A tool of the server comes before what is made of a prompt.
    const own = new Set(listed.map((tool) => tool.name));
    const all: { tool: (typeof listed)[number]; source?: Tool["source"] }[] = [
      ...listed.map((tool) => ({ tool })),
      ...exposed.filter(({ tool }) => !own.has(tool.name)),
    ];
    const unread: string[] = [];
    const tools = all.flatMap(({ tool, source }) => {
      try {
        const known = hideFilled(
          toTool(name, config.trust_annotations === true, masked(tool)),
          config.credentials ?? {},
        );
        return source === undefined ? known : { ...known, source };
      } catch (error) {
        unread.push(`${hidden(tool.name).slice(0, 100)}: ${messageOf(error)}`);
        return [];
      }
    });
    if (unread.length > 0)
      log.warn(
        { server: name, count: unread.length, tools: unread.slice(0, 20) },
        "tools left out: they cannot be read",
      );
    return tools;
  }

  /** Reads the list of tools with the person's account; without one that is refused. */
  async function connectAs(request: CallRequest): Promise<CallOutcome> {
    try {
      const until = Date.now() + connectMs;
      const outfit = await outfitOf(identityOf(config, request));
      const connection = await open({ outfit, until, onListChanged: () => {} });
      const listed = await connection.list({ timeoutMs: left(until) }).finally(() => release(connection));
      await discovery.look();
      return { ok: true, data: { connected: name, tools: listed.length } };
    } catch (error) {
      const facts = { server: name, timeoutMs: connectMs, cancelled: request.signal.aborted };
      const fault = toConnectError(error, facts);
      return failed({ ...fault, message: hidden(fault.message) });
    }
  }

  async function call(request: CallRequest): Promise<CallOutcome> {
    if (request.signal.aborted || stopping.signal.aborted) {
      return failed({
        code: "cancelled",
        sent: "no",
        message: `The call of ${request.tool.id} was stopped.`,
      });
    }
    if (authorised !== undefined && discovery.tools().length === 0) {
      return authorised.call(request, () => connectAs(request));
    }
    const { status: state, error: fault = "unknown" } = status();
    if (state === "retrying") {
      // Somebody needs it now, so the next try need not wait for the back-off.
      discovery.doubt();
      return failed({ code: "server_down", sent: "no", message: `The server ${name} is down: ${fault}` });
    }
    const outcome = await (authorised === undefined
      ? secretCalls(request)
      : authorised.call(request, () => secretCalls(request)));
    const { error } = outcome;
    if (error === undefined) discovery.worked();
    // A server that keeps silent, cannot be reached or refuses a tool it listed deserves another look.
    const doubtful = error?.sent === "no" && error.code !== "cancelled";
    if (doubtful || error?.code === "protocol" || error?.code === "timeout") discovery.doubt();
    return outcome;
  }

  function status(): ServerStatus {
    const known = discovery.status();
    return known.error === undefined ? known : { ...known, error: hidden(known.error) };
  }

  return {
    name,
    status,
    tools: () =>
      authorised !== undefined && discovery.tools().length === 0 ? [connectTool(name)] : discovery.tools(),
    start: discovery.look,
    call: (request) => track(call(request)),
    async stop() {
      stopping.abort(new Error("the tool box was stopped"));
      sessions.end();
      await Promise.all([daemon?.stop(), discovery.stop()]);
      while (work.size > 0) await Promise.allSettled(work);
    },
  };
}

/** Tells a server over HTTP that a session which the store has kept is over. Best effort: never rejects. */
async function endKeptSessions(
  config: McpServerConfig,
  launcher: Launcher,
  sessions: readonly KeptSession[],
): Promise<void> {
  for (const resume of sessions) {
    const { transport, endSession } = createTransport(config, launcher, { resume });
    await transport.start().catch(() => {});
    await endSession().catch(() => {});
    await transport.close().catch(() => {});
  }
}

/**
 * Whether a channel's session was, or may have been, begun with an account that has changed. A server may
 * know whose a session is from its beginning: no other account's calls go over it.
 */
function isOfChangedAccount({ identity, what }: AccountChange): (channel: string) => boolean {
  if (what === "wider") return () => false;
  // Any account may have been used to read the list of tools.
  return (channel) =>
    identityIn(channel) === identity || (what === "disconnected" && channel === commonChannel);
}
