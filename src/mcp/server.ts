import type { Tool as McpTool } from "@modelcontextprotocol/client";

import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome, CallRequest, ServerStatus, Tool } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { compileGlob } from "../base/tool-names.ts";
import type { OAuth } from "./auth/oauth.ts";
import {
  authFor,
  AuthorisedCalls,
  identityIn,
  identityOf,
  isOfChangedAccount,
  sessionKey,
} from "./call/authorise.ts";
import { type CallContext, callTool, failed } from "./call/call-tool.ts";
import { configuredSecrets, createFillIn, hideFilled } from "./call/credentials.ts";
import { createMask, type SecretLog } from "./call/masking.ts";
import type { CheckOutput } from "./call/outcome.ts";
import { Semaphore } from "./call/semaphore.ts";
import { connectTool } from "./catalogue/builtins.ts";
import { toTool } from "./catalogue/catalogue.ts";
import { createDiscovery } from "./catalogue/discovery.ts";
import { fixArguments } from "./catalogue/fixed.ts";
import type { McpServerConfig } from "./config.ts";
import {
  type Connection,
  type ConnectOptions,
  createConnector,
  left,
  serverKey,
} from "./connect/connection.ts";
import { accepts, createDaemon } from "./connect/daemon.ts";
import type { Launcher } from "./connect/launcher.ts";
import { type CallClock, totalsOf } from "./connect/open-call.ts";
import { SessionKeeper } from "./connect/session-keeper.ts";
import { commonChannel, Sessions } from "./connect/sessions.ts";
import { type ConnectionAuth, createTransport } from "./connect/transports.ts";
import { sessionFault, toConnectError } from "./errors.ts";
import type { KeptSession, NegotiatedProtocolStore, SessionRecords } from "./ports.ts";

/** One configured server: what it offers, how it is, and the calls to it. */
export interface ManagedServer {
  readonly name: string;
  status(): ServerStatus;
  /** As listed at the last successful discovery, also while the server is down. */
  tools(): Tool[];
  /** Resolves after the first try, whatever came of it. */
  start(): Promise<void>;
  /** See ManagedToolBox.freshen. */
  freshen(): void;
  call(request: CallRequest): Promise<CallOutcome>;
  stop(): Promise<void>;
  /** The same once the calls that run have ended; it is to be given no more. */
  retire(): Promise<void>;
}

export interface ManagedServerOptions {
  config: McpServerConfig;
  version: string;
  launcher: Launcher;
  log: SecretLog;
  check: CheckOutput;
  discoveryTimeoutMs: number;
  retry: { minMs: number; maxMs: number };
  protocols?: NegotiatedProtocolStore;
  sessions?: SessionRecords;
  oauth?: OAuth;
  fixedArguments?: (tool: { id: string; name: string }) => JsonObject | undefined;
  /** Called when the tools or the status changed; must not throw. */
  onChange: () => void;
}

/** How old what people see of a server over HTTP may become while they look, and the longest that a look takes. */
const FRESH_MS = 2_500;
const FRESH_LIMIT_MS = 2_000;

/** How often those who look are told what a server that starts is doing. */
const TELL_MS = 1_000;

