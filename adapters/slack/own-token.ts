import { WebClient } from "@slack/web-api";

import { clientOptions, type toSlackLogger } from "./client.ts";
import type { SlackOptions } from "./options.ts";
import { type Bot, NotInstalled, type Tokens } from "./workspaces.ts";

/** The one token of the settings. */
export interface OwnToken extends Tokens {
  /** Asks Slack whom it belongs to; once that is known, it stays known. */
  verify(): Promise<{ workspace: string; scopes: string[] | undefined }>;
}

interface Owner {
  bot: Bot;
  workspace: string;
  /** Empty where the token is an organisation's, which may have any workspace. */
  team: string;
  scopes: string[] | undefined;
}

export function createOwnToken(
  options: Pick<SlackOptions, "bot_token" | "api_url">,
  logger: ReturnType<typeof toSlackLogger>,
  over: AbortSignal,
): OwnToken {
  const client = new WebClient(options.bot_token, { ...clientOptions(options, over), logger });
  let owner: Promise<Owner> | undefined;

  async function ask(): Promise<Owner> {
    const {
      team = "",
      team_id: id = "",
      user_id: user = "",
      bot_id: bot = "",
      ...rest
    } = await client.auth.test();
    const isOrgWide = rest.is_enterprise_install === true;
    return {
      bot: { token: options.bot_token, user, id: bot, isOrgWide },
      workspace: team,
      team: isOrgWide ? "" : id,
      scopes: rest.response_metadata?.scopes,
    };
  }

  function known(): Promise<Owner> {
    owner ??= ask().catch((error: unknown) => {
      owner = undefined;
      throw error;
    });
    return owner;
  }

  return {
    verify: known,
    async find({ team = "" }) {
      const { bot, team: own } = await known();
      // The app may be in other workspaces as well, whose events come over the same connection.
      if (own !== "" && team !== "" && team !== own) throw new NotInstalled({ team });
      return bot;
    },
  };
}
