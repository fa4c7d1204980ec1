import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";

import type { CallError, CallErrorCode } from "#contract/tool.ts";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { toolWords } from "../base/tool-words.ts";
import { en } from "../base/words/en.ts";
import { mostQuestions } from "./limits.ts";

/** What the caller knows beside the thrown error. */
export interface CallFacts {
  server: string;
  toolName: string;
  /** The server said something in the middle of the call: a progress, or that it needs more for it. */
  wasHeard: boolean;
  /** The limit that the call ran into. */
  outOfTime: { limit: "idle" | "total"; ms: number } | undefined;
  /** The server asked more than is put to people in one call, which ended it. */
  askedTooMuch: boolean;
  /** The turn was stopped. The SDK reports an abort as a timeout. */
  cancelled: boolean;
  /** The connection was given up while the call was under way, and why. */
  lost: { code?: string | undefined; message: string } | undefined;
}

/** The typed error for whatever a call on an open connection threw. */
export function toCallError(error: unknown, facts: CallFacts): CallError {
  const { server, lost, outOfTime } = facts;
  const what = `“${toolWords(facts.toolName)}”`;
  const fault = (code: CallErrorCode, sent: CallError["sent"], message: string): CallError => ({
    code,
    sent,
    message,
  });

  if (facts.cancelled) return fault("cancelled", "maybe", en.recorded.wasStopped(what));
  if (facts.askedTooMuch) {
    const message = `${server} asked more than ${mostQuestions} questions during ${what}, so the call was ended; what it had done by then is not known.`;
    return fault("protocol", "maybe", message);
  }
  if (!facts.wasHeard && neverSent(error))
    return fault("transport", "no", en.recorded.couldNotReach(server, reason(error)));
  // Not read to its end, so whether it was a result is not known.
  if (lost?.code === "too_large" || causeCodes(error).includes("too_large")) {
    const why = lost?.message ?? reason(error);
    return fault("too_large", "maybe", `The answer of ${server} to ${what} is too large: ${why}.`);
  }
  if (error instanceof ProtocolError) {
    const message = `${server} refused ${what}: ${error.message} (code ${error.code}).`;
    return fault("protocol", "yes", message);
  }
  if (error instanceof SdkHttpError) {
    const { status } = error;
    // The server or a proxy before it gave it, and does not say what the tool had done by then.
    const code = status >= 400 && status < 500 ? "protocol" : "transport";
    const message = `${server} answered ${what} with HTTP ${status}: ${reason(error)}.`;
    return fault(code, "maybe", message);
  }
  if (lost !== undefined || codeOf(error) === SdkErrorCode.ConnectionClosed) {
    const why = lost?.message ?? en.recorded.connectionClosed();
    return fault("transport", "maybe", en.recorded.stoppedResponding(server, what, why));
  }
  if (outOfTime !== undefined) {
    const { noAnswerWithin, notEndedWithin } = en.recorded;
    const late = outOfTime.limit === "idle" ? noAnswerWithin : notEndedWithin;
    const message = late(what, server, seconds(outOfTime.ms));
    return fault("timeout", "maybe", message);
  }
  if (error instanceof SdkError || error instanceof SyntaxError) {
    const message = `${server} answered ${what} with something that is not MCP: ${reason(error)}.`;
    return fault("protocol", "maybe", message);
  }
  return fault("transport", "maybe", `${what} of ${server} failed: ${reason(error)}.`);
}

/** The typed error for a connection that could not be opened: nothing of the call was sent. */
export function toConnectError(
  error: unknown,
  { server, timeoutMs, cancelled }: { server: string; timeoutMs: number; cancelled: boolean },
): CallError {
  if (cancelled)
    return { code: "cancelled", sent: "no", message: en.recorded.wasStopped(`The call of ${server}`) };
  const { couldNotReach, couldNotReachWithin } = en.recorded;
  return {
    code: isLate(error) ? "timeout" : "transport",
    sent: "no",
    message: isLate(error)
      ? couldNotReachWithin(server, seconds(limitOf(error) ?? timeoutMs))
      : couldNotReach(server, reason(error)),
  };
}

/** Whether the server did not answer in time. */
export function isLate(error: unknown): boolean {
  return codeOf(error) === SdkErrorCode.RequestTimeout;
}

/** The time that was given to it, in milliseconds, where the error says so. */
function limitOf(error: unknown): number | undefined {
  const said: unknown = error instanceof CountersignError ? error.details : undefined;
  return isObject(said) && typeof said.timeout === "number" ? said.timeout : undefined;
}

/**
 * What an answer says of the session that a request was sent with. `forgotten`: 404, by which a server says
 * that it did not take the request, as the session is over. `refused`: 400, by which many older servers say
 * the same; but they say so of anything that went wrong.
 */
export function sessionFault(
  error: unknown,
  session: string | undefined,
): "forgotten" | "refused" | undefined {
  if (session === undefined || !(error instanceof SdkHttpError)) return undefined;
  if (error.status === 404) return "forgotten";
  return error.status === 400 ? "refused" : undefined;
}

const connectCodes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];
/** An open connection may end with these as well, after the request was written. */
const routeCodes = ["EHOSTUNREACH", "ENETUNREACH"];

/** A refused or never opened connection, or a message that was not written to its end. */
function neverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const codes = causeCodes(error);
  return (
    codes.includes(SdkErrorCode.NotConnected) ||
    codes.includes(SdkErrorCode.SendFailed) ||
    error.message === "Not connected" ||
    connectCodes.some((code) => codes.includes(code)) ||
    (routeCodes.some((code) => codes.includes(code)) && !causes(error).some(isOfOpenSocket))
  );
}

function isOfOpenSocket(error: Error): boolean {
  return "syscall" in error && (error.syscall === "read" || error.syscall === "write");
}

function causes(error: unknown): Error[] {
  const all: Error[] = [];
  for (let at = error; at instanceof Error && all.length < 5; at = at.cause) all.push(at);
  return all;
}

function causeCodes(error: unknown): string[] {
  return causes(error).flatMap((one) => codeOf(one) ?? []);
}

/** The messages of an error and its causes: `fetch failed` alone says too little. */
export function reason(error: unknown): string {
  let message = wordsOf(error);
  for (const at of causes(error)) {
    const text = at.message === "" ? (codeOf(at) ?? "") : wordsOf(at);
    if (text !== "" && !message.includes(text)) message = `${message}: ${text}`;
  }
  return message.replace(/\.$/, "").slice(0, 1_000);
}

/** What reads messages does so by recursion, and ends on one that nests some thousand levels. */
function wordsOf(error: unknown): string {
  const isTooDeep = error instanceof RangeError && error.message.includes("call stack");
  return isTooDeep ? "what it sent nests too deeply to be read" : messageOf(error);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
