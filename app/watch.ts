import type { Logger } from "pino";

import type { Redactor } from "#src/base/redact.ts";
import type { Ledger } from "#src/ledger/ledger.ts";
import { createLog, type LogTarget } from "#src/observe/log.ts";
import { createMetrics, type MetricsOptions } from "#src/observe/metrics.ts";
import { openTracer, type Tracer } from "#src/observe/traces.ts";
import type { Watch } from "#src/observe/watched.ts";
import type { Settings } from "#src/settings/load.ts";

import { version } from "./settings.ts";

/** The log, and what sees everything pass to count and trace it. */
export async function openWatch(
  settings: Settings,
  parts: Pick<MetricsOptions, "figures" | "servers"> & {
    redactor: Redactor;
    target: LogTarget;
    env: NodeJS.ProcessEnv;
  },
): Promise<Watch & { log: Logger }> {
  const { redactor, target, env } = parts;
  const record = createMetrics({ ...parts, version });
  const log = await createLog({
    level: env.LOG_LEVEL ?? "info",
    redactor,
    target,
    onLine: (level) => record.logged(level),
    onDrop: () => record.lineDropped(),
  });
  let isDelivered = true;
  const tracer = await openTracer({
    ...settings.traces,
    version,
    mask: (text) => redactor.text(text),
    onDelivery(spans, error) {
      record.delivered(spans, error === undefined);
      // One that is away for long is told once.
      if (error !== undefined && isDelivered)
        log.warn({ error, url: settings.traces.otlp_url }, "traces could not be delivered");
      isDelivered = error === undefined;
    },
  });
  return { record, tracer, log };
}

/** A run that goes on with an approved change is told how long people took. */
export function watchedClaims(ledger: Ledger, tracer: Tracer): Ledger {
  return {
    ...ledger,
    async claim(...asked) {
      const claimed = await ledger.claim(...asked);
      if (claimed.ok) tracer.approved(claimed.approval);
      return claimed;
    },
  };
}
