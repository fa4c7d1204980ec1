import type { ModelPort, ProviderName } from "#contract/model.ts";

import { messageOf } from "../base/errors.ts";
import { createModels, type ProviderSettings } from "./providers.ts";

export interface ModelSelectorOptions extends ProviderSettings {
  /** `auto`: Ollama while it answers and has the model, else the fallbacks, else the built-in planner. */
  provider: "auto" | ProviderName | "builtin";
  log: { info(data: object, message: string): void; warn(data: object, message: string): void };
  /** Stands before the models in use, to see what they are asked. */
  watched?: (port: ModelPort) => ModelPort;
  /** Pause between two looks at the model server. Default 30 000. */
  intervalMs?: number;
}

/** What plans now. Without a `port` the built-in planner does. */
interface ModelState {
  port?: ModelPort;
  provider: ProviderName | "builtin";
  model: string;
  /** Whether the chosen provider answers; the built-in one always does. */
  reachable: boolean;
  /** Why the configured model is not in use. */
  reason?: string;
}

export interface ModelSelector {
  current(): ModelState;
  /** Looks once and goes on looking. */
  start(): Promise<void>;
  stop(): void;
  /** Somebody looks at how it is: looks again beside, unless the last look was just now. */
  freshen(): void;
  /** Looks again now, after a model call failed. Concurrent callers share one look. */
  refresh(): Promise<ModelState>;
}

/** How old what people see of a server of their own may become while they look. */
const FRESH_MS = 2_500;

const builtin: ModelState = { provider: "builtin", model: "builtin", reachable: true };

export function createModelSelector(options: ModelSelectorOptions): ModelSelector {
  const { provider, log, watched = (port) => port } = options;
  const intervalMs = options.intervalMs ?? 30_000;
  if (provider === "builtin") {
    return {
      current: () => builtin,
      start: () => Promise.resolve(),
      stop: () => {},
      freshen: () => {},
      refresh: () => Promise.resolve(builtin),
    };
  }
  const port = watched(createModels(provider === "auto" ? "ollama" : provider, options));
  const mayFallBack = provider === "auto" || options.fallback?.includes("builtin") === true;
  const ended = new AbortController();
  let state: ModelState = toState(false, "The model server has not been asked yet.");
  let looking: Promise<ModelState> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function toState(reachable: boolean, reason?: string): ModelState {
    const chosen = { port, provider: port.provider, model: port.model, reachable };
    if (reachable) return chosen;
    // Where the operator insists on a model it is asked each time, and each reply says that it failed.
    return { ...(mayFallBack ? builtin : chosen), ...(reason !== undefined && { reason }) };
  }

  async function look(): Promise<ModelState> {
    const { reachable, reason } = await port.probe(ended.signal);
    if (ended.signal.aborted) return state;
    const before = state;
    state = toState(reachable, reason);
    const changed = before.provider !== state.provider || before.reachable !== state.reachable;
    const { model } = state;
    if (changed && reachable) log.info({ provider: state.provider, model }, "model in use");
    else if (changed || before.reason !== state.reason) {
      log.warn({ provider: state.provider, model, reason }, "configured model not usable");
    }
    return state;
  }

  function refresh(): Promise<ModelState> {
    looking ??= look().finally(() => {
      looking = undefined;
      lookedAt = performance.now();
      clearTimeout(timer);
      if (!ended.signal.aborted) timer = setTimeout(lookLater, intervalMs);
    });
    return looking;
  }

  let lookedAt = 0;
  // A server of one's own can be asked often, and those of others are not to be.
  const freshMs = port.provider === "ollama" ? FRESH_MS : intervalMs;

  function lookLater(): void {
    refresh().catch((error: unknown) =>
      log.warn({ error: messageOf(error) }, "could not look for the model"),
    );
  }

  return {
    current: () => state,
    async start() {
      await refresh();
    },
    stop() {
      ended.abort();
      clearTimeout(timer);
    },
    freshen() {
      if (lookedAt > 0 && performance.now() - lookedAt > freshMs && !ended.signal.aborted) lookLater();
    },
    refresh,
  };
}
