import { isObject, parseJson } from "../base/json.ts";
import { ModelError, StatusError } from "./errors.ts";
import { maxResponseBytes } from "./tries.ts";

/**
 * One request with a JSON answer. Redirects are errors, as a key must not follow one elsewhere; the
 * answer is bounded. Rejects with StatusError, or TypeError when there is no connection.
 */
export async function requestJson(
  url: string,
  { apiKey, body, signal }: { apiKey: string; body?: object; signal: AbortSignal },
): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...(apiKey !== "" && { authorization: `Bearer ${apiKey}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: "error",
    signal,
  });
  const text = await boundedText(response);
  if (!response.ok) {
    throw new StatusError(response.status, errorIn(text) ?? response.statusText, retryAfter(response));
  }
  const answer = parseJson(text);
  if (answer !== undefined) return answer;
  const message = "the model server answered with something that is not JSON";
  throw new ModelError("model_failed", message, { mayPass: true });
}

/** A fetch whose responses are bounded and follow no redirect, for libraries that take one. */
export async function boundedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "error" });
  const { status, statusText, headers } = response;
  return new Response(await boundedText(response), { status, statusText, headers });
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxResponseBytes)
      throw new ModelError("model_failed", "the model server sent more than 16 MB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The message of an error as servers word it: `{"error": {"message"}}`, `{"error": "…"}` or plain text. */
function errorIn(text: string): string | undefined {
  const answer = parseJson(text);
  if (answer === undefined || answer === null) return text.trim().slice(0, 200) || undefined;
  const { error, message } = isObject(answer) ? answer : {};
  if (typeof error === "string") return error.slice(0, 500);
  const inner = isObject(error) && "message" in error ? error.message : message;
  return typeof inner === "string" ? inner.slice(0, 500) : undefined;
}

function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

const opening = "<think>";
const closing = "</think>";

/**
 * An answer without the thoughts that a model puts before it. A thought that never ends leaves
 * nothing; a template that opened the thought itself leaves a lone closing tag.
 */
export function withoutThinking(text: string): string {
  const start = text.trimStart();
  if (start.startsWith(opening)) {
    const end = start.indexOf(closing);
    return end === -1 ? "" : start.slice(end + closing.length).trimStart();
  }
  const end = text.indexOf(closing);
  const lone = end !== -1 && !text.slice(0, end).includes(opening);
  return lone ? text.slice(end + closing.length).trimStart() : text;
}
