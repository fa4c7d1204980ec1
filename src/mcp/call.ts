import { UrlElicitationRequiredError } from "@modelcontextprotocol/client";
import type { CallToolResult } from "@modelcontextprotocol/client";

import type { CallError, CallOutcome } from "#contract/tool.ts";

import { codeOf } from "../base/errors.ts";
import { rest } from "../base/pace.ts";
import { startClock } from "./call-clock.ts";
import type { CallClock } from "./call-clock.ts";
import { reason, sessionFault, toCallError } from "./call-errors.ts";
import type { Connection } from "./connection.ts";
import { elicit } from "./elicit.ts";
import type { McpLog } from "./options.ts";
import type { OutgoingCall } from "./outgoing.ts";
import { toOutcome } from "./outcome.ts";
import type { CheckOutput } from "./output-check.ts";

export interface CallContext {
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
export async function callOver(
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
    await rest(begun);
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
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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
