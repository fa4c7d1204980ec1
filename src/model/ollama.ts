import type { ChatRequest, Ollama } from "ollama";

import type { EmbedPort, ModelAnswer, ModelPort, ModelRequest } from "#contract/model.ts";

import { isObject, parseJson } from "../base/json.ts";
import { HOUR_MS } from "../base/time.ts";
import { withoutThinking } from "./answers.ts";
import { ModelError, type Peer, statusOf } from "./errors.ts";
import {
  maxAnswerChars,
  maxAnswerTokens,
  maxResponseBytes,
  type OllamaOptions,
  probeWith,
  withoutRefused,
  type TryOptions,
  withTries,
} from "./tries.ts";

/** Models over a server that speaks Ollama's API. */
export function createOllama(options: OllamaOptions): ModelPort {
  const { model, base_url: host } = options;
  const peer = peerOf(host, model);
  const context = new ContextSize(options.num_ctx ?? 0);
  const refused = new Set<"think">();

  async function answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const chat: ChatRequest & { stream: true } = {
      model,
      messages: [
        { role: "system", content: request.system },
        { role: "user", content: request.prompt },
      ],
      stream: true,
      keep_alive: options.keep_alive ?? "10m",
      options: {
        temperature: 0,
        num_predict: maxAnswerTokens,
        num_ctx: context.sizeFor(`${request.system}${request.prompt}`),
      },
      ...(request.schema && { format: request.schema }),
      ...(!refused.has("think") && { think: false }),
    };
    const stream = await (await connect(host, signal)).chat(chat);
    let text = "";
    let usage: ModelAnswer["usage"];
    for await (const part of stream) {
      signal.throwIfAborted();
      // Thoughts come in a field of their own, which is not read.
      text += part.message?.content ?? "";
      if (part.done)
        usage = { promptTokens: part.prompt_eval_count ?? 0, answerTokens: part.eval_count ?? 0 };
      if (text.length > maxAnswerChars) {
        text = text.slice(0, maxAnswerChars);
        stream.abort();
        break;
      }
    }
    return {
      text: withoutThinking(text),
      structured: request.schema !== undefined,
      provider: "ollama",
      model,
      ...(usage && { usage }),
    };
  }

  return {
    provider: "ollama",
    model,
    generate: (request) =>
      withTries(request.signal, peer, options, (signal) =>
        withoutRefused(refused, () => answer(request, signal), refusedParameter),
      ),
    probe: (given) =>
      probeWith(peer, given, async (signal) => {
        const ask = await connect(host, signal);
        if (!(await hasModel(ask, model))) return `The model ${model} is not on ${host}. ${peer.remedy}`;
        if (context.isUnknown()) context.learn(await ask.show({ model }).catch(() => undefined));
        return undefined;
      }),
  };
}

/** Vectors of texts over a server that speaks Ollama's API. */
export function createOllamaEmbedder(
  options: TryOptions & { base_url: string; model: string; keep_alive?: string },
): EmbedPort & { probe(signal: AbortSignal): Promise<boolean> } {
  const { base_url: host, model } = options;
  return {
    model,
    embed: (texts, signal) =>
      withTries(signal, peerOf(host, model), options, async (both) => {
        const keep_alive = options.keep_alive ?? "10m";
        const ask = await connect(host, both);
        return (await ask.embed({ model, input: [...texts], keep_alive })).embeddings;
      }),
    async probe(signal) {
      const find = async (limited: AbortSignal): Promise<string | undefined> =>
        (await hasModel(await connect(host, limited), model)) ? undefined : "missing";
      return (await probeWith(peerOf(host, model), signal, find)).reachable;
    },
  };
}

/** Fetches a model onto its server, telling how far it is: bytes so far and in all, where known. */
export async function pullModel(
  host: string,
  model: string,
  onProgress: (progress: { status: string; completed?: number; total?: number }) => void,
  signal: AbortSignal,
): Promise<void> {
  const options = { timeout_ms: 24 * HOUR_MS, retries: 0 };
  await withTries(signal, peerOf(host, model), options, async (both) => {
    const stream = await (await connect(host, both)).pull({ model, stream: true });
    for await (const { status, completed, total } of stream) {
      onProgress({
        status,
        ...(completed !== undefined && { completed }),
        ...(total !== undefined && { total }),
      });
    }
  });
}

