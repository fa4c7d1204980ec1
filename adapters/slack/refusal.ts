import { WebAPIPlatformError, WebAPIRateLimitedError } from "@slack/web-api";

/** Why Slack did not take a message, as the presenter reads it: see MessagePort. */
export class SlackRefusal extends Error {
  readonly code: "message_gone" | "place_gone" | "rate_limited";
  readonly retryAfterMs?: number;

  constructor(code: SlackRefusal["code"], cause: Error, retryAfterMs?: number) {
    super(`Slack refused: ${cause.message}`, { cause });
    this.name = "SlackRefusal";
    this.code = code;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

const GONE: Readonly<Record<string, SlackRefusal["code"]>> = {
  message_not_found: "message_gone",
  channel_not_found: "place_gone",
  not_in_channel: "place_gone",
  is_archived: "place_gone",
};

/** Slack's word for what went wrong, such as `channel_not_found`; undefined for any other error. */
export function slackError(error: unknown): string | undefined {
  return error instanceof WebAPIPlatformError ? error.data.error : undefined;
}

/** The error to reject with; those that have no special meaning stay as they are. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof WebAPIRateLimitedError) {
    return new SlackRefusal("rate_limited", error, error.retryAfter * 1000);
  }
  const code = GONE[slackError(error) ?? ""];
  return code === undefined || !(error instanceof Error) ? error : new SlackRefusal(code, error);
}
