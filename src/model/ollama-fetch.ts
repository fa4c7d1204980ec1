import { ModelError } from "./errors.ts";
import { maxResponseBytes } from "./options.ts";

/**
 * A fetch for the `ollama` package, which takes neither a signal nor a limit, and prints what it
 * cannot read: responses end with the signal, are bounded, and hold JSON or nothing.
 */
export function guardedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const signals = init?.signal == null ? [signal] : [signal, init.signal];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    if (!response.ok) {
      const text = (await response.text()).slice(0, 2_000);
      const body = isJsonObject(text) ? text : JSON.stringify({ error: text.trim() });
      const { status, statusText } = response;
      return new Response(body, { status, statusText, headers: { "content-type": "application/json" } });
    }
    const body = response.body?.pipeThrough(jsonLines()) ?? null;
    return new Response(body, response);
  };
}

/** Passes lines of JSON objects on and fails at anything else. */
function jsonLines(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let atLineStart = true;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > maxResponseBytes)
        throw new ModelError("model_failed", "the model server sent more than 16 MB");
      for (const byte of chunk) {
        const brace = byte === 0x7b;
        const blank = byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
        if (atLineStart && !brace && !blank) {
          throw new ModelError("model_failed", "the model server answered with something that is not JSON");
        }
        atLineStart = byte === 0x0a || (atLineStart && blank);
      }
      controller.enqueue(chunk);
    },
  });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
