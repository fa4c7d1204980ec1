import { once } from "node:events";
import { type IncomingMessage, request as requestPlainly } from "node:http";
import { request as requestSecurely } from "node:https";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

import { messageOf, ToolFailure } from "../kit/tool.ts";
import { checkUrl, guardedLookup, isPublic, type Resolve, resolveName } from "./addresses.ts";

export interface Fetched {
  /** After redirects. */
  url: URL;
  /** In lower case, without parameters; empty where the server names none. */
  contentType: string;
  text: string;
}

/** Where tests say what the world is like. */
export interface FetchOptions {
  resolve?: Resolve;
  isAllowed?: (address: string) => boolean;
  /** For all of it, redirects and body included, in milliseconds; default 20 000. */
  timeoutMs?: number;
  /** Of the body as it is after decompression; default 5 MB. */
  mostBytes?: number;
}

const MOST_REDIRECTS = 5;
const HEADERS = {
  accept: "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "Countersign (fetch_url)",
};

/**
 * Gets a text from the web. Every address on the way is checked, that of each redirect too, and connections go to the
 * addresses that were checked. Rejects with a ToolFailure: `bad_url`, `private_address`, `not_found`, `refused`,
 * `too_many_redirects`, `too_large`, `not_text`, `timeout`, `network`, `cancelled`.
 */
export async function fetchPage(
  address: string,
  signal: AbortSignal,
  options: FetchOptions = {},
): Promise<Fetched> {
  const { timeoutMs = 20_000, mostBytes = 5 * 1024 * 1024 } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const { url, answer } = await follow(address, AbortSignal.any([signal, limit]), options);
    // What is not read holds its connection open.
    try {
      return { url, ...(await readText(answer, url, mostBytes)) };
    } finally {
      answer.destroy();
    }
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    const cause = { cause: error };
    if (signal.aborted) throw new ToolFailure("cancelled", "the call was cancelled", cause);
    if (limit.aborted)
      throw new ToolFailure("timeout", `no whole answer came within ${timeoutMs / 1000} s`, cause);
    throw new ToolFailure("network", `the page cannot be reached: ${messageOf(error)}`, cause);
  }
}

async function follow(
  address: string,
  signal: AbortSignal,
  { resolve = resolveName, isAllowed = isPublic }: FetchOptions,
): Promise<{ url: URL; answer: IncomingMessage }> {
  const lookup = guardedLookup(resolve, isAllowed);
  let url = parseUrl(address);
  for (let moves = 0; moves <= MOST_REDIRECTS; moves += 1) {
    checkUrl(url, isAllowed);
    const send = url.protocol === "https:" ? requestSecurely : requestPlainly;
    const asked = send(url, { headers: HEADERS, lookup, agent: false, signal });
    // What goes wrong while the answer is read is told by the answer.
    asked.on("error", () => {});
    const [answer] = (await once(asked.end(), "response")) as [IncomingMessage];
    const { statusCode: status = 0, headers } = answer;
    if (status >= 200 && status < 300) return { url, answer };
    answer.destroy();
    if (status < 300 || status >= 400 || headers.location === undefined) throw refusal(status, url);
    url = parseUrl(headers.location, url);
  }
  throw new ToolFailure("too_many_redirects", `${url.host} redirects more than ${MOST_REDIRECTS} times`);
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url !== null) return url;
  throw new ToolFailure(
    "bad_url",
    `expected an address such as https://example.com/page, got "${text.slice(0, 200)}"`,
  );
}

function refusal(status: number, { host }: URL): ToolFailure {
  if (status === 404 || status === 410)
    return new ToolFailure("not_found", `${host} has no such page (${status})`);
  if (status === 401 || status === 403)
    return new ToolFailure("refused", `${host} does not show this page to everybody (${status})`);
  return new ToolFailure("refused", `${host} answered ${status} instead of a page`);
}

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
  ["br", () => createBrotliDecompress()],
]);

const TEXT = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|javascript|ecmascript)$|$)/;

async function readText(
  answer: IncomingMessage,
  { host }: URL,
  mostBytes: number,
): Promise<Omit<Fetched, "url">> {
  const [contentType = "", ...parameters] = (answer.headers["content-type"] ?? "")
    .toLowerCase()
    .split(/\s*;\s*/);
  if (!TEXT.test(contentType)) throw notText(host, contentType);
  const decoder = DECODERS.get(answer.headers["content-encoding"]?.trim().toLowerCase() ?? "");
  const body: Readable = decoder === undefined ? answer : decoded(answer, decoder());
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    parts.push(part);
    if (size > mostBytes)
      throw new ToolFailure("too_large", `the page of ${host} has more than ${mostBytes / 1024 / 1024} MB`);
  }
  const bytes = Buffer.concat(parts);
  if (bytes.subarray(0, 4096).includes(0)) throw notText(host, contentType || "something unknown");
  const named = parameters
    .find((parameter) => parameter.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  const inside = /<meta[^>]{0,200}?charset=["']?([\w-]{2,40})/i.exec(
    bytes.subarray(0, 2048).toString("latin1"),
  )?.[1];
  return { contentType, text: decode(bytes, named ?? inside ?? "utf-8") };
}

/** An answer that breaks off breaks off what is decoded from it. */
function decoded(answer: IncomingMessage, decoder: NodeJS.ReadWriteStream & Readable): Readable {
  answer.once("error", (error) => decoder.destroy(error));
  answer.pipe(decoder);
  return decoder;
}

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // A name that nobody knows.
    return bytes.toString("utf8");
  }
}

function notText(host: string, contentType: string): ToolFailure {
  return new ToolFailure(
    "not_text",
    `${host} answered with ${contentType.slice(0, 80)}: only text can be read`,
  );
}
