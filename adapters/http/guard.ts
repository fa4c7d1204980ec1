import { isIPv4, isIPv6 } from "node:net";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";

import type { Offers } from "#contract/core.ts";

import { ApiError } from "./errors.ts";
import { prefersPage } from "./page/frame.ts";
import { METRICS_PATH } from "./metrics.ts";
import type { HttpEnv, Identity, Sessions, TokenIdentity, TokenRegistry } from "./identity.ts";

export const SESSION_COOKIE = "countersign_session";

/** The browser that an authorisation server sends back has no token of ours; its `state` is what counts. */
const PUBLIC: ReadonlySet<string> = new Set([
  "/",
  "/session",
  "/health",
  "/oauth/callback",
  "/oauth/client.json",
]);

/** What answers without a token: pages ask for one themselves, and a probe has none. */
function isPublic(c: Context): boolean {
  const { path } = c.req;
  // A link to connect a site over is a secret of its own.
  const isLinked = path === "/connect.css" || /^\/connect\/[\w-]{32}$/.test(path);
  return PUBLIC.has(path) || isLinked || path.startsWith("/playground/assets/") || isPage(c);
}

/** Where browsers find a page, and programs JSON. */
const PAGES: ReadonlySet<string> = new Set(["/approvals", "/audit"]);

function isPage(c: Context): boolean {
  return PAGES.has(c.req.path) && prefersPage(c.req.header("accept"));
}

export interface GuardParts {
  tokens: TokenRegistry;
  /** Whose bearers read /metrics and nothing else. */
  scrapers?: TokenRegistry;
  sessions: Pick<Sessions, "of">;
  limit: GuessLimit;
}

/**
 * Decides who a request comes from before any route sees it. Without tokens only this machine and its
 * own page may ask; with tokens a bearer, or the page's cookie, decides.
 */
export function guard(parts: GuardParts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (isScraper(c, parts)) {
      c.set("isScraper", true);
      return next();
    }
    const identity = parts.tokens.empty ? openIdentity(c) : await tokenIdentity(c, parts);
    if (identity !== undefined) c.set("identity", identity);
    else if (!isPublic(c)) throw missingToken(c);
    await next();
  };
}

/** Gives routes the product as the requester may use it: all of it for operators and in open mode. */
export function attachOffer(offers: Offers): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const identity = c.get("identity");
    if (identity !== undefined) {
      const isWhole = identity.mode === "open" || identity.isOperator;
      c.set("offer", isWhole ? offers.all : offers.of(identity));
    }
    await next();
  };
}

/** Returns whom a presented token stands for. Throws `rate_limited` after too many wrong ones. */
export function checkToken(
  c: Context<HttpEnv>,
  { limit, tokens }: Pick<GuardParts, "limit" | "tokens">,
  token: string,
): TokenIdentity | undefined {
  const guess = limit.guess(getConnInfo(c).remote.address ?? "", token, (one) => tokens.ofBearer(one));
  if (guess.found !== undefined || guess.retryAfterMs === undefined) return guess.found;
  const seconds = Math.ceil(guess.retryAfterMs / 1000);
  throw new ApiError(
    429,
    "rate_limited",
    `Too many wrong tokens came from here, or began as this one does. Try again in ${seconds} s.`,
    { headers: { "retry-after": String(seconds) } },
  );
}

function openIdentity(c: Context): Identity {
  checkLoopbackHost(c.req.header("host"));
  checkSameOrigin(c.req.header("origin"), c.req.header("host"));
  return { mode: "open" };
}

/** Whether the token for it reads /metrics. Throws where it is a wrong one. */
function isScraper(c: Context<HttpEnv>, { tokens, scrapers, limit }: GuardParts): boolean {
  const bearer = bearerOf(c);
  if (c.req.path !== METRICS_PATH || bearer === undefined || scrapers === undefined || scrapers.empty)
    return false;
  // One of the API is judged as everywhere.
  if (tokens.ofBearer(bearer) !== undefined) return false;
  if (checkToken(c, { limit, tokens: scrapers }, bearer) === undefined) throw missingToken(c);
  return true;
}

function bearerOf(c: Context): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

async function tokenIdentity(c: Context<HttpEnv>, parts: GuardParts): Promise<Identity | undefined> {
  if (c.req.header("authorization") !== undefined) {
    const bearer = bearerOf(c);
    const identity = bearer === undefined ? undefined : checkToken(c, parts, bearer);
    if (identity === undefined) throw missingToken(c);
    return identity;
  }
  // A cookie goes along with whatever page asks, so here the origin counts.
  checkSameOrigin(c.req.header("origin"), c.req.header("host"));
  const cookie = getCookie(c, SESSION_COOKIE);
  return cookie === undefined ? undefined : parts.sessions.of(cookie);
}

