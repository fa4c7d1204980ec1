import type { ModelPort, ModelStage } from "#contract/model.ts";

import { codeOf } from "../base/errors.ts";

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
          if (request.signal.aborted || !mayBeAnotherOnes(error)) throw error;
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

function mayBeAnotherOnes(error: unknown): boolean {
  const code = codeOf(error);
  return code?.startsWith("model_") === true && code !== "model_stopped";
}
