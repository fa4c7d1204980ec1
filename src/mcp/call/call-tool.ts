import {
  type CallToolResult,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";

import type { CallError, CallOutcome } from "#contract/tool.ts";

import { codeOf } from "../../base/errors.ts";
import { pauseAfter } from "../../base/time.ts";
import type { McpLog } from "../config.ts";
import type { Connection } from "../connect/connection.ts";
import { type CallClock, startClock } from "../connect/open-call.ts";
import { elicit } from "../connect/questions.ts";
import type { Loan, Sessions } from "../connect/sessions.ts";
import { reason, sessionFault, toCallError, toConnectError } from "../errors.ts";
import type { OutgoingCall } from "./credentials.ts";
import { type CheckOutput, toOutcome } from "./outcome.ts";
import { createSemaphore } from "./semaphore.ts";

export interface CallsOptions {
  context: Omit<CallContext, "running">;
  /** The longest time to open a connection, in milliseconds. */
  connectMs: number;
  /** Calls at once. */
  max: number;
  /** Without them every call has a fresh connection. */
  sessions: Sessions | undefined;
  /** Names the session that a call goes over. */
  sessionOf: (request: OutgoingCall) => string;
  openFresh: (request: OutgoingCall) => Promise<Connection>;
  release: (connection: Connection) => void;
}

/** A server that is there answers a ping sooner. */
const pingMs = 2_000;
/** Answers of HTTP by which a server, or what stands before it, refuses whatever is asked of it now. */
const takesNothing = new Set([401, 403, 429, 502, 503, 504]);

/** Makes calls to one server: so many at once, each over its channel's session or a connection of its own. */
export function createCalls(options: CallsOptions): (request: OutgoingCall) => Promise<CallOutcome> {
  const { sessions, connectMs } = options;
  const context: CallContext = { ...options.context, running: new Set() };
  const { server, running, stopping } = context;
  const gate = createSemaphore(options.max);
  let knowsPings = true;
  stopping.addEventListener("abort", () => running.forEach((clock) => clock.end()), { once: true });

  async function overSession(request: OutgoingCall, pool: Sessions): Promise<CallOutcome> {
    const channel = options.sessionOf(request);
    for (let last = false; ; last = true) {
      request.signal.throwIfAborted();
      // Most calls find their session open; waiting for what is there would cost each of them.
      const loan = pool.lendOpen(channel) ?? (await waitFor(pool.borrow(channel), request.signal));
      const { connection } = loan;
      try {
        if (request.repeatable !== true && !(await isReady(connection, request.signal, last))) {
          await pool.drop(connection, { gone: true });
          continue;
        }
        const { outcome, session } = await callOver(connection, request, context);
        const { error } = outcome;
        const wasNeverSent = error?.code === "transport" && error.sent === "no";
        if (wasNeverSent || session !== undefined)
          await pool.drop(connection, { gone: session !== undefined });
        // Made again, and only once: what certainly never arrived, and a read that the server says it did not take.
        const isForgotten = session === "forgotten" && request.repeatable === true;
        if (last || !(wasNeverSent || isForgotten)) return outcome;
      } finally {
        loan.giveBack();
      }
    }
  }

  /**
   * Whether a change may go over a session. An answer of HTTP to the change itself would not tell whether it was
   * made, so the server is asked for something harmless first: whether it still knows the session, and takes
   * what it is authorised with. Rejects where it takes nothing now.
   */
  async function isReady(connection: Connection, signal: AbortSignal, isNew: boolean): Promise<boolean> {
    const id = connection.session()?.id;
    if (id === undefined || !knowsPings) return true;
    try {
      await connection.ping({ timeoutMs: Math.min(pingMs, connectMs), signal });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (codeOf(error) === SdkErrorCode.RequestTimeout && !connection.lost.aborted) {
        // One that does other work first is there. Any other has to begin a session, and is there if it does.
        if (isNew) knowsPings = false;
        return isNew || running.size > 0;
      }
      if (error instanceof SdkHttpError && !takesNothing.has(error.status)) {
        // Of a session that has just begun it only says that the server knows of no pings.
        return isNew || sessionFault(error, id) === undefined;
      }
      if (isNew || error instanceof SdkHttpError || error instanceof UnauthorizedError) throw error;
      return false;
    }
  }

  async function waitFor(borrowing: Promise<Loan>, signal: AbortSignal): Promise<Loan> {
    return orAbort(borrowing, signal).catch((error: unknown) => {
      void borrowing.then(
        (late) => late.giveBack(),
        () => {},
      );
      throw error;
    });
  }

  async function overFreshConnection(request: OutgoingCall): Promise<CallOutcome> {
    const opening = options.openFresh(request);
    const connection = await orAbort(opening, request.signal).catch((error: unknown) => {
      void opening.then(options.release, () => {});
      throw error;
    });
    try {
      return (await callOver(connection, request, context)).outcome;
    } finally {
      options.release(connection);
    }
  }

  return async (request) => {
    const cancelled = (): boolean => request.signal.aborted;
    let leave: (() => void) | undefined;
    try {
      leave = gate.tryEnter() ?? (await gate.enter(request.signal, context.idleMs));
      // A session belongs to many turns; headers made of one turn's credentials are for that turn alone.
      const isOwn = request.injected !== undefined && Object.keys(request.injected.headers).length > 0;
      return await (sessions === undefined || isOwn
        ? overFreshConnection(request)
        : overSession(request, sessions));
    } catch (error) {
      if (codeOf(error) === "busy") {
        const message = `${server} is busy: ${options.max} calls are under way and none ended in time. Try again later.`;
        return failed({ code: "timeout", sent: "no", message });
      }
      return failed(toConnectError(error, { server, timeoutMs: connectMs, cancelled: cancelled() }));
    } finally {
      leave?.();
    }
  };
}

interface CallContext {
  server: string;
  /** The longest silence and the longest duration of a call, in milliseconds. */
  idleMs: number;
  totalMs: number;
  /** How long a person may take to answer, in milliseconds. */
  questionMs: number;
  check: CheckOutput;
  log: McpLog;
  /** The tool box is being stopped; `running` are ended then. */
  stopping: AbortSignal;
  /** The calls under way: one listener for all of them costs each of them less than its own. */
  running: Set<CallClock>;
}

/** Makes one call over an open connection. Never rejects. */
async function callOver(
  connection: Connection,
  request: OutgoingCall,
  context: CallContext,
): Promise<{ outcome: CallOutcome; session?: ReturnType<typeof sessionFault> }> {
  const { server, check, stopping, running } = context;
  const { tool } = request;
  const clock = startClock(context);
  running.add(clock);
  clock.heed(request.signal);
  if (stopping.aborted) clock.end();
  try {
    const result = await callWithLinks(connection, request, clock, context);
    const begun = performance.now();
    const outcome = toOutcome(tool, result, check);
    await pauseAfter(begun);
    return { outcome };
  } catch (error) {
    const ended = [connection.lost, stopping].find((signal) => signal.aborted);
    const lost = ended?.reason as Error | undefined;
    const lostCode = codeOf(lost);
    const outcome = failed(
      toCallError(error, {
        server,
        toolName: tool.name,
        wasHeard: clock.wasTouched(),
        outOfTime: clock.outOfTime(),
        askedTooMuch: clock.askedTooMuch(),
        cancelled: request.signal.aborted,
        lost: lost && { message: reason(lost), ...(lostCode === undefined ? {} : { code: lostCode }) },
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
async function callWithLinks(
  connection: Connection,
  request: OutgoingCall,
  clock: CallClock,
  { server, questionMs, log }: CallContext,
): Promise<CallToolResult> {
  const { tool, args, onProgress, ask, sample, injected } = request;
  let open = true;
  const make = (): Promise<CallToolResult> =>
    connection.call(tool, args, {
      clock,
      ask,
      sample,
      injected,
      ...(onProgress === undefined ? {} : { onProgress: (progress) => open && onProgress(progress) }),
    });
  try {
    return await make();
  } catch (error) {
    const links = linksOf(error);
    if (links === undefined || ask === undefined) throw error;
    // No call is under way meanwhile that a lost connection would end.
    clock.heed(connection.lost);
    const call = { toolId: tool.id, clock, ask, sample, signal: clock.signal };
    for (const link of links) {
      const { action } = await elicit(link, call, clock.signal, { server, log, ttlMs: questionMs });
      if (action !== "accept") throw error;
    }
    return await make();
  } finally {
    open = false;
  }
}

function linksOf(error: unknown): UrlElicitationRequiredError["elicitations"] | undefined {
  if (!(error instanceof UrlElicitationRequiredError)) return undefined;
  return error.elicitations.length === 0 ? undefined : error.elicitations;
}

export function failed(error: CallError): CallOutcome {
  return { ok: false, data: null, error };
}

/** Waits for a shared piece of work without letting one caller's abort end it for the others. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Error("stopped"));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
