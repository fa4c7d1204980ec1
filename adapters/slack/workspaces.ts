import { WebClient } from "@slack/web-api";

import { clientOptions, type toSlackLogger } from "./client.ts";
import type { SlackOptions } from "./options.ts";

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

/** The Web API of one workspace, by the id that Slack's messages carry. Rejects as `Tokens.find` does. */
export type ClientOf = (team: string) => Promise<WebClient>;

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

/** So many clients are kept; each holds a queue of its own. */
const KEPT = 500;

export function createClients(
  options: Pick<SlackOptions, "api_url">,
  tokens: Tokens,
  logger: ReturnType<typeof toSlackLogger>,
): ClientOf {
  const clients = new Map<string, WebClient>();
  return async (team) => {
    const { token, isOrgWide } = await tokens.find({ team });
    const key = `${team} ${token}`;
    const known = clients.get(key);
    if (known !== undefined) return known;
    const [oldest] = clients.keys();
    if (clients.size >= KEPT && oldest !== undefined) clients.delete(oldest);
    const client = new WebClient(token, {
      ...clientOptions(options),
      logger,
      ...(isOrgWide && team !== "" ? { teamId: team } : {}),
    });
    clients.set(key, client);
    return client;
  };
}
