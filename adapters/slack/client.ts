import type { Logger } from "@slack/bolt";
import { LogLevel } from "@slack/bolt";
import type { WebClientOptions } from "@slack/web-api";

import type { ChatLog } from "../chat/parts.ts";
import type { SlackOptions } from "./options.ts";

/**
 * Options of every client. A rate limit is handed to whoever called, as the client's own waiting would
 * stall calls that have nothing to do with it. `over` ends calls that are under way.
 */
export function clientOptions(
  { api_url: url }: Pick<SlackOptions, "api_url">,
  over?: AbortSignal,
): WebClientOptions {
  return {
    slackApiUrl: url.endsWith("/") ? url : `${url}/`,
    retryConfig: { retries: 2, minTimeout: 200, maxTimeout: 1000 },
    rejectRateLimitedCalls: true,
    timeout: 20_000,
    ...(over === undefined ? {} : { fetch: endingWith(over) }),
  };
}

function endingWith(over: AbortSignal): typeof fetch {
  return (input, init) =>
    fetch(input, { ...init, signal: init?.signal == null ? over : AbortSignal.any([init.signal, over]) });
}

/**
 * Slack's packages write into the product's log, their talk at `info` for whoever debugs. What they have
 * to say at `debug` is whole messages, which belong in no log.
 */
export function toSlackLogger(log: ChatLog): Logger {
  const write =
    (level: keyof ChatLog) =>
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
