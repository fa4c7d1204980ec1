import { lookup } from "node:dns/promises";

import ipaddr from "ipaddr.js";

import { createRest } from "#servers/kit/rest.ts";
import { messageOf, ToolFailure } from "#servers/kit/tool.ts";

import type { Site } from "./settings.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** A POST that only reads. */
  isRead?: boolean;
  signal: AbortSignal;
}

/**
 * A Sisense deployment by its REST API, be it a real one or an embedded demo. Answers are parsed JSON; what cannot be
 * done rejects with a ToolFailure of the codes that servers/kit/rest.ts has, and `certificate`.
 */
export interface Deployment {
  /** As people know it, such as `eu.example.com`. */
  readonly name: string;
  request(method: Method, path: string, options: RequestOptions): Promise<unknown>;
}

/** A real deployment. Rejects with `bad_site` for an address that may not be asked as it was wished for. */
export async function openRemote(site: Site, timeoutMs: number): Promise<Deployment> {
  const { host, ssl } = addressOf(site);
  if (!ssl) await checkPrivate(host);
  const rest = createRest({
    service: `Sisense at ${host}`,
    baseUrl: `${ssl ? "https" : "http"}://${host}`,
    auth: { kind: "bearer", token: site.token },
    timeoutMs,
    retriesFailures: true,
  });
  return {
    name: host,
    async request(method, path, { query, body, isRead, signal }) {
      const call = { ...(query === undefined ? {} : { query }), signal, isRead: isRead === true };
      try {
        if (method === "GET") return await rest.get(path, call);
        if (method === "DELETE") return await rest.delete(path, call);
        const send = { POST: rest.post, PUT: rest.put, PATCH: rest.patch }[method];
        return await send(path, body ?? {}, call);
      } catch (error) {
        throw withCertificate(error, host);
      }
    },
  };
}

/** What people paste is an address as often as a host. */
function addressOf({ domain, ssl }: Site): { host: string; ssl: boolean } {
  const [, pasted = "", host = ""] = /^(https?:\/\/)?([^/?#\s@]+)\/*$/i.exec(domain.trim()) ?? [];
  const url = URL.parse(`https://${host}`);
  if (host === "" || host.length > 260 || url?.pathname !== "/")
    throw badSite(
      `expected a host such as acme.example.com, perhaps with a port, got "${withoutUserInfo(domain).slice(0, 80)}"`,
    );
  const scheme = pasted === "" ? undefined : pasted.toLowerCase() === "https://";
  if (ssl !== undefined && scheme !== undefined && ssl !== scheme)
    throw badSite(
      `${pasted.toLowerCase()}${host.toLowerCase()} came with ssl: ${ssl}, which says the opposite: give the host alone, or leave ssl out`,
    );
  return { host: host.toLowerCase(), ssl: ssl ?? scheme ?? true };
}

/** Names and passwords before a host are nothing to be told. */
export function withoutUserInfo(domain: string): string {
  return domain.replace(/^(\s*\w+:\/\/)?.*@/su, "$1…@");
}

/** Without encryption everybody on the way reads the token. */
async function checkPrivate(host: string): Promise<void> {
  const name = new URL(`http://${host}`).hostname.replaceAll(/^\[|\]$/g, "");
  const found = ipaddr.isValid(name)
    ? [{ address: name }]
    : await lookup(name, { all: true }).catch((error: unknown) => {
        throw badSite(`${host} cannot be found: ${messageOf(error)}`);
      });
  const isPrivate = ({ address }: { address: string }): boolean =>
    ["loopback", "private", "uniqueLocal"].includes(ipaddr.process(address).range());
  if (found.length === 0 || !found.every(isPrivate))
    throw badSite(
      `without encryption (ssl: false) only this machine and private networks are asked, and ${host} is elsewhere: leave ssl out, or set it to true`,
    );
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS/;

/** A certificate that does not hold is told as one, and no way around it is offered. */
function withCertificate(error: unknown, host: string): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = "code" in at ? String(at.code) : "";
    if (!(at instanceof ToolFailure) && CERTIFICATE.test(code)) {
      const message = `the certificate of ${host} cannot be trusted (${at.message}), so nothing was sent there. Give the deployment a valid certificate, or name the authority that signed it in NODE_EXTRA_CA_CERTS`;
      return new ToolFailure("certificate", message, { cause: error });
    }
  }
  return error;
}

export function badSite(message: string): ToolFailure {
  return new ToolFailure("bad_site", message);
}
