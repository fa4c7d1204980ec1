import type { ChatRequest, Ollama } from "ollama";

import type { EmbedPort, ModelAnswer, ModelPort, ModelRequest } from "#contract/model.ts";

import { type Peer, rootMessage, statusOf } from "./errors.ts";
import { guardedFetch } from "./ollama-fetch.ts";
import { createContextSize } from "./context-size.ts";
import { maxAnswerChars, maxAnswerTokens, type OllamaOptions, probeMs, type TryOptions } from "./options.ts";
import { withoutThinking } from "./thinking.ts";
import { withTries } from "./tries.ts";

/** Models over a server that speaks Ollama's API. */
export function createOllama(options: OllamaOptions): ModelPort {
  const { model, base_url: host } = options;
  const peer = peerOf(host, model);
  const context = createContextSize(options.num_ctx ?? 0);
  // Whether the model takes `think`; unknown until it was asked.
  let thinks = true;

  async function answerOnce(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
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
      ...(request.schema === undefined ? {} : { format: request.schema }),
      ...(thinks ? { think: false } : {}),
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
      ...(usage === undefined ? {} : { usage }),
    };
  }

  async function answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    try {
      return await answerOnce(request, signal);
    } catch (error) {
      if (!thinks || signal.aborted || !refusesThinking(error)) throw error;
      thinks = false;
      return answerOnce(request, signal);
    }
  }

  async function probe(signal?: AbortSignal): Promise<{ reachable: boolean; reason?: string }> {
    const limit = AbortSignal.timeout(probeMs);
    try {
      const ask = await connect(host, signal === undefined ? limit : AbortSignal.any([signal, limit]));
      const { models } = await ask.list();
      if (!models.some((known) => sameModel(known.name, model)))
        return { reachable: false, reason: `The model ${model} is not on ${host}. ${peer.remedy}` };
      if (context.isUnknown()) context.learn(await ask.show({ model }).catch(() => undefined));
      return { reachable: true };
    } catch (error) {
      const why = limit.aborted ? `no answer within ${probeMs / 1000} s` : rootMessage(error);
      return { reachable: false, reason: `The model server at ${host} cannot be used: ${why}` };
    }
  }

  return {
    provider: "ollama",
    model,
    generate: (request) => withTries(request.signal, peer, options, (signal) => answer(request, signal)),
    probe,
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
      try {
        const ask = await connect(host, AbortSignal.any([signal, AbortSignal.timeout(probeMs)]));
        return (await ask.list()).models.some((known) => sameModel(known.name, model));
      } catch {
        return false;
      }
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
  const options = { timeout_ms: 24 * 3_600_000, retries: 0 };
  await withTries(signal, peerOf(host, model), options, async (both) => {
    const stream = await (await connect(host, both)).pull({ model, stream: true });
    for await (const { status, completed, total } of stream) {
      onProgress({
        status,
        ...(completed === undefined ? {} : { completed }),
        ...(total === undefined ? {} : { total }),
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
function sameModel(known: string, wanted: string): boolean {
  return known === (wanted.includes(":") ? wanted : `${wanted}:latest`);
}

/** Models that cannot think are refused by the server when `think` is given at all. */
function refusesThinking(error: unknown): boolean {
  return statusOf(error) === 400 && error instanceof Error && /think/i.test(error.message);
}
