import type { ModelErrorCode, ModelPort } from "#contract/model.ts";

import { codeOf, messageOf } from "../base/errors.ts";
import { ModelError } from "./errors.ts";

export interface BreakerOptions {
  /** Failures in a row after which the model is left alone. Default 3. */
  failures?: number;
  /** For so long, in ms; then one request is let through to try. Default 30 000. */
  restMs?: number;
  /** Milliseconds, monotonic or not. */
  now?: () => number;
}

/** What says that the server is in trouble, not the request. */
const TROUBLE: readonly ModelErrorCode[] = ["model_unreachable", "model_timeout", "model_failed"];

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
        if (TROUBLE.includes(codeOf(error) as ModelErrorCode)) {
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
