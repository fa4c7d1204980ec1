import { setTimeout as sleep } from "node:timers/promises";

import { messageOf, ToolFailure } from "./tool.ts";

/** Cloud: account email and API token (basic). Data Center: personal access token (bearer). Others: a header. */
export type RestAuth =
  | { kind: "basic"; email: string; token: string }
  | { kind: "bearer"; token: string }
  | { kind: "header"; name: string; token: string }
  | { kind: "none" };

export interface RestOptions {
  /** For messages: "Jira", "Confluence". */
  service: string;
  /** http or https, with the context path if there is one: `https://acme.atlassian.net/wiki`. */
  baseUrl: string;
  auth: RestAuth;
  /** Per attempt, in milliseconds; default 30 000. */
  timeoutMs?: number;
  /** Further attempts of a read that was answered 429 or 503; default 3. */
  retries?: number;
  /** Reads that were answered any other 5xx are tried again as well. */
  retriesFailures?: boolean;
}

interface RestCall {
  query?: Record<string, string | number | boolean | undefined>;
  signal?: AbortSignal | undefined;
  /** A POST that changes nothing: it is tried again as a GET is. */
  isRead?: boolean;
}

/**
 * Paths start with "/" and follow the base URL. Answers are parsed JSON, undefined where the body is
 * empty. Rejects with a ToolFailure in the service's own words: codes `bad_request`, `unauthorized`,
 * `forbidden`, `not_found`, `conflict`, `rate_limited`, `service_error`, `network`, `timeout`,
 * `cancelled`, `invalid_answer`.
 */
export interface Rest {
  readonly baseUrl: string;
  get(path: string, call?: RestCall): Promise<unknown>;
  post: (path: string, body: unknown, call?: RestCall) => Promise<unknown>;
  put: (path: string, body: unknown, call?: RestCall) => Promise<unknown>;
  patch: (path: string, body: unknown, call?: RestCall) => Promise<unknown>;
  delete(path: string, call?: RestCall): Promise<unknown>;
}

/** Longest wait before another attempt, in milliseconds. */
const maxWaitMs = 20_000;

export function createRest(options: RestOptions): Rest {
  const { service, auth, timeoutMs = 30_000, retries = 3, retriesFailures = false } = options;
  const baseUrl = checkedBaseUrl(options);
  checkToken(options);

  async function attempt(
    method: string,
    url: URL,
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      return await fetch(url, {
        method,
        headers: headersOf(auth, body !== undefined),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would carry the request elsewhere; Jira and Confluence send them to login pages.
        redirect: "manual",
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
    } catch (cause) {
      if (signal?.aborted) throw cancelled(cause);
      const [code, what] = limit.aborted
        ? ["timeout", `did not answer within ${timeoutMs / 1000} s`]
        : ["network", `cannot be reached: ${causeOf(cause)}`];
      throw new ToolFailure(code, `${service} at ${url.origin} ${what}${doubt(method, cause)}`, { cause });
    }
  }

  async function send(method: string, path: string, body: unknown, call: RestCall = {}): Promise<unknown> {
    const url = new URL(baseUrl + path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    for (let tries = 0; ; tries += 1) {
      const response = await attempt(method, url, body, call.signal);
      if (response.ok) return readAnswer(response, service);
      const { status } = response;
      const text = await response.text().catch(() => "");
      const askedMs = retryAfterMs(response);
      const waitMs = askedMs ?? 500 * 2 ** tries;
      const passes = status === 429 || status === 503 || (retriesFailures && status >= 500);
      const mayPass = passes && (method === "GET" || call.isRead === true);
      if (!mayPass || tries >= retries || waitMs > maxWaitMs) {
        throw explainStatus({ service, auth, method, path, status, text, retryAfterMs: askedMs });
      }
      await sleep(waitMs, undefined, { signal: call.signal }).catch((error: unknown) => {
        throw cancelled(error);
      });
    }
  }

  return {
    baseUrl,
    get: (path, call) => send("GET", path, undefined, call),
    post: (path, body, call) => send("POST", path, body, call),
    put: (path, body, call) => send("PUT", path, body, call),
    patch: (path, body, call) => send("PATCH", path, body, call),
    delete: (path, call) => send("DELETE", path, undefined, call),
  };
}

function cancelled(cause: unknown): ToolFailure {
  return new ToolFailure("cancelled", "the call was cancelled", { cause });
}

function checkedBaseUrl({ service, baseUrl }: RestOptions): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ToolFailure("bad_url", `the URL of ${service}: expected http:// or https://, got "${baseUrl}"`);
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Node quotes a header's value where it may not be one, and a token is nothing to be quoted. */
function checkToken({ service, auth }: RestOptions): void {
  if (auth.kind === "basic" || auth.kind === "none" || /^[\t\x20-\x7e\x80-\xff]*$/.test(auth.token.trim()))
    return;
  const expected = "text without line breaks, control characters and letters beyond Latin-1";
  throw new ToolFailure(
    "bad_token",
    `the token of ${service}: expected ${expected}; look at how it was copied`,
  );
}

function headersOf(auth: RestAuth, hasBody: boolean): Record<string, string> {
  // Data Center refuses some requests of unknown agents as cross-site without "no-check".
  const headers: Record<string, string> = { accept: "application/json", "x-atlassian-token": "no-check" };
  if (hasBody) headers["content-type"] = "application/json";
  if (auth.kind === "basic") {
    headers.authorization = `Basic ${Buffer.from(`${auth.email}:${auth.token}`).toString("base64")}`;
  }
  if (auth.kind === "bearer") headers.authorization = `Bearer ${auth.token}`;
  if (auth.kind === "header") headers[auth.name] = auth.token;
  return headers;
}

async function readAnswer(response: Response, service: string): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw new ToolFailure("network", `${service} broke off its answer: ${causeOf(error)}`, { cause: error });
  });
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ToolFailure(
      "invalid_answer",
      `${service} answered with something other than JSON (${response.headers.get("content-type") ?? "no content type"}): check that the URL is that of ${service} itself, not of a login page or proxy`,
      { cause: error },
    );
  }
}

