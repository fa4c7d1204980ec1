import type { CallOutcome, CallRequest, ServerStatus, Tool } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import { backoff } from "./backoff.ts";
import { isSessionGone, toConnectError } from "./call-errors.ts";
import { failed } from "./call.ts";
import { createCalls } from "./calls.ts";
import { toTool } from "./catalogue.ts";
import type { Connection } from "./connection.ts";
import { createDaemon } from "./daemon.ts";
import type { Launcher } from "./launcher.ts";
import { createOpener, left, serverKey } from "./opener.ts";
import type { OpenOptions } from "./opener.ts";
import type { McpLog, McpServerConfig, SessionRecords, VerdictStore } from "./options.ts";
import type { CheckOutput } from "./output-check.ts";
import { createSessionKeeper } from "./session-keeper.ts";
import { commonChannel, createSessions } from "./sessions.ts";
import { createTransport } from "./transports.ts";

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
  log: McpLog;
  check: CheckOutput;
  discoveryTimeoutMs: number;
  retry: { minMs: number; maxMs: number };
  verdicts: VerdictStore | undefined;
  sessions: SessionRecords | undefined;
  /** Called when the tools or the status changed; must not throw. */
  onChange: () => void;
}

/** Losses that lie further apart than this do not add up to a longer back-off. */
const soundMs = 60_000;
const listChangedMs = 100;
/** Servers are listed anew after this time, because not all of them tell of changes. */
const refreshMs = 5 * 60_000;

/** So many failures in a row open the circuit. */
const breakerFailures = 5;
/** A call that reports progress may last this many times its time limit. */
const patience = 20;

