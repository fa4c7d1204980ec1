import type { ModelPort, ModelStage, ProviderName } from "#contract/model.ts";

import { withBreaker } from "./breaker.ts";
import { byStage, chainOf } from "./chain.ts";
import { createGemini } from "./gemini.ts";
import { createOllama } from "./ollama.ts";
import { createOpenAi } from "./openai.ts";
import type { KeyedOptions, OllamaOptions } from "./options.ts";

/** The settings of all providers, as in the configuration. */
export interface ProviderSettings {
  ollama: OllamaOptions;
  gemini?: KeyedOptions;
  openai?: KeyedOptions;
  /** Asked in this order when the chosen one does not answer. */
  fallback?: readonly (ProviderName | "builtin")[];
  /** Another model of a provider, or another provider, for some stages. */
  stages?: Partial<Record<ModelStage, { provider?: ProviderName; model?: string }>>;
}

/** One model of one provider, left alone for a while when it keeps failing. */
export function createModel(name: ProviderName, settings: ProviderSettings, model?: string): ModelPort {
  switch (name) {
    case "ollama":
      return withBreaker(createOllama({ ...settings.ollama, ...(model === undefined ? {} : { model }) }));
    case "gemini":
      return withBreaker(createGemini(keyed(settings.gemini, model)));
    case "openai":
    default:
      return withBreaker(createOpenAi(keyed(settings.openai, model)));
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
