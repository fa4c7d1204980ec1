import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";

import type { Offers } from "#contract/viewer.ts";

import type { HttpEnv } from "./env.ts";
import { ApiError } from "./errors.ts";
import type { GuessLimit } from "./guess-limit.ts";
import type { Identity, TokenBook } from "./identity.ts";
import { checkLoopbackHost, checkSameOrigin } from "./origin.ts";
import type { Sessions } from "./sessions.ts";

export const SESSION_COOKIE = "countersign_session";

/** The browser that an authorisation server sends back has no token of ours; its `state` is what counts. */
const PUBLIC: ReadonlySet<string> = new Set([
  "/",
  "/session",
  "/health",
  "/oauth/callback",
  "/oauth/client.json",
]);

/** Paths that answer without a token: the page asks for one itself, and a probe has none. */
function isPublic(path: string): boolean {
  return PUBLIC.has(path) || path.startsWith("/playground/assets/");
}

export interface GuardParts {
  tokens: TokenBook;
  sessions: Sessions;
  limit: GuessLimit;
}

/**
 * Decides who a request comes from before any route sees it. Without tokens only this machine and its
 * own page may ask; with tokens a bearer, or the page's cookie, decides.
 */
export function guard(parts: GuardParts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const identity = parts.tokens.empty ? openIdentity(c) : await tokenIdentity(c, parts);
    if (identity !== undefined) c.set("identity", identity);
    else if (!isPublic(c.req.path)) throw missingToken(c);
    await next();
  };
}

/** Gives the routes the product as who asks may see and use it: all of it to an operator, and in open mode. */
export function offering(offers: Offers): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const identity = c.get("identity");
    if (identity !== undefined) {
      const isWhole = identity.mode === "open" || identity.isOperator;
      c.set("offer", isWhole ? offers.all : offers.of(identity));
    }
    await next();
  };
}

/** What a presented token is good for. Rejects with `rate_limited` where too many wrong ones came before it. */
export function lookAt<Found>(
  c: Context<HttpEnv>,
  limit: GuessLimit,
  token: string,
  look: (token: string) => Found | undefined,
): Found | undefined {
  const guess = limit.guess(getConnInfo(c).remote.address ?? "", token, look);
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

async function tokenIdentity(
  c: Context<HttpEnv>,
  { tokens, sessions, limit }: GuardParts,
): Promise<Identity | undefined> {
  const header = c.req.header("authorization");
  if (header !== undefined) {
    const bearer = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    const identity =
      bearer === undefined ? undefined : lookAt(c, limit, bearer, (token) => tokens.ofBearer(token));
    if (identity === undefined) throw missingToken(c);
    return identity;
  }
  // A cookie goes along with whatever page asks, so here the origin counts.
  checkSameOrigin(c.req.header("origin"), c.req.header("host"));
  const cookie = getCookie(c, SESSION_COOKIE);
  return cookie === undefined ? undefined : sessions.of(cookie);
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