export function createServer(options: ManagedServerOptions): ManagedServer {
  const { config, log, launcher, discoveryTimeoutMs } = options;
  const { name } = config;
  const isPersistent = config.use_persistent_session === true;
  // What a process keeps is its own: only over HTTP a session outlives its connection.
  const overStdio = config.url === undefined && config.sse_url === undefined;
  const isShared = config.session_scope === "shared";
  const timeoutMs = config.timeout_ms ?? 60_000;
  const idleMs = config.session_idle_ms ?? 10 * 60_000;
  const questionMs = config.question_timeout_ms ?? 10 * 60_000;
  // A launched server may have to be downloaded before it says a word, which is no silence of a call.
  const startMs = config.command === undefined ? discoveryTimeoutMs : (config.start_timeout_ms ?? 120_000);
  const openMs =
    config.command !== undefined || isPersistent ? startMs : Math.max(timeoutMs, discoveryTimeoutMs);
  const stopping = new AbortController();
  /** Calls and closings under way. */
  const work = new Set<Promise<unknown>>();
  // A server, or what stands before it, may say back what it was sent: in its list, and in why it takes nothing.
  const secrets = configuredSecrets(config);
  const mask = secrets.length === 0 ? undefined : createMask(secrets, []);
  const hidden = (text: string): string => mask?.text(text) ?? text;
  let serverTitle = "";
  /** The last line that it wrote while it started, and who hears it meanwhile. */
  let doing = "";
  const hearing = new Set<(line: string) => void>();

  const daemon =
    config.command !== undefined && !overStdio
      ? createDaemon(config, launcher, (why) => discovery.lost(why))
      : undefined;
  const connect = createConnector({ ...options, signal: stopping.signal });
  const authorised =
    config.oauth === undefined || options.oauth === undefined
      ? undefined
      : new AuthorisedCalls(config, options.oauth, questionMs);
  const keeper = new SessionKeeper({
    server: serverKey(config),
    records: config.url === undefined ? undefined : options.sessions,
    noteMs: idleMs / 4,
    log,
  });
  const sessions = new Sessions({
    open: openFor,
    close: release,
    onLost: (why) => discovery.lost(why),
    keeper,
    adopt: overStdio && !isShared,
    max: config.max_sessions ?? 50,
    idleMs,
  });
  const discovery = createDiscovery({
    server: name,
    log,
    begin: config.command === undefined ? "connecting" : "starting",
    limitMs: startMs,
    retry: options.retry,
    list() {
      const list = isPersistent ? listOverSession : listOverFreshConnection;
      return authorised === undefined ? list() : authorised.withAnybody(list);
    },
    onUp: () => void track(endUnused()),
    onChange: options.onChange,
  });
  const running = new Set<CallClock>();
  stopping.signal.addEventListener("abort", () => running.forEach((clock) => clock.end()), { once: true });
  const calls: CallContext = {
    server: name,
    discovery,
    authorised,
    connectAs,
    fillIn: createFillIn(config, log),
    hidden,
    places: new Semaphore(config.max_calls ?? 16),
    sessions: isPersistent ? sessions : undefined,
    sessionOf: (request) =>
      sessionKey(isShared ? commonChannel : request.channel, identityOf(config, request)),
    openFresh: async (request) =>
      open({
        auth: await authOf(identityOf(config, request), request.injected?.headers),
        limitMs: openMs,
        // Over stdio a changed list dies with the process; a server that lives on is listed again.
        onListChanged: overStdio ? () => {} : () => discovery.changed(),
      }),
    release,
    connectMs: openMs,
    onOutput(hear) {
      hearing.add(hear);
      return () => hearing.delete(hear);
    },
    idleMs: timeoutMs,
    totalMsOf: totalsOf(config.total_timeout_ms, timeoutMs),
    questionMs,
    check: options.check,
    log,
    stopping: stopping.signal,
    running,
    knowsPings: true,
  };
  // The first account of a server tells of its tools; without the last one it waits for another.
  if (authorised !== undefined)
    options.oauth?.onChange(async (change) => {
      if (change.server !== name) return;
      void track(endKept(await sessions.endOf(isOfChangedAccount(change))));
      void discovery.look();
    });

  function authOf(identity: string | undefined, headers?: Record<string, string>): Promise<ConnectionAuth> {
    return authFor(config, authorised, identity, headers);
  }

  async function open(given: Omit<ConnectOptions, "onOutput">): Promise<Connection> {
    await daemon?.ensure(startMs, onOutput);
    return connect({ ...given, onOutput });
  }

  function onOutput(line: string): void {
    doing = oneLine(hidden(line), 200);
    for (const hear of hearing) hear(doing);
    const now = Date.now();
    if (doing === "" || discovery.status().status !== "starting" || now - toldAt < TELL_MS) return;
    toldAt = now;
    options.onChange();
  }

  /** A channel's session, taken up from the store where another process began it. */
  async function openFor(channel: string): Promise<Connection> {
    const resume = await keeper.find(channel);
    const connection = await open({
      auth: await authOf(identityIn(channel)),
      limitMs: startMs,
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
    if (isPersistent && config.url !== undefined) await endKept(await keeper.takeUnused(idleMs));
  }

  /** Tells a server over HTTP that sessions which the store has kept are over. Best effort: never rejects. */
  async function endKept(kept: readonly KeptSession[]): Promise<void> {
    for (const resume of kept) {
      const { transport, endSession } = createTransport(config, launcher, { resume });
      await transport.start().catch(() => {});
      await endSession?.().catch(() => {});
      await transport.close().catch(() => {});
    }
  }

  function track<T>(task: Promise<T>): Promise<T> {
    const forget = (): void => void work.delete(task);
    work.add(task);
    task.then(forget, forget);
    return task;
  }

  async function listOverSession(): Promise<Tool[]> {
    for (let isLast = false; ; isLast = true) {
      const { connection, giveBack } = await sessions.borrow(sessions.listingChannel());
      try {
        return await list(connection, Date.now() + startMs);
      } catch (error) {
        const gone = sessionFault(error, connection.session()?.id) !== undefined;
        await sessions.drop(connection, { gone });
        // The end of a connection, or of its session, says nothing yet about the server.
        if (isLast || !(connection.lost.aborted || gone)) throw error;
      } finally {
        giveBack();
      }
    }
  }

  async function listOverFreshConnection(): Promise<Tool[]> {
    let hasChanged = false;
    const onListChanged = (): void => void (hasChanged = true);
    const connection = await open({ auth: await authOf(undefined), limitMs: startMs, onListChanged });
    const until = Date.now() + startMs;
    try {
      const tools = await list(connection, until);
      // Some servers complete their list only after the handshake.
      return hasChanged ? await list(connection, until) : tools;
    } finally {
      release(connection);
    }
  }

  const migrations = (config.modes?.migration ?? []).map((glob) => {
    const fits = compileGlob(glob);
    return ({ id, name }: Pick<Tool, "id" | "name">): boolean => fits(name) || fits(id);
  });

  async function list(connection: Connection, until: number): Promise<Tool[]> {
    const listed = await connection.list({ timeoutMs: left(until) });
    const exposed = await connection.listExposed({ timeoutMs: left(until) });
    // A session that is taken up again does not say it once more.
    serverTitle = oneLine(hidden(connection.title() ?? serverTitle), 60);
    // A tool of the server comes before what is made of a prompt.
    const own = new Set(listed.map((tool) => tool.name));
    const unread: string[] = [];
    const read = (tool: McpTool, source?: Tool["source"]): Tool[] => {
      try {
        const shown = toTool(name, config.trust_annotations === true, masked(tool));
        const isForMigrations = saysMigration(tool) || migrations.some((fits) => fits(shown));
        const titled = {
          ...shown,
          ...(serverTitle !== "" && { serverTitle }),
          ...(isForMigrations && { mode: "migration" as const }),
          ...searchesOf(tool),
        };
        const fixed = { ...config.fixed_arguments, ...options.fixedArguments?.(shown) };
        const offered = fixArguments(hideFilled(titled, config.credentials ?? {}), fixed);
        return [{ ...offered, ...(source && { source }) }];
      } catch (error) {
        unread.push(`${hidden(tool.name).slice(0, 100)}: ${messageOf(error)}`);
        return [];
      }
    };
    const tools = [
      ...listed.flatMap((tool) => read(tool)),
      ...exposed.filter(({ tool }) => !own.has(tool.name)).flatMap(({ tool, source }) => read(tool, source)),
    ];
    const facts = { server: name, count: unread.length, tools: unread.slice(0, 20) };
    if (unread.length > 0) log.warn(facts, "tools left out: they cannot be read");
    return tools;
  }

  function masked(tool: McpTool): McpTool {
    const shown = mask?.json(tool as unknown as JsonObject) as unknown as McpTool | undefined;
    if (shown !== undefined && shown.name !== tool.name)
      throw new Error("expected a name without what the configuration keeps secret");
    return shown ?? tool;
  }

  /** Reads the list of tools with the person's account; without one that is refused. */
  async function connectAs(request: CallRequest): Promise<CallOutcome> {
    try {
      const auth = await authOf(identityOf(config, request));
      const connection = await open({ auth, limitMs: openMs, onListChanged: () => {} });
      const listed = await connection.list({ timeoutMs: openMs }).finally(() => release(connection));
      await discovery.look();
      return { ok: true, data: { connected: name, tools: listed.length } };
    } catch (error) {
      const facts = { server: name, timeoutMs: openMs, cancelled: request.signal.aborted };
      const fault = toConnectError(error, facts);
      return failed({ ...fault, message: hidden(fault.message) });
    }
  }

  let toldAt = 0;
  let isFreshening = false;
  let freshenedAt = 0;

  /** A process of ours says itself that it ended. */
  async function freshen(address: string): Promise<void> {
    isFreshening = true;
    const signal = AbortSignal.any([AbortSignal.timeout(FRESH_LIMIT_MS), stopping.signal]);
    const isThere = await accepts(new URL(address), signal);
    isFreshening = false;
    freshenedAt = Date.now();
    if (!isThere) discovery.doubt();
  }

  async function stop(): Promise<void> {
    stopping.abort(new Error("the tool box was stopped"));
    sessions.end();
    await Promise.all([daemon?.stop(), discovery.stop()]);
    while (work.size > 0) await Promise.allSettled(work);
  }

  return {
    name,
    freshen() {
      const address = config.url ?? config.sse_url;
      if (address === undefined || daemon !== undefined || isFreshening) return;
      if (discovery.status().status === "up" && Date.now() - freshenedAt > FRESH_MS)
        void track(freshen(address));
    },
    status() {
      const status = discovery.status();
      if (status.status === "starting" && doing !== "") return { ...status, doing };
      return { ...status, ...(status.error !== undefined && { error: hidden(status.error) }) };
    },
    tools: () =>
      authorised !== undefined && discovery.tools().length === 0 ? [connectTool(name)] : discovery.tools(),
    start: discovery.look,
    call: (request) => track(callTool(request, calls)),
    stop,
    async retire() {
      while (work.size > 0 && !stopping.signal.aborted) await Promise.allSettled(work);
      await stop();
    },
  };
}

/** What a tool says it searches, beside what other servers have. */
function searchesOf({ _meta: meta = {} }: McpTool): Pick<Tool, "searches"> {
  const said = meta["countersign/searches"];
  return said === "everything" || said === "code" || said === "other" ? { searches: said } : {};
}

/** The tag of a tool that is for moving things between two sites. */
function saysMigration({ _meta: meta = {} }: McpTool): boolean {
  return meta.when === "migration" || meta["countersign/when"] === "migration";
}