/** `Retry-After` in milliseconds: seconds or an HTTP date. */
function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** A change that was not answered may have been made, unless the connection was never opened. */
function doubt(method: string, error: unknown): string {
  const code =
    error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : "";
  if (method === "GET" || code === "ECONNREFUSED" || code === "ENOTFOUND") return "";
  return ". The change may or may not have been made: look before you try again";
}

/** fetch says "fetch failed" and keeps the reason in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return messageOf(error);
  const { message } = error.cause;
  const code = "code" in error.cause ? String(error.cause.code) : "";
  return message || code || error.message;
}

interface FailedAnswer {
  service: string;
  auth: RestAuth;
  method: string;
  path: string;
  status: number;
  text: string;
  retryAfterMs: number | undefined;
}

/** Turns an HTTP error answer into a message for people, with the service's own words in it. */
function explainStatus(answer: FailedAnswer): ToolFailure {
  const { service, status } = answer;
  const words = wordsOf(answer.text);
  const said = words === "" ? "" : `: ${words}`;
  const known: Record<number, [code: string, what: string]> = {
    400: ["bad_request", `refused the request${said || " (400) without saying why"}`],
    401: [
      "unauthorized",
      `does not accept the credentials (401)${said}. Check the ${answer.auth.kind === "basic" ? "email and the token" : "token"}`,
    ],
    403: ["forbidden", `does not allow this to the account in use (403)${said}`],
    404: ["not_found", `has no such thing, or the account may not see it (404)${said}`],
    409: [
      "conflict",
      `reports a conflict (409)${said}. Read it again and repeat the change on what is there now`,
    ],
    429: ["rate_limited", `is limiting requests (429)${said}. ${whenAgain(answer.retryAfterMs)}`],
  };
  const [code, what] =
    status >= 300 && status < 400
      ? ["unauthorized", `sent the request to a login page (${status}): check the URL and the token`]
      : (known[status] ?? ["service_error", `answered ${status} to ${answer.method} ${answer.path}${said}`]);
  return new ToolFailure(code, `${service} ${what}`);
}

function whenAgain(ms: number | undefined): string {
  return ms === undefined ? "Try again later" : `Try again in ${Math.ceil(ms / 1000)} s`;
}

/**
 * What the service said. Jira: `errorMessages` and `errors` by field; Confluence v2:
 * `errors: [{title, detail}]`; both: `message`.
 */
function wordsOf(text: string): string {
  const body = parse(text);
  if (body === undefined) return "";
  const said = [...strings(body.errorMessages), ...fieldErrors(body.errors), ...strings([body.message])];
  return [...new Set(said)].join("; ").slice(0, 1000);
}

function fieldErrors(errors: unknown): string[] {
  if (Array.isArray(errors)) {
    return errors.flatMap((error: unknown) => {
      if (!isObject(error)) return strings([error]);
      const [title, detail] = [error.title ?? error.message, error.detail].map((part) => strings([part])[0]);
      return title === undefined ? strings([detail]) : [detail === undefined ? title : `${title}: ${detail}`];
    });
  }
  if (!isObject(errors)) return [];
  return Object.entries(errors).map(([field, message]) => `${field}: ${String(message)}`);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function strings(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string" && item !== "")
    : [];
}
