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

/** Why Slack cannot be used now, and what to do about it. */
export interface Fault {
  /** Slack's own word, such as `invalid_auth`; `unreachable` when there was no answer. */
  code: string;
  message: string;
  /** Trying again does not help as long as nobody changes something. */
  isFinal: boolean;
}

/** What cures each of Slack's refusals of a token; docs/slack.md says the same at more length. */
export const CURES: Readonly<Record<string, string>> = {
  invalid_auth:
    "copy the token anew from the app's settings; SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-",
  not_authed: "no token was sent: set SLACK_BOT_TOKEN, and SLACK_APP_TOKEN for Socket Mode",
  not_allowed_token_type:
    "the tokens are mixed up: SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-",
  account_inactive: "the app was uninstalled or its bot disabled: install it again, and copy the new token",
  token_revoked: "the token was revoked: install the app again, and copy the new token",
  token_expired: "the token has expired: switch token rotation off, or install over OAuth",
  missing_scope:
    "add the scope under OAuth & Permissions (connections:write for an app-level token) and install the app again",
  team_access_not_granted: "the organisation has not granted the app this workspace: ask its admin",
  org_login_required: "the workspace is moving into an organisation: install the app again when that is done",
  user_removed_from_team: "the bot was removed from the workspace: install the app again",
  team_disabled: "the workspace is disabled",
  ekm_access_denied: "the organisation's admins have suspended access",
  link_disabled:
    "switch Socket Mode on in the app's settings, or unset SLACK_APP_TOKEN and set SLACK_SIGNING_SECRET",
};

/** Slack closed the socket because the app is not to use Socket Mode. */
export class LinkDisabled extends Error {
  readonly code = "link_disabled";
}

/** Whether a word of Slack's means that the token is of no use. */
export function isFinalFault(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(CURES, code);
}

export function toFault(error: unknown): Fault {
  const code = error instanceof LinkDisabled ? error.code : slackError(error);
  if (code !== undefined) {
    const cure = CURES[code];
    return {
      code,
      message: cure === undefined ? `Slack answered ${code}` : `Slack answered ${code}: ${cure}`,
      isFinal: cure !== undefined,
    };
  }
  const reason = error instanceof Error ? error.message : "the connection was closed";
  return { code: "unreachable", message: `Slack does not answer: ${reason}`, isFinal: false };
}
