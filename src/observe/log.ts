import { type DestinationStream, type Logger, pino } from "pino";

import type { JsonValue } from "#contract/json.ts";

import type { Redactor } from "../base/redact.ts";

/** Where log lines go: machine-readable lines on stdout, readable ones on a terminal, or a file. */
export type LogTarget = { kind: "json" } | { kind: "pretty" } | { kind: "file"; path: string };

/**
 * The log of the process. Everything that is logged passes through the redactor, so a secret cannot
 * leave by a careless line.
 */
export async function createLog(options: {
  level: string;
  redactor: Redactor;
  target: LogTarget;
}): Promise<Logger> {
  const { redactor } = options;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => redactor.json(toJson(line)) as Record<string, unknown>,
      },
      hooks: {
        logMethod(args, method) {
          const safe = args.map((arg: unknown) => (typeof arg === "string" ? redactor.text(arg) : arg));
          method.apply(this, safe as Parameters<typeof method>);
        },
      },
    },
    await openTarget(options.target),
  );
}

async function openTarget(target: LogTarget): Promise<DestinationStream> {
  if (target.kind === "file")
    return pino.destination({ dest: target.path, mkdir: true, sync: true, mode: 0o600 });
  if (target.kind === "json") return pino.destination({ dest: 1, sync: true });
  const { default: pretty } = await import("pino-pretty");
  return pretty({ sync: true, translateTime: "HH:MM:ss", ignore: "pid,hostname" });
}

/** What a log line holds, as plain JSON; errors keep their code, message and stack. */
function toJson(value: unknown): JsonValue {
  const seen = new WeakSet();
  const text = JSON.stringify(value, (_, item: unknown) => {
    if (item instanceof Error) {
      const code = "code" in item ? { code: String(item.code) } : {};
      return { ...code, message: item.message, stack: item.stack ?? "" };
    }
    if (typeof item === "bigint") return item.toString();
    if (typeof item === "object" && item !== null) {
      if (seen.has(item)) return "[seen above]";
      seen.add(item);
    }
    return item;
  });
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}
