import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";

import type { CallError, CallErrorCode } from "#contract/tool.ts";

import { codeOf, messageOf } from "../base/errors.ts";
import type { OutOfTime } from "./call-clock.ts";

/** What the caller knows beside the thrown error. */
export interface CallFacts {
  server: string;
  toolName: string;
  /** The limit that the call ran into. */
  outOfTime: OutOfTime | undefined;
  /** The turn was stopped. The SDK reports an abort as a timeout. */
  cancelled: boolean;
  /** The connection was given up while the call was under way, and why. */
  lost: { code?: string; message: string } | undefined;
}

/** The typed error for whatever a call on an open connection threw. */
export function toCallError(error: unknown, facts: CallFacts): CallError {
  const { server, toolName } = facts;
  const make = (code: CallErrorCode, sent: CallError["sent"], message: string): CallError => ({
    code,
    sent,
    message,
  });

  if (facts.cancelled) return make("cancelled", "maybe", `The call of ${server}.${toolName} was stopped.`);
  if (neverSent(error)) {
    return make("transport", "no", `${server} could not be reached: ${reason(error)}.`);
  }
  if (facts.lost?.code === "too_large" || causeCodes(error).includes("too_large")) {
    return make(
      "too_large",
      "yes",
      `The answer of ${server}.${toolName} is too large: ${facts.lost?.message ?? reason(error)}.`,
    );
  }
  if (error instanceof ProtocolError) {
    return make(
      "protocol",
      "yes",
      `${server} refused the call of ${toolName}: ${error.message} (code ${error.code}).`,
    );
  }
  if (error instanceof SdkHttpError) {
    const { status } = error;
    if (isSessionGone(error))
      return make("transport", "no", `${server} does not know the session any more (HTTP ${status}).`);
    if (status >= 400 && status < 500) {
      return make("protocol", "yes", `${server} refused the call of ${toolName}: ${reason(error)}.`);
    }
    return make(
      "transport",
      "maybe",
      `${server} failed with HTTP ${status} during ${toolName}: ${reason(error)}.`,
    );
  }
  if (facts.lost !== undefined || codeOf(error) === SdkErrorCode.ConnectionClosed) {
    const why = facts.lost?.message ?? "the connection closed";
    return make("transport", "maybe", `The connection to ${server} was lost during ${toolName}: ${why}.`);
  }
  if (facts.outOfTime !== undefined) {
    const { limit, ms } = facts.outOfTime;
    const what = limit === "idle" ? "gave no answer within" : "did not end within";
    return make("timeout", "maybe", `${server}.${toolName} ${what} ${seconds(ms)}; it may still be at work.`);
  }
  if (error instanceof SdkError || error instanceof SyntaxError) {
    return make(
      "protocol",
      "yes",
      `${server} answered ${toolName} with something that is not MCP: ${reason(error)}.`,
    );
  }
  return make("transport", "maybe", `The call of ${server}.${toolName} failed: ${reason(error)}.`);
}

/** The typed error for a connection that could not be opened: nothing of the call was sent. */
export function toConnectError(
  error: unknown,
  facts: { server: string; timeoutMs: number; cancelled: boolean },
): CallError {
  if (facts.cancelled)
    return { code: "cancelled", sent: "no", message: `The call of ${facts.server} was stopped.` };
  if (codeOf(error) === SdkErrorCode.RequestTimeout) {
    return {
      code: "timeout",
      sent: "no",
      message: `${facts.server} could not be reached within ${seconds(facts.timeoutMs)}.`,
    };
  }
  return {
    code: "transport",
    sent: "no",
    message: `${facts.server} could not be reached: ${reason(error)}.`,
  };
}

/**
 * The server has forgotten the session and did not take the request: 404 by the specification; many
 * servers built on the older SDK say 400 and why.
 */
export function isSessionGone(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message));
}

/** A refused or never opened connection, or a message that was not written to its end. */
function neverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const codes = causeCodes(error);
  return (
    codes.includes(SdkErrorCode.NotConnected) ||
    codes.includes(SdkErrorCode.SendFailed) ||
    error.message === "Not connected" ||
    ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"].some(
      (code) => codes.includes(code),
    )
  );
}

function causeCodes(error: unknown): string[] {
  const codes: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = codeOf(at);
    if (code !== undefined) codes.push(code);
  }
  return codes;
}

/** The innermost message: `fetch failed` alone helps nobody. */
export function reason(error: unknown): string {
  let message = messageOf(error);
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const text = at.message === "" ? (codeOf(at) ?? "") : at.message;
    if (text !== "" && !message.includes(text)) message = `${message}: ${text}`;
  }
  return message.replace(/\.$/, "").slice(0, 1_000);
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
