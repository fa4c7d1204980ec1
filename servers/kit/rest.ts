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
 * `cancelled`, `too_large`, `invalid_answer`.
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
/** The most of an answer that is read, in bytes; of one that says what went wrong, the beginning will do. */
const mostBytes = 50 * 1024 * 1024;
const mostErrorBytes = 64 * 1024;

export function createRest(options: RestOptions): Rest {
  const { service, auth, timeoutMs = 30_000, retries = 3, retriesFailures = false } = options;
  const baseUrl = checkedBaseUrl(options);
  checkToken(options);

  /** One request with the body of its answer. */
  async function attempt(
    method: string,
    url: URL,
    body: unknown,
    { signal, isRead }: RestCall,
  ): Promise<{ response: Response; text: string }> {
    const limit = AbortSignal.timeout(timeoutMs);
    const place = service.includes(url.host) ? service : `${service} at ${url.origin}`;
    let broken = "cannot be reached";
    try {
      const response = await fetch(url, {
        method,
        headers: headersOf(auth, body !== undefined),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would carry the request elsewhere; Jira and Confluence send them to login pages.
        redirect: "manual",
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
      broken = "broke off its answer";
      // What failed is known by its status already.
      if (!response.ok)
        return { response, text: (await readText(response, mostErrorBytes).catch(() => NOTHING)).text };
      const { text, isWhole } = await readText(response, mostBytes);
      if (isWhole) return { response, text };
      const size = `${mostBytes / 1024 / 1024} MB`;
      throw new ToolFailure("too_large", `${place} answered with more than ${size}: ask for less`);
    } catch (cause) {
      if (signal?.aborted) throw cancelled(cause);
      const [code, what] =
        cause instanceof ToolFailure
          ? [cause.code, cause.message]
          : limit.aborted
            ? ["timeout", `${place} did not answer within ${timeoutMs / 1000} s`]
            : ["network", `${place} ${broken}: ${causeOf(cause)}`];
      const end = method === "GET" || isRead === true ? "" : doubt(cause);
      throw new ToolFailure(code, `${what}${end}`, { cause });
    }
  }

  async function send(method: string, path: string, body: unknown, call: RestCall = {}): Promise<unknown> {
    const url = new URL(baseUrl + path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    for (let tries = 0; ; tries += 1) {
      const { response, text } = await attempt(method, url, body, call);
      const isRead = method === "GET" || call.isRead === true;
      if (response.ok) return parseAnswer(response, text, service, isRead ? "" : DOUBT);
      const { status } = response;
      const askedMs = retryAfterMs(response);
      const waitMs = askedMs ?? 500 * 2 ** tries;
      const passes = status === 429 || status === 503 || (retriesFailures && status >= 500);
      const mayPass = passes && isRead;
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

/** The text of an answer as far as `most` bytes; what follows is not waited for. */
async function readText(response: Response, most: number): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let left = most;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) break;
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isWhole: left >= 0 };
}

const NOTHING = { text: "", isWhole: true };

function parseAnswer(response: Response, text: string, service: string, end: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ToolFailure(
      "invalid_answer",
      `${service} answered with something other than JSON (${response.headers.get("content-type") ?? "no content type"}): check that the URL is that of ${service} itself, not of a login page or proxy${end}`,
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
function doubt(error: unknown): string {
  const code =
    error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : "";
  if (code === "ECONNREFUSED" || code === "ENOTFOUND") return "";
  return DOUBT;
}

const DOUBT = ". The change may or may not have been made: look before you try again";

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
  const words = withoutToken(wordsOf(answer.text), answer.auth);
  const said = words === "" ? "" : `: ${words}`;
  /** Before a sentence of ours. */
  const ended = `${said.replace(/\.$/, "")}.`;
  const known: Record<number, [code: string, what: string]> = {
    400: ["bad_request", `refused the request${said || " (400) without saying why"}`],
    401: [
      "unauthorized",
      `does not accept the credentials (401)${ended} Check the ${answer.auth.kind === "basic" ? "email and the token" : "token"}`,
    ],
    403: ["forbidden", `does not allow this to the account in use (403)${said}`],
    404: ["not_found", `has no such thing, or the account may not see it (404)${said}`],
    409: [
      "conflict",
      `reports a conflict (409)${ended} Read it again and repeat the change on what is there now`,
    ],
    429: ["rate_limited", `is limiting requests (429)${ended} ${whenAgain(answer.retryAfterMs)}`],
  };
  const [code, what] =
    status >= 300 && status < 400
      ? ["unauthorized", `sent the request to a login page (${status}): check the URL and the token`]
      : (known[status] ?? ["service_error", `answered ${status} to ${answer.method} ${answer.path}${said}`]);
  return new ToolFailure(code, `${service} ${what}`);
}

/** Some services repeat what they were sent. */
function withoutToken(text: string, auth: RestAuth): string {
  if (auth.kind === "none") return text;
  const token = auth.token.trim();
  const pair = auth.kind === "basic" ? `${auth.email}:${auth.token}` : token;
  const forms = [Buffer.from(pair).toString("base64"), token, encodeURIComponent(token)];
  // Shorter ones are no tokens, and stand in any word.
  return forms.filter((form) => form.length >= 6).reduce((left, form) => left.replaceAll(form, "…"), text);
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
