import {
  type CallToolResult,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";

import type { CallError, CallOutcome, CallRequest, Tool } from "#contract/tool.ts";

import { codeOf } from "../../base/errors.ts";
import { pauseAfter } from "../../base/time.ts";
import { en } from "../../base/words/en.ts";
import type { Discovery } from "../catalogue/discovery.ts";
import { type Connection, orAbort } from "../connect/connection.ts";
import { CallClock } from "../connect/open-call.ts";
import { elicit } from "../connect/questions.ts";
import type { Loan, Sessions } from "../connect/sessions.ts";
import { reason, sessionFault, toCallError, toConnectError } from "../errors.ts";
import type { McpLog } from "../ports.ts";
import type { AuthorisedCalls } from "./authorise.ts";
import type { FillIn, OutgoingCall } from "./credentials.ts";
import { maskOutcome } from "./masking.ts";
import { type CheckOutput, toOutcome } from "./outcome.ts";
import type { Semaphore } from "./semaphore.ts";

/** What the calls to one server need of it. */
export interface CallContext {
  server: string;
  discovery: Pick<Discovery, "tools" | "status" | "doubt" | "worked">;
  /** Undefined where the server wants no account. */
  authorised: AuthorisedCalls | undefined;
  /** Reads the list of tools with the caller's account, for a server that has told no tools yet. */
  connectAs: (request: CallRequest) => Promise<CallOutcome>;
  fillIn: FillIn;
  /** A text without the secrets that the configuration gives the server. */
  hidden: (text: string) => string;
  places: Semaphore;
  /** Without them every call has a fresh connection. */
  sessions: Sessions | undefined;
  /** Names the session that a call goes over. */
  sessionOf: (request: OutgoingCall) => string;
  openFresh: (request: OutgoingCall) => Promise<Connection>;
  release: (connection: Connection) => void;
  /** The longest time to open a connection, in milliseconds, where its error does not say it. */
  connectMs: number;
  /** Tells what the server writes while it starts. Returns what takes the listener off again. */
  onOutput: (hear: (line: string) => void) => () => void;
  /** The longest silence and the longest duration of a call, in milliseconds. */
  idleMs: number;
  totalMsOf: (tool: Tool) => number;
  /** How long a person may take to answer, in milliseconds. */
  questionMs: number;
  check: CheckOutput;
  log: McpLog;
  /** The tool box is being stopped; `running` are ended then. */
  stopping: AbortSignal;
  /** The calls under way: one listener for all of them costs each of them less than its own. */
  running: Set<CallClock>;
  /** Whether the server answers pings; cleared by the first call that finds that it does not. */
  knowsPings: boolean;
}

/** Most connections are open sooner: nobody need read of them. */
const slowStartMs = 2_000;
/** A server that is there answers a ping sooner. */
const pingMs = 2_000;
/** Answers of HTTP by which a server, or a proxy before it, refuses whatever is asked of it now. */
const takesNothing = new Set([401, 403, 429, 502, 503, 504]);

/** Makes one call to a server, step by step. Never rejects. */
export async function callTool(request: CallRequest, context: CallContext): Promise<CallOutcome> {
  // 1. Refuse what cannot be made now: the call was stopped, or the server is down.
  const refusal = whyNotNow(request, context);
  if (refusal !== undefined) return failed(refusal);

  // 2. Have an account: where the server wants one, its person is given the link, and the rest is made again.
  if (isWithoutTools(context)) return withAccount(request, context, () => context.connectAs(request));
  const outcome = await withAccount(request, context, async () => {
    // 3. Fill in the turn's credentials; from here on what is secret is masked in all that comes back.
    const filled = context.fillIn(request);
    if (!filled.ok) return failed({ code: "refused", sent: "no", message: filled.message });

    // 4. Wait for a place among the server's calls.
    const outcome = await withPlace(filled.request, context, () =>
      // 5. Have a connection: the channel's session, or one of the call's own.
      withConnection(filled.request, context, (connection) =>
        // 6. Send it. Its clock runs, the server's questions go to people, its answer becomes an outcome.
        send(connection, filled.request, context),
      ),
    );
    return filled.mask === undefined ? outcome : maskOutcome(outcome, filled.mask);
  });

  // 7. A failure that says something about the server has it looked at.
  noteOutcome(outcome, context);
  return outcome;
}

function whyNotNow({ tool, signal }: CallRequest, context: CallContext): CallError | undefined {
  const { server, discovery, stopping, hidden } = context;
  if (signal.aborted || stopping.aborted)
    return { code: "cancelled", sent: "no", message: `The call of ${tool.id} was stopped.` };
  const { status, error = "unknown" } = discovery.status();
  if (status !== "retrying" || isWithoutTools(context)) return undefined;
  // Somebody needs it now, so the next try need not wait for the back-off.
  discovery.doubt();
  return { code: "server_down", sent: "no", message: en.recorded.serverIsDown(server, hidden(error)) };
}

/** A server that wants an account tells nothing without one. */
function isWithoutTools({ authorised, discovery }: CallContext): boolean {
  return authorised !== undefined && discovery.tools().length === 0;
}

function withAccount(
  request: CallRequest,
  { authorised }: CallContext,
  make: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  return authorised === undefined ? make() : authorised.call(request, make);
}

async function withPlace(
  { signal, actor, channel }: OutgoingCall,
  { server, places, idleMs, connectMs }: CallContext,
  make: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  let leave: (() => void) | undefined;
  try {
    leave = await places.enter(signal, idleMs, actor && { person: actor, channel });
    return await make();
  } catch (error) {
    if (codeOf(error) === "busy") {
      const message = en.recorded.serverIsBusy(server, String(places.size));
      return failed({ code: "timeout", sent: "no", message });
    }
    return failed(toConnectError(error, { server, timeoutMs: connectMs, cancelled: signal.aborted }));
  } finally {
    leave?.();
  }
}

/** Sends over a connection. `session`: what the answer says of the connection's session. Never rejects. */
type Send = (
  connection: Connection,
) => Promise<{ outcome: CallOutcome; session?: ReturnType<typeof sessionFault> }>;

/** Rejects where no connection could be had: nothing of the call was sent then. */
function withConnection(request: OutgoingCall, context: CallContext, send: Send): Promise<CallOutcome> {
  // A session belongs to many turns; headers made of one turn's credentials are for that turn alone.
  const isOwn = Object.keys(request.injected?.headers ?? {}).length > 0;
  return context.sessions === undefined || isOwn
    ? overFreshConnection(request, context, send)
    : overSession(request, context, context.sessions, send);
}

async function overFreshConnection(
  request: OutgoingCall,
  context: CallContext,
  send: Send,
): Promise<CallOutcome> {
  const { openFresh, release } = context;
  const opening = openFresh(request);
  const waiting = orAbort(opening, request.signal);
  const connection = await tellingOfStart(waiting, request, context).catch((error: unknown) => {
    void opening.then(release, () => {});
    throw error;
  });
  try {
    return (await send(connection)).outcome;
  } finally {
    release(connection);
  }
}

async function overSession(
  request: OutgoingCall,
  context: CallContext,
  sessions: Sessions,
  send: Send,
): Promise<CallOutcome> {
  const channel = context.sessionOf(request);
  for (let isLast = false; ; isLast = true) {
    request.signal.throwIfAborted();
    // Most calls find their session open; waiting for what is there would cost each of them.
    const loan =
      sessions.lendOpen(channel) ??
      (await tellingOfStart(borrow(sessions, channel, request.signal), request, context));
    const { connection } = loan;
    try {
      if (request.repeatable !== true && !(await isReady(connection, request.signal, isLast, context))) {
        await sessions.drop(connection, { gone: true });
        continue;
      }
      const { outcome, session } = await send(connection);
      const { error } = outcome;
      const wasNeverSent = error?.code === "transport" && error.sent === "no";
      if (wasNeverSent || session !== undefined)
        await sessions.drop(connection, { gone: session !== undefined });
      // Made again, and only once: what certainly never arrived, and a read that the server says it did not take.
      const isForgotten = session === "forgotten" && request.repeatable === true;
      if (isLast || !(wasNeverSent || isForgotten)) return outcome;
    } finally {
      loan.giveBack();
    }
  }
}

/** A server that has to start first, and takes its time, is told to the person as what the call does. */
async function tellingOfStart<Result>(
  opening: Promise<Result>,
  { onProgress }: OutgoingCall,
  { server, onOutput }: CallContext,
): Promise<Result> {
  let isSlow = false;
  let last = "";
  const tell = (): void => onProgress?.({ message: `Starting ${server}${last === "" ? "" : `: ${last}`}` });
  const timer = setTimeout(() => {
    isSlow = true;
    tell();
  }, slowStartMs);
  const deafen = onOutput((line) => {
    last = line;
    if (isSlow) tell();
  });
  try {
    return await opening;
  } finally {
    clearTimeout(timer);
    deafen();
  }
}

function borrow(sessions: Sessions, channel: string, signal: AbortSignal): Promise<Loan> {
  const borrowing = sessions.borrow(channel);
  return orAbort(borrowing, signal).catch((error: unknown) => {
    void borrowing.then(
      (late) => late.giveBack(),
      () => {},
    );
    throw error;
  });
}

/**
 * Whether a change may go over a session. An answer of HTTP to the change itself would not tell whether it was
 * made, so a ping asks first whether the server still knows the session and takes its authorisation. Rejects
 * where the server takes nothing now.
 */
async function isReady(
  connection: Connection,
  signal: AbortSignal,
  isNew: boolean,
  context: CallContext,
): Promise<boolean> {
  const id = connection.session()?.id;
  if (id === undefined || !context.knowsPings) return true;
  try {
    await connection.ping({ timeoutMs: Math.min(pingMs, context.connectMs), signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (codeOf(error) === SdkErrorCode.RequestTimeout && !connection.lost.aborted) {
      // One that does other work first is there. Any other has to begin a session, and is there if it does.
      if (isNew) context.knowsPings = false;
      return isNew || context.running.size > 0;
    }
    if (error instanceof SdkHttpError && !takesNothing.has(error.status)) {
      // Of a session that has just begun it only says that the server knows of no pings.
      return isNew || sessionFault(error, id) === undefined;
    }
    if (isNew || error instanceof SdkHttpError || error instanceof UnauthorizedError) throw error;
    return false;
  }
}

async function send(connection: Connection, request: OutgoingCall, context: CallContext): ReturnType<Send> {
  const { server, check, stopping, running, idleMs, totalMsOf } = context;
  const { tool } = request;
  const clock = new CallClock({ idleMs, totalMs: totalMsOf(tool) });
  running.add(clock);
  clock.heed(request.signal);
  if (stopping.aborted) clock.end();
  try {
    const result = await sendWithLinks(connection, request, clock, context);
    const begun = performance.now();
    const outcome = toOutcome(tool, result, check);
    await pauseAfter(begun);
    return { outcome };
  } catch (error) {
    const ended = [connection.lost, stopping].find((signal) => signal.aborted);
    const lost = ended?.reason as Error | undefined;
    const outcome = failed(
      toCallError(error, {
        server,
        toolName: tool.name,
        wasHeard: clock.wasTouched(),
        outOfTime: clock.outOfTime(),
        askedTooMuch: clock.askedTooMuch(),
        cancelled: request.signal.aborted,
        lost: lost && { message: reason(lost), code: codeOf(lost) },
      }),
    );
    return { outcome, session: sessionFault(error, connection.session()?.id) };
  } finally {
    running.delete(clock);
    clock.stop();
  }
}

/**
 * A server of the 2025-11-25 revision may refuse a call until a page was opened (error -32042): the
 * person is asked to, and the call, which was not made, is made once more.
 */
async function sendWithLinks(
  connection: Connection,
  request: OutgoingCall,
  clock: CallClock,
  { server, questionMs, log }: CallContext,
): Promise<CallToolResult> {
  const { tool, onProgress, ask, sample } = request;
  let isOpen = true;
  const sendOnce = (): Promise<CallToolResult> =>
    connection.call({ ...request, clock, onProgress: (progress) => isOpen && onProgress?.(progress) });
  try {
    return await sendOnce();
  } catch (error) {
    const links = error instanceof UrlElicitationRequiredError ? error.elicitations : [];
    if (links.length === 0 || ask === undefined) throw error;
    // No call is under way meanwhile that a lost connection would end.
    clock.heed(connection.lost);
    const call = { toolId: tool.id, clock, ask, sample, signal: clock.signal };
    for (const link of links) {
      const { action } = await elicit(link, call, clock.signal, { server, log, ttlMs: questionMs });
      if (action !== "accept") throw error;
    }
    return await sendOnce();
  } finally {
    isOpen = false;
  }
}

/** A server that keeps silent, cannot be reached or refuses a tool it listed deserves another look. */
function noteOutcome({ error }: CallOutcome, { discovery }: CallContext): void {
  if (error === undefined) discovery.worked();
  const isDoubtful = error?.sent === "no" && error.code !== "cancelled";
  if (isDoubtful || error?.code === "protocol" || error?.code === "timeout") discovery.doubt();
}

export function failed(error: CallError): CallOutcome {
  return { ok: false, data: null, error };
}
