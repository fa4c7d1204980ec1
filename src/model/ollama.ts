import { setTimeout as delay } from "node:timers/promises";

import type { ChatRequest, Ollama } from "ollama";

import type { ModelAnswer, ModelPort, ModelRequest } from "#contract/model.ts";

import { ModelError, rootMessage } from "./errors.ts";
import { guardedFetch } from "./ollama-fetch.ts";
import { maxAnswerChars, maxAnswerTokens } from "./options.ts";
import type { OllamaOptions } from "./options.ts";
import { withoutThinking } from "./thinking.ts";

const probeMs = 3_000;

/** Models over a server that speaks Ollama's API. */
export function createOllama(options: OllamaOptions): ModelPort {
  const { model, base_url: host } = options;
  const timeoutMs = options.timeout_ms ?? 60_000;
  const retries = options.retries ?? 2;
  const { minMs, maxMs } = options.retry ?? { minMs: 250, maxMs: 4_000 };
  // Whether the model takes `think`; unknown until it was asked.
  let thinks = true;

  async function client(signal: AbortSignal): Promise<Ollama> {
    // Loaded on first use: the builtin planner needs none of it.
    const { Ollama: Client } = await import("ollama");
    return new Client({ host, fetch: guardedFetch(signal) });
  }

  async function answerOnce(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const chat: ChatRequest & { stream: true } = {
      model,
      messages: [
        { role: "system", content: request.system },
        { role: "user", content: request.prompt },
      ],
      stream: true,
      keep_alive: options.keep_alive ?? "10m",
      options: { temperature: 0, num_predict: maxAnswerTokens },
      ...(request.schema === undefined ? {} : { format: request.schema }),
      ...(thinks ? { think: false } : {}),
    };
    const stream = await (await client(signal)).chat(chat);
    let text = "";
    let usage: ModelAnswer["usage"];
    for await (const part of stream) {
      signal.throwIfAborted();
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
      ...(usage === undefined ? {} : { usage }),
    };
  }

  function toModelError(error: unknown, request: ModelRequest, limit: AbortSignal): ModelError {
    if (request.signal.aborted)
      return new ModelError("model_stopped", "The answer was stopped.", { cause: error });
    if (limit.aborted) {
      const message = `The model ${model} gave no full answer within ${timeoutMs / 1000} s.`;
      return new ModelError("model_timeout", message, { cause: error });
    }
    if (error instanceof ModelError) return error;
    const status = statusOf(error);
    if (status === 404) {
      const message = `The model ${model} is not on ${host}. Get it with: ollama pull ${model}`;
      return new ModelError("model_not_found", message, { cause: error });
    }
    if (status !== undefined || (error instanceof Error && !(error instanceof TypeError))) {
      const said = status === undefined ? rootMessage(error) : `HTTP ${status}: ${rootMessage(error)}`;
      return new ModelError("model_failed", `The model server at ${host} failed: ${said}`, { cause: error });
    }
    // fetch reports every kind of connection failure as a TypeError.
    const message = `The model server at ${host} cannot be reached: ${rootMessage(error)}`;
    return new ModelError("model_unreachable", message, { cause: error });
  }

  async function generate(request: ModelRequest): Promise<ModelAnswer> {
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([request.signal, limit]);
    for (let failures = 0; ;) {
      try {
        signal.throwIfAborted();
        return await answerOnce(request, signal);
      } catch (cause) {
        if (thinks && !signal.aborted && refusesThinking(cause)) {
          thinks = false;
          continue;
        }
        const error = toModelError(cause, request, limit);
        failures += 1;
        if (failures > retries || !mayPass(error)) throw error;
        const pause = Math.min(maxMs, minMs * 2 ** (failures - 1));
        await delay(pause / 2 + (Math.random() * pause) / 2, undefined, { signal }).catch(() => {});
      }
    }
  }

  async function probe(signal?: AbortSignal): Promise<{ reachable: boolean; reason?: string }> {
    const limit = AbortSignal.timeout(probeMs);
    try {
      const ask = await client(signal === undefined ? limit : AbortSignal.any([signal, limit]));
      const { models } = await ask.list();
      if (models.some((known) => sameModel(known.name, model))) return { reachable: true };
      return {
        reachable: false,
        reason: `The model ${model} is not on ${host}. Get it with: ollama pull ${model}`,
      };
    } catch (error) {
      const why = limit.aborted ? `no answer within ${probeMs / 1000} s` : rootMessage(error);
      return { reachable: false, reason: `The model server at ${host} cannot be used: ${why}` };
    }
  }

  return { provider: "ollama", model, generate, probe };
}

/** Ollama reads a name without a tag as `latest`. */
function sameModel(known: string, wanted: string): boolean {
  return known === (wanted.includes(":") ? wanted : `${wanted}:latest`);
}

/** Failures that another try may not meet. */
function mayPass(error: ModelError): boolean {
  if (error.code === "model_unreachable") return true;
  const status = statusOf(error.cause);
  return error.code === "model_failed" && (status === undefined || status >= 500 || status === 429);
}

/** Models that cannot think are refused by the server when `think` is given at all. */
function refusesThinking(error: unknown): boolean {
  return statusOf(error) === 400 && error instanceof Error && /think/i.test(error.message);
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("status_code" in error)) return undefined;
  return typeof error.status_code === "number" ? error.status_code : undefined;
}
