import { CountersignError } from "../base/errors.ts";
import { maxMessageBytes } from "./options.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * A fetch whose responses may not hold a message of more than `maxMessageBytes`: the whole body, or
 * one line of an event stream. Reading on then fails with code `too_large`.
 */
export function limitedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  return fetch(url, init).then((response) => {
    const { body, headers } = response;
    if (body === null) return response;
    // A body that says its length has no more than that.
    const length = Number(headers.get("content-length") ?? Number.NaN);
    if (length <= maxMessageBytes && headers.get("content-encoding") === null) return response;
    const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
    return limited(response, body, countBytes(maxMessageBytes, isStream));
  });
}

/**
 * The same response with readers that count. One made anew of a stream through a counting one would take
 * a tenth of the time of a call.
 */
function limited(response: Response, body: ReadableStream<Bytes>, count: (chunk: Bytes) => void): Response {
  let counted: ReadableStream<Bytes> | undefined;
  const text = (): Promise<string> => readAll(body, count);
  const notOffered = (): never => {
    throw new TypeError("a limited response is read as body, text or json");
  };
  return Object.defineProperties(response, {
    body: { get: () => (counted ??= countedStream(body, count)) },
    text: { value: text },
    json: { value: async (): Promise<unknown> => JSON.parse(await text()) },
    ...Object.fromEntries(
      ["arrayBuffer", "blob", "bytes", "clone", "formData"].map((name) => [name, { value: notOffered }]),
    ),
  });
}

/** Throws when a message is too large. */
function countBytes(limit: number, resetAtLineEnd: boolean): (chunk: Bytes) => void {
  let size = 0;
  return (chunk) => {
    const lineEnd = resetAtLineEnd ? chunk.lastIndexOf(10) : -1;
    size = lineEnd === -1 ? size + chunk.length : chunk.length - lineEnd - 1;
    if (size <= limit) return;
    const message = `the server sent a message of more than ${limit / 1024 / 1024} MB`;
    throw new CountersignError("too_large", message);
  };
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

function countedStream(body: ReadableStream<Bytes>, count: (chunk: Bytes) => void): ReadableStream<Bytes> {
  const reader = body.getReader();
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        try {
          count(value);
        } catch (error) {
          void reader.cancel(error).catch(() => {});
          throw error;
        }
        return controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead of whoever reads.
    { highWaterMark: 0 },
  );
}