function missingToken(c: Context): ApiError {
  const given = c.req.header("authorization") !== undefined;
  return new ApiError(
    401,
    "unauthorized",
    given
      ? "Authorization: this token is not known; expected Bearer TOKEN with a token of http.tokens"
      : "Authorization: expected Bearer TOKEN with a token of http.tokens, got none",
    { headers: { "www-authenticate": 'Bearer realm="countersign"' } },
  );
}

/** Whether a host name (no port, IPv6 with or without brackets) names this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

/**
 * Refuses a `Host` that is not loopback: a page of another site can make its own name resolve to
 * 127.0.0.1, and only the Host header shows it (DNS rebinding).
 */
export function checkLoopbackHost(host: string | undefined): void {
  const name = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname;
  if (name !== undefined && isLoopbackHost(name)) return;
  throw new ApiError(
    403,
    "foreign_host",
    `Host: expected this machine (localhost or 127.0.0.1), got ${quoted(host)}. ` +
      `To serve other machines, configure http.tokens and HOST.`,
  );
}

/** Refuses a browser request that another site's page makes. Requests without Origin are not a page's. */
export function checkSameOrigin(origin: string | undefined, host: string | undefined): void {
  if (origin === undefined) return;
  const from = URL.parse(origin);
  if (from !== null && host !== undefined && from.host === URL.parse(`${from.protocol}//${host}`)?.host)
    return;
  throw new ApiError(
    403,
    "foreign_origin",
    `Origin: expected no Origin or this server's own page, got ${quoted(origin)}. Pages of other sites may not use this API.`,
  );
}

function quoted(text: string | undefined): string {
  return text === undefined ? "none" : JSON.stringify(text.slice(0, 100));
}

export interface GuessLimit {
  /**
   * `look` gives undefined for a token that is not known. It may not be called at all. `retryAfterMs`: wrong or
   * not looked at, as too many were wrong before it.
   */
  guess<Found>(
    address: string,
    token: string,
    look: (token: string) => Found | undefined,
  ): { found: Found | undefined; retryAfterMs?: number };
}

const WINDOW_MS = 60_000;
/** Wrong tokens in a minute from one address, and from one address with one beginning. */
const MOST_NEAR = 10;
/** Wrong tokens in a minute with one beginning, from wherever. */
const MOST_WIDE = 100;
/** Nobody guesses a token of this length as a whole. */
const LONG = 20;
/** Most addresses and beginnings remembered; the longest silent one is forgotten first. */
const MOST_KEPT = 5_000;

/**
 * Bounds how fast tokens can be guessed, by address and by how the token begins. Behind a proxy all people have
 * one address: there the guesses of one lock out another only where the token is short enough to be guessed, or
 * begins as the guesses do.
 */
export function createGuessLimit(now: () => number = () => performance.now()): GuessLimit {
  const addresses = createCounter(MOST_NEAR, now);
  const near = createCounter(MOST_NEAR, now);
  const wide = createCounter(MOST_WIDE, now);

  return {
    guess(address, token, look) {
      const from = networkOf(address);
      const start = token.slice(0, Math.min(8, Math.ceil(token.length / 3)));
      const both = `${from} ${start}`;
      const ofAddress = addresses.wait(from);
      const wait = Math.max(near.wait(both), wide.wait(start), token.length < LONG ? ofAddress : 0);
      if (wait > 0) return { found: undefined, retryAfterMs: wait };
      const found = look(token);
      if (found !== undefined) return { found };
      addresses.add(from);
      near.add(both);
      wide.add(start);
      return { found, ...(ofAddress > 0 && { retryAfterMs: ofAddress }) };
    },
  };
}

interface Counter {
  add(key: string): void;
  /** Returns milliseconds until the next guess is let through; 0: now. */
  wait(key: string): number;
}

function createCounter(most: number, now: () => number): Counter {
  // With the one that was silent the longest first.
  const counts = new Map<string, { count: number; until: number }>();
  const set = (key: string, value: { count: number; until: number }): void => {
    counts.delete(key);
    counts.set(key, value);
  };
  return {
    add(key) {
      const known = counts.get(key);
      if (known === undefined || known.until <= now()) set(key, { count: 1, until: now() + WINDOW_MS });
      else set(key, { ...known, count: known.count + 1 });
      const [oldest] = counts.keys();
      if (counts.size > MOST_KEPT && oldest !== undefined) counts.delete(oldest);
    },
    wait(key) {
      const known = counts.get(key);
      if (known === undefined || known.count < most) return 0;
      // Who is held back and goes on is not silent.
      set(key, known);
      return Math.max(0, known.until - now());
    },
  };
}

/** An IPv6 network of 64 bits is usually one customer's; each of its addresses would be a new one. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const rest = (tail ?? "").split(":").filter((group) => group !== "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeros).fill("0"), ...rest];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
