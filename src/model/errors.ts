import type { ModelErrorCode } from "#contract/model.ts";

import { CountersignError } from "../base/errors.ts";

/** An error of a model with its stable code. */
export class ModelError extends CountersignError {
  declare readonly code: ModelErrorCode;
  /** Another try may not meet it. */
  readonly mayPass: boolean;
  /** The server asked to wait for so long. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { cause?: unknown; mayPass?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(code, message, options);
    this.name = "ModelError";
    this.mayPass = options.mayPass ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** An answer with an HTTP status that says that it is an error. */
export class StatusError extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfterMs?: number) {
    super(message);
    this.name = "StatusError";
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The innermost message of a failed request: `fetch failed` alone says too little. */
export function rootMessage(error: unknown): string {
  let message = String(error);
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    message = at.message === "" ? code : at.message;
  }
  return message.slice(0, 500);
}

/** Where a failure came from, for its message. */
export interface Peer {
  /** Such as `The model server at http://127.0.0.1:11434`. */
  name: string;
  /** Where the model would be, such as `http://127.0.0.1:11434`. */
  place: string;
  model: string;
  /** What to do when the model is not there. */
  remedy: string;
  /** Never shown, wherever the server repeats it. */
  secret?: string;
}

/** What went wrong with a request, in one of the stable codes. */
export function toModelError(
  error: unknown,
  peer: Peer,
  { stopped, timeoutMs }: { stopped: boolean; timeoutMs: number | undefined },
): ModelError {
  if (stopped) return new ModelError("model_stopped", "The answer was stopped.", { cause: error });
  if (timeoutMs !== undefined) {
    const message = `The model ${peer.model} gave no full answer within ${timeoutMs / 1000} s.`;
    return new ModelError("model_timeout", message, { cause: error });
  }
  if (error instanceof ModelError) return error;
  const said = withoutSecret(rootMessage(error), peer.secret);
  const status = statusOf(error);
  const cause = peer.secret === undefined ? { cause: error } : {};
  if (status === 404) {
    const message = `The model ${peer.model} is not on ${peer.place}. ${peer.remedy}`;
    return new ModelError("model_not_found", message, cause);
  }
  if (status === 401 || status === 403) {
    const message = `${peer.name} does not accept the key it was given (HTTP ${status}): ${said}`;
    return new ModelError("model_refused", message, cause);
  }
  if (status !== undefined || (error instanceof Error && !(error instanceof TypeError))) {
    const mayPass = status === undefined || status >= 500 || status === 429 || status === 408;
    const how = status === undefined ? said : `HTTP ${status}: ${said}`;
    const retryAfterMs = error instanceof StatusError ? error.retryAfterMs : undefined;
    return new ModelError("model_failed", `${peer.name} failed: ${how}`, { ...cause, mayPass, retryAfterMs });
  }
  // fetch reports every kind of connection failure as a TypeError.
  const message = `${peer.name} cannot be reached: ${said}`;
  return new ModelError("model_unreachable", message, { ...cause, mayPass: true });
}

/** The HTTP status that an error of one of the libraries carries. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("status_code" in error && typeof error.status_code === "number") return error.status_code;
  return "status" in error && typeof error.status === "number" ? error.status : undefined;
}

/** A text without what is never shown, wherever a server repeats it. */
export function withoutSecret(text: string, secret: string | undefined): string {
  return secret === undefined || secret === "" ? text : text.replaceAll(secret, "[redacted]");
}
