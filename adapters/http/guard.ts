import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";

import type { HttpEnv } from "./env.ts";
import { ApiError } from "./errors.ts";
import type { Identity, TokenBook } from "./identity.ts";
import { checkLoopbackHost, checkSameOrigin } from "./origin.ts";

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

/**
 * Decides who a request comes from before any route sees it. Without tokens only this machine and its
 * own page may ask; with tokens a bearer, or the page's cookie, decides.
 */
export function guard(tokens: TokenBook): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const identity = tokens.empty ? openIdentity(c) : tokenIdentity(c, tokens);
    if (identity !== undefined) c.set("identity", identity);
    else if (!isPublic(c.req.path)) throw missingToken(c);
    await next();
  };
}

function openIdentity(c: Context): Identity {
  checkLoopbackHost(c.req.header("host"));
  checkSameOrigin(c.req.header("origin"), c.req.header("host"));
  return { mode: "open" };
}

function tokenIdentity(c: Context, tokens: TokenBook): Identity | undefined {
  const header = c.req.header("authorization");
  if (header !== undefined) {
    const bearer = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    const actor = bearer === undefined ? undefined : tokens.ofBearer(bearer);
    if (actor === undefined) throw missingToken(c);
    return { mode: "token", actor };
  }
  // A cookie goes along with whatever page asks, so here the origin counts.
  checkSameOrigin(c.req.header("origin"), c.req.header("host"));
  const cookie = getCookie(c, SESSION_COOKIE);
  const actor = cookie === undefined ? undefined : tokens.ofCookie(cookie);
  return actor === undefined ? undefined : { mode: "token", actor };
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