async function connect(host: string, signal: AbortSignal): Promise<Ollama> {
  // Loaded on first use: the builtin planner needs none of it.
  const { Ollama: Client } = await import("ollama");
  return new Client({ host, fetch: guardedFetch(signal) });
}

function peerOf(host: string, model: string): Peer {
  return {
    name: `The model server at ${host}`,
    place: host,
    model,
    remedy: `Get it with: ollama pull ${model}`,
  };
}

/** Ollama reads a name without a tag as `latest`. */
async function hasModel(client: Ollama, wanted: string): Promise<boolean> {
  const whole = wanted.includes(":") ? wanted : `${wanted}:latest`;
  return (await client.list()).models.some(({ name }) => name === whole);
}

/** Models that cannot think are refused by the server when `think` is given at all. */
function refusedParameter(error: unknown): "think" | undefined {
  return statusOf(error) === 400 && error instanceof Error && /think/i.test(error.message)
    ? "think"
    : undefined;
}

export interface EmbeddingOptions extends TryOptions {
  base_url: string;
  model: string;
  keep_alive?: string;
  /** Pause between two looks at the server, in ms. Default 60 000. */
  intervalMs?: number;
}

/** The embedding model, while its server answers and has it. */
export interface Embedding {
  current(): EmbedPort | undefined;
  /** Looks once and goes on looking. */
  start(): Promise<void>;
  stop(): void;
}

export function createEmbedding(options: EmbeddingOptions): Embedding {
  const embedder = createOllamaEmbedder(options);
  const ended = new AbortController();
  let isThere = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    isThere = await embedder.probe(ended.signal);
    if (ended.signal.aborted) return;
    timer = setTimeout(() => void look(), options.intervalMs ?? 60_000).unref();
  }

  return {
    current: () => (isThere ? embedder : undefined),
    start: look,
    stop() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}

/**
 * A fetch for the `ollama` package, which takes neither a signal nor a limit, and prints what it
 * cannot read: responses end with the signal, are bounded, and hold JSON or nothing.
 */
function guardedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const signals = init?.signal == null ? [signal] : [signal, init.signal];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    if (!response.ok) {
      const text = (await response.text()).slice(0, 2_000);
      const body = isObject(parseJson(text)) ? text : JSON.stringify({ error: text.trim() });
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

const SMALLEST = 4_096;
/** Where the model does not say how much it can hold. */
const USUAL = 32_768;
/** No tokenizer is at hand: this errs on the side of room. */
const CHARS_PER_TOKEN = 2.8;

/** How much context a server is asked for, in tokens. */
class ContextSize {
  readonly #fixed: number;
  #most: number | undefined;
  #current = SMALLEST;

  /** `fixed` other than 0 is what the operator wants, whatever the prompt. */
  constructor(fixed: number) {
    this.#fixed = fixed;
  }

  /** Enough for the prompt and an answer, and never less than before: a change makes the server load the model anew. */
  sizeFor(prompt: string): number {
    if (this.#fixed > 0) return this.#fixed;
    const needed = Math.ceil(prompt.length / CHARS_PER_TOKEN) + Math.min(maxAnswerTokens, 1_024);
    while (this.#current < needed) this.#current *= 2;
    return Math.min(this.#current, this.#most ?? USUAL);
  }

  isUnknown(): boolean {
    return this.#most === undefined;
  }

  /** Takes the model's own limit from the server's description of it. */
  learn(described: { model_info?: unknown } | undefined): void {
    const info = described?.model_info ?? {};
    // A Map or a plain object, by version of the package.
    const entries: [unknown, unknown][] = info instanceof Map ? [...info] : Object.entries(info);
    const found = entries.find(([key]) => String(key).endsWith(".context_length"))?.[1];
    this.#most = typeof found === "number" && found > 0 ? found : USUAL;
  }
}
