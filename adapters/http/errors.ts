import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { JsonValue } from "#contract/json.ts";
import { codeOf, fieldsOf } from "#src/base/errors.ts";

/** An error that knows its HTTP status. `details` and `headers` go out with it. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly details: JsonValue | undefined;
  readonly headers: Record<string, string>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    more: { details?: JsonValue; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }
}

/** 400: a field of the request is not as it should be. */
export function badField(field: string, message: string): ApiError {
  return new ApiError(400, "bad_request", `${field}: ${message}`, { details: { field } });
}

/** 404: no such id, or none that the requester may see. */
export function notFound(
  what: "turn" | "approval" | "question" | "file" | "session" | "result",
  id: string,
): ApiError {
  return new ApiError(404, "not_found", `${what}_id: no ${what} ${JSON.stringify(id.slice(0, 80))}`);
}

/** The body of every error answer. */
export function errorForm(
  code: string,
  message: string,
  details?: JsonValue,
): { error: { code: string; message: string; details?: JsonValue } } {
  return { error: { code, message, ...(details === undefined ? {} : { details }) } };
}

/** HTTP status by error code of the core; any other code is our own fault: 500. */
const CODES: readonly (readonly [ContentfulStatusCode, readonly string[]])[] = [
  [400, ["bad_request", "reason_required", "bad_args"]],
  [403, ["denied_by_policy", "privacy_configured", "not_eligible", "authorization_refused"]],
  [404, ["unknown_state", "not_found", "unknown_key"]],
  [409, ["authorization_failed", "site_refused", "already_connected", "already_decided", "already_answered"]],
  [409, ["not_pending", "not_unknown", "grant_refused", "no_lookup", "expired", "void", "superseded"]],
  [409, ["stopped", "model_stopped", "undecided", "busy"]],
  [413, ["too_large"]],
  [429, ["rate_limited"]],
  [503, ["model_unreachable", "model_timeout", "model_not_found", "model_failed", "plan_invalid"]],
  [503, ["not_ready", "stopping", "server_down", "not_offered"]],
  [503, ["store_full", "store_read_only", "store_busy", "store_damaged", "store_lost"]],
  [503, ["store_unreachable", "store_failed"]],
];

export function statusOfCode(code: string): ContentfulStatusCode {
  return CODES.find(([, codes]) => codes.includes(code))?.[0] ?? 500;
}

/** Turns anything thrown into an ApiError. An error without a code tells the client nothing about our inside. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = codeOf(error);
  const status = code === undefined ? 500 : statusOfCode(code);
  if (error instanceof Error && code !== undefined && status !== 500) {
    const details = code === "bad_args" ? faultyArguments(error) : undefined;
    const headers = retryHeaders(status, error);
    return new ApiError(status, code, error.message, { headers, ...(details && { details }) });
  }
  return new ApiError(
    500,
    "internal",
    "Something went wrong inside Countersign. The log of the server has the details; try again, or report it with the time.",
  );
}

/** Names the faulty fields. Other details stay in the log: they may hold secrets. */
function faultyArguments(error: Error): { fields: string[] } | undefined {
  const { details } = error as { details?: { fields?: unknown } | null };
  return Array.isArray(details?.fields) ? { fields: fieldsOf(error) } : undefined;
}

/** `Retry-After` in seconds (RFC 9110, 10.2.3), from the error's `retryAfterMs` or 5. */
function retryHeaders(status: number, error: Error): Record<string, string> {
  if (status !== 429 && status !== 503) return {};
  const given = "retryAfterMs" in error ? error.retryAfterMs : undefined;
  const seconds = typeof given === "number" && given > 0 ? Math.ceil(given / 1000) : 5;
  return { "retry-after": String(seconds) };
}
