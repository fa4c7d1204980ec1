import { CountersignError } from "../../base/errors.ts";
import { pauseAfter } from "../../base/time.ts";
import { maxMessageBytes, slice } from "../limits.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export const lineFeed = 10;

/** `onLine`: called when lines of an event stream have come, comments too. */
export type Init = RequestInit & { onLine?: () => void };

/**
 * A fetch that fails with code `too_large` when a message (the whole body, or one line of an event stream) has
 * more than `maxMessageBytes`. Of an event stream it reads some messages at once.
 */
export async function limitedFetch(url: string | URL, init?: Init): Promise<Response> {
  const response = await fetch(url, init);
  const { body, headers } = response;
  if (body === null) return response;
  // A body that says its length has no more than that.
  const length = Number(headers.get("content-length") ?? Number.NaN);
  const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
  if (!isStream && length <= maxMessageBytes && headers.get("content-encoding") === null) return response;
  return limited(response, body, isStream, init?.onLine);
}

/**
 * The same response with readers that count. One made anew of a stream through a counting one would take
 * a tenth of the time of a call.
 */
function limited(
  response: Response,
  body: ReadableStream<Bytes>,
  isStream: boolean,
  onLine?: () => void,
): Response {
  const count = countBytes(isStream, onLine);
  let counted: ReadableStream<Bytes> | undefined;
  const text = (): Promise<string> => readAll(body, count);
  const notOffered = (): never => {
    throw new TypeError("a limited response is read as body, text or json");
  };
  return Object.defineProperties(response, {
    body: { get: () => (counted ??= countedStream(body, count, isStream)) },
    text: { value: text },
    json: { value: async (): Promise<unknown> => JSON.parse(await text()) },
    ...Object.fromEntries(
      ["arrayBuffer", "blob", "bytes", "clone", "formData"].map((name) => [name, { value: notOffered }]),
    ),
  });
}

/** Throws when a message is too large. */
function countBytes(resetAtLineEnd: boolean, onLine?: () => void): (chunk: Bytes) => void {
  let size = 0;
  return (chunk) => {
    const lineEnd = resetAtLineEnd ? chunk.lastIndexOf(lineFeed) : -1;
    if (lineEnd !== -1) onLine?.();
    size = lineEnd === -1 ? size + chunk.length : chunk.length - lineEnd - 1;
    if (size > maxMessageBytes) throw tooLarge();
  };
}

export function tooLarge(): CountersignError {
  const message = `the server sent a message of more than ${maxMessageBytes / 1024 / 1024} MB`;
  return new CountersignError("too_large", message);
}

async function readAll(body: ReadableStream<Bytes>, count: (chunk: Bytes) => void): Promise<string> {
  const parts: Bytes[] = [];
  // Leaving the loop by an error cancels the rest.
  for await (const chunk of body) {
    count(chunk);
    parts.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

function countedStream(
  body: ReadableStream<Bytes>,
  count: (chunk: Bytes) => void,
  isStream: boolean,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  /** What of a chunk was not handed on yet. */
  let left: Bytes | undefined;
  /** When the last messages were handed on; their effects are waited for before the next. */
  let handedOnMs: number | undefined;

  async function next(): Promise<Bytes | undefined> {
    if (left !== undefined) return left;
    const { done, value } = await reader.read();
    if (done) return undefined;
    try {
      count(value);
    } catch (error) {
      void reader.cancel(error).catch(() => {});
      throw error;
    }
    return value;
  }

  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        if (handedOnMs !== undefined) await pauseAfter(handedOnMs);
        const chunk = await next();
        if (chunk === undefined) return controller.close();
        // A line is not cut: its reader would put its pieces together again and again.
        const end = isStream ? chunk.indexOf(lineFeed, Math.min(slice.bytes, chunk.length - 1)) : -1;
        left = end === -1 || end === chunk.length - 1 ? undefined : chunk.subarray(end + 1);
        const piece = left === undefined ? chunk : chunk.subarray(0, end + 1);
        handedOnMs = isStream && piece.includes(lineFeed) ? performance.now() : undefined;
        return controller.enqueue(piece);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read before it is asked for.
    { highWaterMark: 0 },
  );
}

export type Fetch = (url: string | URL, init?: Init) => Promise<Response>;

/** Makes of a fetch one over which a call is sent once, whatever redirect answers it. */
export type Redirects = (fetch: Fetch) => Fetch;

/**
 * The SDK follows redirects within the origin and sends again what it had sent: a server that makes a change and
 * answers 307 would be asked for it six times. So calls follow none; they go where the handshake, or anything
 * else that is harmless to repeat, was redirected to, as from `/mcp` to `/mcp/`.
 */
export function createRedirects(address: string): Redirects {
  const configured = new URL(address).href;
  /** Where the last redirect of the configured address led, and where following one ended well. */
  let named: string | undefined;
  let moved: string | undefined;

  return (fetch) => async (url, init) => {
    const asked = new URL(url).href;
    const target = asked === configured ? (moved ?? asked) : asked;
    const response = await fetch(target, { ...init, redirect: "manual" });
    const location = locationOf(response, target);
    if (location === undefined) {
      if (asked === named && response.ok) moved = named;
      // It may be back where it was configured.
      if (target === moved && (response.status === 404 || response.status === 410)) moved = undefined;
      return response;
    }
    if (asked === configured) {
      named = location.href;
      moved = undefined;
    }
    return isCall(init) ? await unfollowed(response, location) : response;
  };
}

/** As the SDK writes it. What else it says of `method` is in a text, where quotes are escaped. */
function isCall(init: RequestInit | undefined): boolean {
  return typeof init?.body === "string" && init.body.includes('"method":"tools/call"');
}

function locationOf({ status, headers }: Response, from: string): URL | undefined {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  return location === null ? undefined : (URL.parse(location, from) ?? undefined);
}

async function unfollowed(response: Response, to: URL): Promise<Response> {
  await response.text().catch(() => {});
  to.username = to.password = to.search = to.hash = "";
  const why = `a call is sent to one address only and not on to ${to.href}; if that is the server, use it as its url`;
  return new Response(why, { status: response.status });
}
