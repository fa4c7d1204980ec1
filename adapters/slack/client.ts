import type { Logger } from "@slack/bolt";
import { LogLevel } from "@slack/bolt";
import type { WebClientOptions } from "@slack/web-api";

import type { SlackLog, SlackOptions } from "./options.ts";

/**
 * Options of every client. A rate limit is handed to whoever called, as the client's own waiting would
 * stall calls that have nothing to do with it.
 */
export function clientOptions({ api_url: url }: Pick<SlackOptions, "api_url">): WebClientOptions {
  return {
    slackApiUrl: url.endsWith("/") ? url : `${url}/`,
    retryConfig: { retries: 2, minTimeout: 200, maxTimeout: 1000 },
    rejectRateLimitedCalls: true,
    timeout: 20_000,
  };
}

/**
 * Slack's packages write into the product's log, their talk at `info` for whoever debugs. What they have
 * to say at `debug` is whole messages, which belong in no log.
 */
export function toSlackLogger(log: SlackLog): Logger {
  const write =
    (level: keyof SlackLog) =>
    (...parts: unknown[]): void =>
      log[level](
        { from: "slack" },
        parts.map((part) => (part instanceof Error ? part.message : String(part))).join(" "),
      );
  return {
    debug: () => undefined,
    info: write("debug"),
    warn: write("warn"),
    error: write("error"),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
