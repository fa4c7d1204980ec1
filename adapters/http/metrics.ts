import type { Context, Hono } from "hono";

import type { Metrics } from "#contract/metrics.ts";

import { ApiError } from "./errors.ts";
import { type HttpEnv, requiredIdentity } from "./identity.ts";

export const METRICS_PATH = "/metrics";

/** Answers that are being written at once; who takes longer than this, in milliseconds, to read one is cut off. */
const MOST_AT_ONCE = 4;
const STALLED_MS = 10_000;

/** What is counted, for operators and whoever has the token for it. A reader that stalls holds up nobody. */
export function addMetricsRoute(
  app: Hono<HttpEnv>,
  metricsFor: (c: Context<HttpEnv>) => Metrics | undefined,
): void {
  let open = 0;

  app.get(METRICS_PATH, async (c) => {
    const metrics = metricsFor(c);
    if (metrics === undefined) {
      requiredIdentity(c);
      const message = "What is counted is for operators, tokens with role: operator, and for metrics.token.";
      throw new ApiError(403, "not_eligible", message);
    }
    if (open >= MOST_AT_ONCE) {
      const message = `${MOST_AT_ONCE} others are reading this at the moment; expected one or two.`;
      throw new ApiError(503, "busy", message, { headers: { "retry-after": "10" } });
    }
    const { outgoing } = c.env;
    open += 1;
    outgoing.once("close", () => (open -= 1));
    outgoing.setTimeout(STALLED_MS, () => outgoing.destroy());
    return c.body(await metrics.read(), 200, { "content-type": metrics.contentType });
  });
}
