import { lookup as lookUp, type LookupAddress } from "node:dns";
import { once } from "node:events";
import { type IncomingMessage, request as requestPlainly } from "node:http";
import { request as requestSecurely } from "node:https";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";

import { CountersignError } from "../../base/errors.ts";
import { bareHost } from "../../base/http.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { limitedFetch } from "./fetch.ts";

/** Asks for what the protocol of authorisation wants of the web. */
export interface GuardedFetch {
  (url: string | URL, init?: RequestInit): Promise<Response>;
  /** Throws with code `address_refused` for an address that no browser may be sent to. */
  check(url: URL): void;
}

export interface GuardOptions {
  /** Address of the MCP server, as the configuration has it. */
  server: string;
  /** The authorisation server that the configuration names. */
  issuer?: string | undefined;
  /** Sent to the MCP server alone. */
  headers?: Readonly<Record<string, string>>;
  /** The addresses that a name stands for. */
  resolve?: (name: string, told: (error: Error | null, found: LookupAddress[]) => void) => void;
}

/** Documents of authorisation are small. */
const mostBytes = 1024 * 1024;
const limitMs = 15_000;
const mostMoves = 3;

/**
 * A fetch for addresses that an MCP server's metadata name, which must not lead the product to what it alone can
 * reach. Origins that the configuration names (the server's own, and `issuer`) are asked as they are. Any other
 * has to be https, with public addresses alone behind its name, checked as the connection is made; where the MCP
 * server is on this machine, others on it may be asked too. Redirects are answers like any other, except within
 * the server's own origin, where reads follow them. Of what others answer only JSON is passed on, and of a
 * refusal its code alone, as errors are shown to people.
 */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  const { headers = {}, resolve = (name, told) => lookUp(name, { all: true }, told) } = options;
  const server = new URL(options.server);
  const issuer = options.issuer === undefined ? undefined : new URL(options.issuer);
  const mayBeLocal = isLoopback(bareHost(server.hostname));
  const isFit = (address: string): boolean => isPublic(address) || (mayBeLocal && isLoopback(address));

  function isOwn(url: URL): boolean {
    const isSafer = url.protocol === "https:" && url.port === "" && server.port === "";
    return url.origin === server.origin || (isSafer && url.hostname === server.hostname);
  }

  function check(url: URL): void {
    const host = bareHost(url.hostname);
    const isLocal = mayBeLocal && isLoopback(host) && url.protocol === "http:";
    if (isOwn(url) || url.origin === issuer?.origin || isLocal) return;
    if (url.protocol !== "https:") throw refusal(url, "expected an https address");
    if (isIP(host) !== 0 && !isFit(host)) throw refusal(url, "expected a public address");
  }

  const lookup: LookupFunction = (name, { all }, callback) => {
    resolve(name, (error, found) => {
      const [first] = error === null ? found : [];
      if (error !== null) callback(error, "", 0);
      else if (first === undefined || !found.every(({ address }) => isFit(address)))
        callback(refusal(new URL(`https://${name}`), "expected a name of public addresses alone"), "", 0);
      else if (all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };

  /** Over a connection of its own, whose address was looked at. */
  async function ask(url: URL, request: Request): Promise<Response> {
    const body = Buffer.from(await request.arrayBuffer());
    const sent = Object.fromEntries(request.headers);
    for (const [name, value] of Object.entries(headers))
      if (sent[name.toLowerCase()] === value) delete sent[name.toLowerCase()];
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(limitMs)]);
    const send = url.protocol === "https:" ? requestSecurely : requestPlainly;
    const asked = send(url, { method: request.method, headers: sent, lookup, agent: false, signal });
    // What goes wrong while the answer is read is told by the answer.
    asked.on("error", () => {});
    const [answer] = (await once(asked.end(body), "response")) as [IncomingMessage];
    const { statusCode: status = 502, headers: said } = answer;
    return passOn(status, said.location ?? null, await readText(answer, url));
  }

  /** What is only read may have moved within the configured server, as by a slash at its end. */
  async function askOwn(url: URL, init: RequestInit, moves = 0): Promise<Response> {
    const response = await limitedFetch(url, init);
    const to = response.headers.get("location");
    const isMoved = response.status >= 300 && response.status < 400 && to !== null;
    if (!isMoved || (init.method ?? "GET") !== "GET" || !URL.canParse(to, url.href)) return response;
    const next = new URL(to, url);
    if (moves >= mostMoves || !isOwn(next)) return response;
    await response.body?.cancel();
    return askOwn(next, init, moves + 1);
  }

  async function guarded(given: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(given);
    const manual = { ...init, redirect: "manual" as const };
    if (isOwn(url)) return askOwn(url, manual);
    try {
      check(url);
      if (url.origin !== issuer?.origin) return await ask(url, new Request(url, manual));
      const response = await limitedFetch(url, manual);
      return passOn(response.status, response.headers.get("location"), await response.text());
    } catch (error) {
      // The SDK goes on without what fails in any other way, and its reason would be lost.
      throw error instanceof TypeError ? error : new TypeError("not asked", { cause: error });
    }
  }
  return Object.assign(guarded, { check });
}

/** What another server answered, as far as it is passed on. */
function passOn(status: number, location: string | null, text: string): Response {
  const headers = { "content-type": "application/json", ...(location !== null && { location }) };
  const isOk = status >= 200 && status < 300;
  const body = isOk ? (isObject(parseJson(text)) ? text : "") : JSON.stringify({ error: codeIn(text) });
  const hasNone = status === 204 || status === 205 || status === 304;
  return new Response(hasNone ? null : body, { status, headers });
}

/** The code of a refusal, https://www.rfc-editor.org/rfc/rfc6749#section-5.2, without what is said beside it. */
function codeIn(text: string): string {
  const found = /"error"\s*:\s*"([a-z_]{1,64})"/.exec(text)?.[1];
  return found !== undefined && isObject(parseJson(text)) ? found : "server_error";
}

async function readText(answer: AsyncIterable<Buffer>, url: URL): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    size += part.length;
    if (size > mostBytes) throw refusal(url, `expected at most ${mostBytes / 1024 / 1024} MB of answer`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function refusal(url: URL, why: string): CountersignError {
  const what = `${url.protocol}//${url.host}`;
  const message = `${why}, got ${what}, which the server's metadata name; nothing was sent there. If that is right, name it as oauth.issuer`;
  return new CountersignError("address_refused", message);
}

/** Names of this machine, and its addresses. */
function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === "localhost" || host.endsWith(".localhost");
  return loopback.check(host, familyOf(host));
}

/** Whether an address belongs to the internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  // An address of IPv4 in one of IPv6, as networks without the former write it.
  const embedded = isIPv6(address) && nat64.check(address, "ipv6") ? lastBytes(address) : address;
  if (special.check(embedded, familyOf(embedded))) return false;
  return !isIPv6(embedded) || global.check(embedded, "ipv6");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

function lastBytes(address: string): string {
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const words = address
    .split(":")
    .slice(-2)
    .map((word) => Number.parseInt(word === "" ? "0" : word, 16));
  return words.flatMap((word) => [word >> 8, word & 255]).join(".");
}

function listOf(subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(" ")) {
    const [address = "", bits = ""] = subnet.split("/");
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

const loopback = listOf("127.0.0.0/8 ::1/128");
const nat64 = listOf("64:ff9b::/96");
const global = listOf("2000::/3");
const special = listOf(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
    "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 " +
    "2001::/23 2001:db8::/32 2002::/16 3fff::/20",
);
