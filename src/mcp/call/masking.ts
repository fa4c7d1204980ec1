import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { QuestionDraft } from "#contract/question.ts";
import type { CallFile, CallOutcome, CallProgress, CallRequest, SamplingRequest } from "#contract/tool.ts";

import { literally } from "../../base/matching.ts";
import type { McpLog } from "../ports.ts";

const mask = "[redacted]";
/** Shorter ones would mask half of every answer. */
const shortest = 4;

/** Masks what a call was sent with, wherever the server says it back. */
export interface Mask {
  text: (value: string) => string;
  json: <Value extends JsonValue>(value: Value) => Value;
}

/**
 * Each value as it is, and as URLs, JSON, Base64 and hexadecimal text write it; and the host of each of
 * `addresses`, where that says whose site it is.
 */
export function createMask(secrets: readonly string[], addresses: readonly string[] = secrets): Mask {
  const forms = [...new Set([...secrets.flatMap(formsOf), ...addresses.flatMap(hostOf)])]
    .filter((form) => form.length >= shortest)
    .toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map(literally).join("|"), "gi");
  const text = (value: string): string => (forms.length === 0 ? value : value.replace(pattern, mask));

  function walk(value: JsonValue): JsonValue {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), walk(item)]));
  }
  return { text, json: (value) => walk(value) as typeof value };
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString("hex"),
    // As a file holds it, which is read byte by byte.
    bytes.toString("latin1"),
    ...base64Forms(bytes),
  ];
}

function hostOf(address: string): string[] {
  return /^(?:https?:\/\/)?([^/]+)/i.exec(address)?.slice(1, 2) ?? [];
}

/** The value may stand in the middle of what was encoded: only whole groups of three bytes look the same. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const rest = bytes.subarray(offset);
    const whole = rest.subarray(0, rest.length - (rest.length % 3));
    // Few letters alone could be anything.
    return whole.length < 6 ? [] : [whole.toString("base64"), whole.toString("base64url")];
  });
}

/** The request with everything that the server says meanwhile masked. */
export function maskRequest<Request extends CallRequest>(request: Request, { text, json }: Mask): Request {
  const { onProgress, ask, sample } = request;
  const masked = <Draft extends object>(draft: Draft): Draft => json(draft as JsonObject) as Draft;
  return {
    ...request,
    ...(onProgress && {
      onProgress: (progress: CallProgress) =>
        onProgress({
          ...progress,
          ...(progress.message !== undefined && { message: text(progress.message) }),
          ...(progress.detail !== undefined && { detail: text(progress.detail) }),
        }),
    }),
    ...(ask && { ask: (draft: QuestionDraft, signal: AbortSignal) => ask(masked(draft), signal) }),
    ...(sample && {
      sample: (wanted: SamplingRequest, signal: AbortSignal) => sample(masked(wanted), signal),
    }),
  };
}

export function maskOutcome(outcome: CallOutcome, mask: Mask): CallOutcome {
  const { data, text, error, files } = outcome;
  return {
    ...outcome,
    data: mask.json(data),
    ...(text !== undefined && { text: mask.text(text) }),
    ...(error && { error: { ...error, message: mask.text(error.message) } }),
    ...(files && { files: files.map((file) => maskFile(file, mask)) }),
  };
}

/** Byte by byte, so that it does not matter what kind of file it is. */
function maskFile(file: CallFile, { text }: Mask): CallFile {
  const named = { ...file, name: text(file.name) };
  if (file.data === undefined) return named;
  const before = Buffer.from(file.data, "base64").toString("latin1");
  const after = text(before);
  if (after === before) return named;
  const bytes = Buffer.from(after, "latin1");
  return { ...named, data: bytes.toString("base64"), bytes: bytes.length };
}

/** A log in which what a server was lately sent stays masked, whatever the server writes to its own log. */
export interface SecretLog extends McpLog {
  /** From now on these are masked in lines about the server, and in no others. */
  sent(server: string, secrets: readonly string[]): void;
}

/** Sites a server is remembered to have been sent to; the one longest unused goes. */
const mostRemembered = 100;

export function createSecretLog(log: McpLog): SecretLog {
  const remembered = new Map<string, Map<string, readonly string[]>>();
  const masks = new Map<string, Mask>();

  function masked<Level extends keyof McpLog>(level: Level): McpLog[Level] {
    return (data, message) => {
      const mask = "server" in data ? masks.get(String(data.server)) : undefined;
      if (mask === undefined) log[level](data, message);
      else log[level](mask.json(data as JsonObject), mask.text(message));
    };
  }

  return {
    debug: masked("debug"),
    info: masked("info"),
    warn: masked("warn"),
    error: masked("error"),
    sent(server, secrets) {
      const known = remembered.get(server) ?? new Map<string, readonly string[]>();
      remembered.set(server, known);
      const key = JSON.stringify(secrets);
      const isNew = !known.delete(key);
      known.set(key, secrets);
      if (!isNew) return;
      const [oldest] = known.keys();
      if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
      masks.set(server, createMask([...known.values()].flat()));
    },
  };
}
