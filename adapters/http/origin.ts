import { isIPv4 } from "node:net";

import { ApiError } from "./errors.ts";

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
  const name = host === undefined ? undefined : hostName(host);
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
  const from = parse(origin);
  if (from !== undefined && host !== undefined && from.host === parse(`${from.protocol}//${host}`)?.host)
    return;
  throw new ApiError(
    403,
    "foreign_origin",
    `Origin: expected no Origin or this server's own page, got ${quoted(origin)}. Pages of other sites may not use this API.`,
  );
}

function hostName(host: string): string | undefined {
  return parse(`http://${host}`)?.hostname;
}

function parse(url: string): URL | undefined {
  return URL.parse(url) ?? undefined;
}

function quoted(text: string | undefined): string {
  return text === undefined ? "none" : JSON.stringify(text.slice(0, 100));
}
