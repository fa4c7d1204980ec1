import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { JsonValue } from "#contract/json.ts";

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

/** The body of every error answer. */
export interface ErrorForm {
  error: { code: string; message: string; details?: JsonValue };
}

export function errorForm(code: string, message: string, details?: JsonValue): ErrorForm {
  return { error: { code, message, ...(details === undefined ? {} : { details }) } };
}

/** The status for a code of the core. What is not listed is a fault of ours: 500. */
const STATUS_OF_CODE: ReadonlyMap<string, ContentfulStatusCode> = new Map([
  ["bad_request", 400],
  ["reason_required", 400],
  ["bad_args", 400],
  ["denied_by_policy", 403],
  ["privacy_configured", 403],
  ["not_eligible", 403],
  ["authorization_refused", 403],
  ["unknown_state", 404],
  ["authorization_failed", 409],
  ["already_connected", 409],
  ["not_found", 404],
  ["unknown_key", 404],
  ["already_decided", 409],
  ["already_answered", 409],
  ["not_pending", 409],
  ["not_unknown", 409],
  ["grant_refused", 409],
  ["no_lookup", 409],
  ["expired", 409],
  ["void", 409],
  ["superseded", 409],
  ["stopped", 409],
  ["model_stopped", 409],
  ["too_large", 413],
  ["rate_limited", 429],
  ["model_unreachable", 503],
  ["model_timeout", 503],
  ["model_not_found", 503],
  ["model_failed", 503],
  ["plan_invalid", 503],
  ["not_ready", 503],
  ["stopping", 503],
  ["store_full", 503],
  ["store_read_only", 503],
  ["store_busy", 503],
  ["store_damaged", 503],
  ["store_lost", 503],
  ["store_unreachable", 503],
  ["store_failed", 503],
  ["server_down", 503],
  ["not_offered", 503],
]);

export function statusOfCode(code: string): ContentfulStatusCode {
  return STATUS_OF_CODE.get(code) ?? 500;
}

/** Anything thrown, as an ApiError. What carries no code says nothing about our inside. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    const status = statusOfCode(error.code);
    if (status !== 500) {
      const details = detailsOf(error);
      return new ApiError(status, error.code, error.message, {
        headers: retryHeaders(status, error),
        ...(details === undefined ? {} : { details }),
      });
    }
  }
  return new ApiError(
    500,
    "internal",
    "Something went wrong inside Countersign. The log of the server has the details; try again, or report it with the time.",
  );
}

/** The fields of bad arguments. Other details are for the log: they may hold what nobody should read here. */
function detailsOf(error: Error & { code: unknown }): JsonValue | undefined {
  if (error.code !== "bad_args" || !("details" in error)) return undefined;
  const { details } = error;
  if (typeof details !== "object" || details === null || !("fields" in details)) return undefined;
  const { fields } = details;
  return Array.isArray(fields) ? { fields: fields.filter((field) => typeof field === "string") } : undefined;
}

/** RFC 9110 section 10.2.3: seconds. A `retryAfterMs` of the error is honoured. */
function retryHeaders(status: number, error: Error): Record<string, string> {
  if (status !== 429 && status !== 503) return {};
  const given = "retryAfterMs" in error ? error.retryAfterMs : undefined;
  const seconds = typeof given === "number" && given > 0 ? Math.ceil(given / 1000) : 5;
  return { "retry-after": String(seconds) };
}
