import { setTimeout as sleep } from "node:timers/promises";

import { messageOf, ToolFailure } from "./tool.ts";

/** Cloud: account email and API token (basic). Data Center: personal access token (bearer). */
export type RestAuth =
  | { kind: "basic"; email: string; token: string }
  | { kind: "bearer"; token: string }
  | { kind: "none" };

export interface RestOptions {
  /** For messages: "Jira", "Confluence". */
  service: string;
  /** http or https, with the context path if there is one: `https://acme.atlassian.net/wiki`. */
  baseUrl: string;
  auth: RestAuth;
  /** Per attempt, in milliseconds; default 30 000. */
  timeoutMs?: number;
  /** Further attempts of a GET that was answered 429 or 503; default 3. */
  retries?: number;
  /** Longest wait before another attempt, in milliseconds; default 20 000. */
  maxWaitMs?: number;
}

type Query = Record<string, string | number | boolean | undefined>;

interface RestCall {
  query?: Query;
  signal?: AbortSignal | undefined;
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
  post(path: string, body: unknown, call?: RestCall): Promise<unknown>;
  put(path: string, body: unknown, call?: RestCall): Promise<unknown>;
  delete(path: string, call?: RestCall): Promise<unknown>;
}

export function createRest(options: RestOptions): Rest {
  const baseUrl = checkedBaseUrl(options);
  checkToken(options);
  const timeoutMs = options.timeoutMs ?? 30_000;
  const retries = options.retries ?? 3;
  const maxWaitMs = options.maxWaitMs ?? 20_000;

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
        headers: headersOf(options.auth, body !== undefined),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would carry the request elsewhere; Jira and Confluence send them to login pages.
        redirect: "manual",
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
    } catch (error) {
      if (signal?.aborted) throw new ToolFailure("cancelled", "the call was cancelled", { cause: error });
      if (limit.aborted) {
        throw new ToolFailure(
          "timeout",
          `${options.service} at ${url.origin} did not answer within ${timeoutMs / 1000} s${doubt(method, error)}`,
          { cause: error },
        );
      }
      throw new ToolFailure(
        "network",
        `${options.service} at ${url.origin} cannot be reached: ${causeOf(error)}${doubt(method, error)}`,
        { cause: error },
      );
    }
  }

  async function send(method: string, path: string, body: unknown, call: RestCall = {}): Promise<unknown> {
    const url = new URL(baseUrl + path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    for (let tries = 0; ; tries += 1) {
      const response = await attempt(method, url, body, call.signal);
      if (response.ok) return readAnswer(response, options.service);
      const text = await response.text().catch(() => "");
      const again =
        method === "GET" && (response.status === 429 || response.status === 503) && tries < retries;
      const waitMs = retryAfterMs(response) ?? 500 * 2 ** tries;
      if (!again || waitMs > maxWaitMs) {
        throw explainStatus({
          service: options.service,
          method,
          path,
          status: response.status,
          text,
          retryAfterMs: retryAfterMs(response),
        });
      }
      await sleep(waitMs, undefined, { signal: call.signal }).catch((error: unknown) => {
        throw new ToolFailure("cancelled", "the call was cancelled", { cause: error });
      });
    }
  }

  return {
    baseUrl,
    get: (path, call) => send("GET", path, undefined, call),
    post: (path, body, call) => send("POST", path, body, call),
    put: (path, body, call) => send("PUT", path, body, call),
    delete: (path, call) => send("DELETE", path, undefined, call),
  };
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
  if (auth.kind !== "bearer" || /^[\t\x20-\x7e\x80-\xff]*$/.test(auth.token.trim())) return;
  const expected = "text without line breaks, control characters and letters beyond Latin-1";
  throw new ToolFailure(
    "bad_token",
    `the token of ${service}: expected ${expected}; look at how it was copied`,
  );
}

function headersOf(auth: RestAuth, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (hasBody) headers["content-type"] = "application/json";
  // Data Center refuses some requests of unknown agents as cross-site without it.
  headers["x-atlassian-token"] = "no-check";
  if (auth.kind === "basic") {
    headers.authorization = `Basic ${Buffer.from(`${auth.email}:${auth.token}`).toString("base64")}`;
  }
  if (auth.kind === "bearer") headers.authorization = `Bearer ${auth.token}`;
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
  if (status >= 300 && status < 400) {
    return new ToolFailure(
      "unauthorized",
      `${service} sent the request to a login page (${status}): check the URL and the token`,
    );
  }
  switch (status) {
    case 400:
      return new ToolFailure(
        "bad_request",
        `${service} refused the request${said || " (400) without saying why"}`,
      );
    case 401:
      return new ToolFailure(
        "unauthorized",
        `${service} does not accept the credentials (401)${said}. Check the email and the token`,
      );
    case 403:
      return new ToolFailure(
        "forbidden",
        `${service} does not allow this to the account in use (403)${said}`,
      );
    case 404:
      return new ToolFailure(
        "not_found",
        `${service} has no such thing, or the account may not see it (404)${said}`,
      );
    case 409:
      return new ToolFailure(
        "conflict",
        `${service} reports a conflict (409)${said}. Read it again and repeat the change on what is there now`,
      );
    case 429:
      return new ToolFailure(
        "rate_limited",
        `${service} is limiting requests (429)${said}. ${whenAgain(answer.retryAfterMs)}`,
      );
    default:
      return new ToolFailure(
        "service_error",
        `${service} answered ${status} to ${answer.method} ${answer.path}${said}`,
      );
  }
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
