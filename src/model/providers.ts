import type { ModelErrorCode, ModelPort, ModelStage, ProviderName } from "#contract/model.ts";

import { codeOf, messageOf } from "../base/errors.ts";
import { ModelError } from "./errors.ts";
import { createGemini } from "./gemini.ts";
import { createOllama } from "./ollama.ts";
import { createOpenAi } from "./openai.ts";
import type { KeyedOptions, OllamaOptions } from "./tries.ts";

/** The settings of all providers, as in the configuration. */
export interface ProviderSettings {
  ollama: OllamaOptions;
  gemini?: KeyedOptions;
  openai?: KeyedOptions;
  /** Of every model. Default 0. */
  temperature?: number;
  /** Asked in this order when the chosen one does not answer. */
  fallback?: readonly (ProviderName | "builtin")[];
  /** Another model of a provider, or another provider, for some stages. */
  stages?: Partial<Record<ModelStage, { provider?: ProviderName; model?: string }>>;
}

/** One model of one provider, left alone for a while when it keeps failing. */
function createModel(name: ProviderName, settings: ProviderSettings, model?: string): ModelPort {
  const { temperature = 0 } = settings;
  switch (name) {
    case "ollama":
      return withBreaker(
        createOllama({ ...settings.ollama, temperature, ...(model !== undefined && { model }) }),
      );
    case "gemini":
      return withBreaker(createGemini({ ...keyed(settings.gemini, model), temperature }));
    case "openai":
    default:
      return withBreaker(createOpenAi({ ...keyed(settings.openai, model), temperature }));
  }
}

/** The models of a provider: its own, then the fallbacks, with those that single stages have of their own. */
export function createModels(name: ProviderName, settings: ProviderSettings): ModelPort {
  const others = (settings.fallback ?? []).filter((one) => one !== "builtin" && one !== name);
  const fallbacks = others.map((one) => createModel(one as ProviderName, settings));
  const usual = chainOf([createModel(name, settings), ...fallbacks]);
  const special: Partial<Record<ModelStage, ModelPort>> = {};
  for (const stage of ["perception", "decision", "response"] as const) {
    const wanted = settings.stages?.[stage];
    if (wanted === undefined) continue;
    const own = createModel(wanted.provider ?? name, settings, wanted.model);
    // What a stage's own model does not answer, the usual one does.
    special[stage] = chainOf([own, usual]);
  }
  return byStage(usual, special);
}

function keyed(options: KeyedOptions | undefined, model: string | undefined): KeyedOptions {
  const { base_url = "", api_key = "", ...rest } = options ?? { model: "" };
  return { ...rest, base_url, api_key, model: model ?? rest.model };
}

/**
 * Models in the order in which they are asked: the next one when one does not answer. A chain answers
 * as the model that did; its own name is the first one's.
 */
export function chainOf(ports: readonly [ModelPort, ...ModelPort[]]): ModelPort {
  const [first] = ports;
  if (ports.length === 1) return first;
  return {
    provider: first.provider,
    model: first.model,
    async generate(request) {
      let failure: unknown;
      for (const port of ports) {
        try {
          return await port.generate(request);
        } catch (error) {
          failure ??= error;
          if (request.signal.aborted || !isWorthAnotherModel(error)) throw error;
        }
      }
      throw failure;
    },
    async probe(signal) {
      const reasons: string[] = [];
      for (const port of ports) {
        const found = await port.probe(signal);
        if (found.reachable) return found;
        if (found.reason !== undefined) reasons.push(found.reason);
      }
      return { reachable: false, reason: reasons.join(" ") };
    },
  };
}

/** One port that asks another model for some stages. */
export function byStage(usual: ModelPort, special: Partial<Record<ModelStage, ModelPort>>): ModelPort {
  if (Object.keys(special).length === 0) return usual;
  return {
    provider: usual.provider,
    model: usual.model,
    generate: (request) => (special[request.stage] ?? usual).generate(request),
    probe: (signal) => usual.probe(signal),
  };
}

function isWorthAnotherModel(error: unknown): boolean {
  const code = codeOf(error);
  return code?.startsWith("model_") === true && code !== "model_stopped";
}

export interface BreakerOptions {
  /** Failures in a row after which the model is left alone. Default 3. */
  failures?: number;
  /** For so long, in ms; then one request is let through to try. Default 30 000. */
  restMs?: number;
  /** Milliseconds, monotonic or not. */
  now?: () => number;
}

/** What says that the server is in trouble, not the request. */
const OUTAGES: readonly ModelErrorCode[] = ["model_unreachable", "model_timeout", "model_failed"];

/**
 * A model that is left alone for a while after it failed several times in a row: people do not wait
 * through its time limits again and again. Meanwhile requests are refused at once.
 */
export function withBreaker(port: ModelPort, options: BreakerOptions = {}): ModelPort {
  const { failures: most = 3, restMs = 30_000, now = Date.now } = options;
  let failures = 0;
  let openUntil = 0;
  let lastMessage = "";
  let isTrying = false;

  return {
    provider: port.provider,
    model: port.model,
    async generate(request) {
      if (failures >= most) {
        if (now() < openUntil || isTrying) {
          const message = `The model ${port.model} failed ${failures} times in a row and is left alone for a while. The last failure: ${lastMessage}`;
          throw new ModelError("model_unreachable", message);
        }
        isTrying = true;
      }
      try {
        const answer = await port.generate(request);
        failures = 0;
        return answer;
      } catch (error) {
        if (OUTAGES.includes(codeOf(error) as ModelErrorCode)) {
          failures += 1;
          openUntil = now() + restMs;
          lastMessage = messageOf(error);
        }
        throw error;
      } finally {
        isTrying = false;
      }
    },
    async probe(signal) {
      const found = await port.probe(signal);
      // It answers and has the model: no need to wait any longer.
      if (found.reachable && failures >= most) failures = 0;
      return found;
    },
  };
}
