import { type Logger, LogLevel } from "@slack/bolt";
import { WebClient, type WebClientOptions } from "@slack/web-api";

import { keepNewest } from "../../chat/cached.ts";
import type { ChatLog } from "../../chat/parts.ts";
import type { SlackOptions } from "../options.ts";

/** Whom Slack speaks of: a workspace, an organisation with all its workspaces, or both. */
export interface Source {
  team?: string | undefined;
  /** The organisation, where it has the app for all its workspaces. */
  org?: string | undefined;
}

/** The bot in one workspace. */
export interface Bot {
  token: string;
  user: string;
  id: string;
  /** The token is an organisation's: calls have to name the workspace. */
  isOrgWide: boolean;
}

/** The tokens that there are. */
export interface Tokens {
  /** Rejects with NotInstalled where there is none, and otherwise when that cannot be told now. */
  find(source: Source): Promise<Bot>;
}

/** The app is in no such workspace, or no longer: nothing can be posted there. */
export class NotInstalled extends Error {
  readonly code = "place_gone";

  constructor({ team, org }: Source) {
    super(
      `expected the app to be installed in the workspace ${team ?? org ?? "that was named"}, and it is not`,
    );
    this.name = "NotInstalled";
  }
}

/** The Web API of one workspace, by the id that Slack's messages carry. Rejects as `Tokens.find` does. */
export type ClientOf = (team: string) => Promise<WebClient>;

/** Each client holds a queue of its own. */
const MAX_CLIENTS = 500;

export function createClients(
  options: Pick<SlackOptions, "api_url">,
  tokens: Tokens,
  logger: Logger,
): ClientOf {
  const clients = new Map<string, WebClient>();
  return async (team) => {
    const { token, isOrgWide } = await tokens.find({ team });
    const key = `${team} ${token}`;
    const known = clients.get(key);
    if (known !== undefined) return known;
    const ofTeam = isOrgWide && team !== "" ? { teamId: team } : {};
    const client = new WebClient(token, { ...clientOptions(options), logger, ...ofTeam });
    keepNewest(clients, key, client, MAX_CLIENTS);
    return client;
  };
}

/**
 * Options of every client. A rate limit is handed to the caller, as the client's own waiting would stall
 * calls that have nothing to do with it. `over` ends calls that are under way.
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
 * Slack's packages write into the product's log, what they say at `info` as `debug`. What they say at `debug`
 * is whole messages, which belong in no log.
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
