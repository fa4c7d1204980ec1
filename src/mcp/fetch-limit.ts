import { CountersignError } from "../base/errors.ts";
import { maxMessageBytes } from "./options.ts";

/**
 * A fetch whose responses may not hold a message of more than `maxMessageBytes`: the whole body, or
 * one line of an event stream. Reading on then fails with code `too_large`.
 */
export function limitedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  return fetch(url, init).then((response) => {
    if (response.body === null) return response;
    // A body that says its length has no more than that.
    const length = Number(response.headers.get("content-length") ?? Number.NaN);
    if (length <= maxMessageBytes && response.headers.get("content-encoding") === null) return response;
    const stream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const body = response.body.pipeThrough(byteLimit(maxMessageBytes, stream));
    return new Response(body, response);
  });
}

function byteLimit(limit: number, resetAtLineEnd: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = resetAtLineEnd ? chunk.lastIndexOf(10) : -1;
      size = lineEnd === -1 ? size + chunk.length : chunk.length - lineEnd - 1;
      if (size > limit) {
        throw new CountersignError(
          "too_large",
          `the server sent a message of more than ${limit / 1024 / 1024} MB`,
        );
      }
      controller.enqueue(chunk);
    },
  });
}