export function createServer(options: ManagedServerOptions): ManagedServer {
  const { config, log, launcher } = options;
  const { name } = config;
  const persistent = config.use_persistent_session === true;
  const timeoutMs = config.timeout_ms ?? 60_000;
  // The launch of a server is no silence of a call.
  const connectMs = persistent ? options.discoveryTimeoutMs : Math.max(timeoutMs, options.discoveryTimeoutMs);
  const stopping = new AbortController();
  /** Calls and closings under way. */
  const work = new Set<Promise<unknown>>();
  const daemon =
    config.command !== undefined && (config.url !== undefined || config.sse_url !== undefined)
      ? createDaemon(config, launcher, (why) => lostServer(why))
      : undefined;
  const opener = createOpener({
    config,
    version: options.version,
    launcher,
    log,
    signal: stopping.signal,
    verdicts: options.verdicts,
  });
  const idleMs = config.session_idle ?? 10 * 60_000;
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
    onLost: lostServer,
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
      questionMs: config.question_timeout ?? 10 * 60_000,
      check: options.check,
      log,
      stopping: stopping.signal,
    },
    connectMs,
    max: config.max_calls ?? 16,
    sessions: persistent ? sessions : undefined,
    shared,
    openFresh: () =>
      open({
        until: Date.now() + connectMs,
        // Over stdio a changed list dies with the process; a server that lives on is listed again.
        onListChanged: overStdio ? () => {} : () => schedule(listChangedMs),
      }),
    release,
  });

  let tools: Tool[] = [];
  let state: ServerStatus["status"] = "connecting";
  let fault: string | undefined;
  let failures = 0;
  let lostAt = 0;
  let discovering: Promise<void> | undefined;
  let trying = false;
  let again = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = 0;

  const discoveryEnd = (): number => Date.now() + options.discoveryTimeoutMs;

  async function open(options: OpenOptions): Promise<Connection> {
    await daemon?.ensure(left(options.until));
    return opener.open(options);
  }

  /** A channel's session, taken up from the store where another process began it. */
  async function openFor(channel: string): Promise<Connection> {
    const resume = await keeper.find(channel);
    const connection = await open({
      until: discoveryEnd(),
      onListChanged: () => schedule(listChangedMs),
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
    for (const session of await keeper.takeUnused(idleMs)) {
      const { transport, endSession } = createTransport(config, launcher, session);
      await transport.start().catch(() => {});
      await endSession().catch(() => {});
      await transport.close().catch(() => {});
    }
  }

  function track<T>(task: Promise<T>): Promise<T> {
    work.add(task);
    return task.finally(() => work.delete(task));
  }

  function discover(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // Whatever made somebody look again may have come too late for the look under way.
    again = discovering !== undefined;
    discovering ??= discoverOnce().finally(() => {
      discovering = undefined;
      if (again) schedule(listChangedMs);
    });
    return discovering;
  }

  async function discoverOnce(): Promise<void> {
    trying = true;
    try {
      await (persistent ? listOverSession(discoveryEnd()) : listOverFreshConnection(discoveryEnd()));
    } catch (error) {
      trying = false;
      if (!stopping.signal.aborted) isDown(error);
      return;
    }
    trying = false;
    if (stopping.signal.aborted) return;
    if (state !== "up") log.info({ server: name, tools: tools.length }, "server is up");
    if (Date.now() - lostAt > soundMs) failures = 0;
    setState("up");
    schedule(refreshMs);
    void track(endUnused());
  }

  async function listOverSession(until: number): Promise<void> {
    for (let last = false; ; last = true) {
      const { connection, giveBack } = await sessions.borrow(sessions.listingChannel());
      try {
        tools = await list(connection, until);
        return;
      } catch (error) {
        const gone = isSessionGone(error);
        await sessions.drop(connection, { gone });
        // The end of a connection, or of its session, says nothing yet about the server.
        if (last || !(connection.lost.aborted || gone)) throw error;
      } finally {
        giveBack();
      }
    }
  }

  async function listOverFreshConnection(until: number): Promise<void> {
    let changed = false;
    const onListChanged = (): void => void (changed = true);
    const connection = await open({ until, onListChanged });
    try {
      tools = await list(connection, until);
      // Some servers complete their list only after the handshake.
      if (changed) tools = await list(connection, until);
    } finally {
      release(connection);
    }
  }

  async function list(connection: Connection, until: number): Promise<Tool[]> {
    const listed = await connection.list({ timeoutMs: left(until) });
    return listed.flatMap((tool) => {
      try {
        return toTool(name, config.trust_annotations === true, tool);
      } catch (error) {
        log.warn(
          { server: name, tool: tool.name, error: messageOf(error) },
          "tool left out: it cannot be read",
        );
        return [];
      }
    });
  }

  function isDown(error: unknown): void {
    const facts = { server: name, timeoutMs: options.discoveryTimeoutMs, cancelled: false };
    const { message } = toConnectError(error, facts);
    failures += 1;
    const delayMs = backoff(failures, options.retry);
    log.warn({ server: name, error: message, retryInMs: Math.round(delayMs) }, "server is down");
    schedule(delayMs);
    setState("retrying", message);
  }

  function setState(next: ServerStatus["status"], error?: string): void {
    state = next;
    fault = error;
    options.onChange();
  }

  /** Plans the next look; the sooner of two plans counts. */
  function schedule(delayMs: number): void {
    const at = Date.now() + delayMs;
    if (stopping.signal.aborted || (timer !== undefined && timerAt <= at)) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => void discover(), delayMs);
  }

  /** A server or its connection ended by itself: look soon, and later if that happens again and again. */
  function lostServer(why: string): void {
    if (stopping.signal.aborted) return;
    failures = Date.now() - lostAt > soundMs ? 1 : failures + 1;
    lostAt = Date.now();
    const delayMs = backoff(failures, options.retry);
    log.warn({ server: name, error: why, retryInMs: Math.round(delayMs) }, "server connection lost");
    schedule(delayMs);
  }

  /** See ServerStatus.circuit. */
  function circuit(): Pick<ServerStatus, "circuit"> | undefined {
    if (state !== "retrying" || failures < breakerFailures) return undefined;
    if (trying) return { circuit: { state: "half_open", failures } };
    return { circuit: { state: "open", failures, ...(timer === undefined ? {} : { retryAt: timerAt }) } };
  }

  async function call(request: CallRequest): Promise<CallOutcome> {
    if (request.signal.aborted || stopping.signal.aborted) {
      return failed({
        code: "cancelled",
        sent: "no",
        message: `The call of ${request.tool.id} was stopped.`,
      });
    }
    if (state === "retrying") {
      // Somebody needs it now, so the next try need not wait for the back-off; unless it has failed
      // so often that trying is a burden of its own.
      if (circuit() === undefined) schedule(0);
      return failed({
        code: "server_down",
        sent: "no",
        message: `The server ${name} is down: ${fault ?? "unknown"}`,
      });
    }
    const outcome = await makeCall(request);
    const { error } = outcome;
    if (error === undefined) failures = 0;
    // A server that keeps silent, cannot be reached or refuses a tool it listed deserves another look.
    const doubtful = error?.sent === "no" && error.code !== "cancelled";
    if (doubtful || error?.code === "protocol" || error?.code === "timeout") schedule(0);
    return outcome;
  }

  return {
    name,
    status: () => ({
      name,
      status: state,
      tools: tools.length,
      ...(fault === undefined ? {} : { error: fault }),
      ...circuit(),
    }),
    tools: () => tools,
    start: discover,
    call: (request) => track(call(request)),
    async stop() {
      stopping.abort(new Error("the tool box was stopped"));
      clearTimeout(timer);
      sessions.end();
      await Promise.all([daemon?.stop(), discovering]);
      while (work.size > 0) await Promise.allSettled(work);
      setState("stopped");
    },
  };
}
