import type { CallError, CallOutcome, CallRequest } from "#contract/tool.ts";

import { codeOf } from "../base/errors.ts";
import { reason, toCallError } from "./call-errors.ts";
import type { Connection } from "./connection.ts";
import { toOutcome } from "./outcome.ts";
import type { CheckOutput } from "./output-check.ts";

export interface CallContext {
  server: string;
  timeoutMs: number;
  check: CheckOutput;
  /** The tool box is being stopped. */
  stopping: AbortSignal;
}

/** Makes one call over an open connection. Never rejects. */
export async function callOver(
  connection: Connection,
  request: CallRequest,
  { server, timeoutMs, check, stopping }: CallContext,
): Promise<CallOutcome> {
  const { tool, args, onProgress } = request;
  let open = true;
  try {
    const result = await connection.call(tool, args, {
      signal: AbortSignal.any([request.signal, stopping]),
      timeoutMs,
      ...(onProgress === undefined ? {} : { onProgress: (progress) => open && onProgress(progress) }),
    });
    return toOutcome(tool, result, check);
  } catch (error) {
    const ended = [connection.lost, stopping].find((signal) => signal.aborted);
    const lost = ended?.reason as Error | undefined;
    const lostCode = codeOf(lost);
    return failed(
      toCallError(error, {
        server,
        toolName: tool.name,
        timeoutMs,
        cancelled: request.signal.aborted,
        lost: lost && { message: reason(lost), ...(lostCode === undefined ? {} : { code: lostCode }) },
      }),
    );
  } finally {
    open = false;
  }
}

export function failed(error: CallError): CallOutcome {
  return { ok: false, data: null, error };
}

/** Waits for a shared piece of work without letting one caller's abort end it for the others. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Error("stopped"));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
