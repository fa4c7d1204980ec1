import type { Authorize } from "@slack/bolt";

import type { toSlackLogger } from "./client.ts";
import { createInstaller, installRoutes, type Routes } from "./install.ts";
import { createInstallations, createInstalledTokens } from "./installed-tokens.ts";
import type { SlackOptions, SlackParts } from "./options.ts";
import { createOwnToken } from "./own-token.ts";
import { takeDownUninstall } from "./uninstall.ts";
import type { Tokens } from "./workspaces.ts";

/** The bot's tokens, from the settings or from installations. */
export interface SlackTokens extends Tokens {
  /** As Bolt asks for them. */
  authorize: Authorize<boolean>;
  /** Pages for installations. */
  routes: Routes;
  /** Whether the event ended an installation, which is taken down then; see `takeDownUninstall`. */
  ended(body: unknown): Promise<boolean>;
  /** Asks Slack about the one token; undefined where tokens come from installations. */
  verify?: () => Promise<{ workspace: string; scopes: string[] | undefined }>;
}

export function createTokens(
  options: SlackOptions,
  parts: Pick<SlackParts, "installations" | "orgs" | "log"> & { logger: ReturnType<typeof toSlackLogger> },
  over: AbortSignal,
): SlackTokens {
  if (options.client_id === "") {
    const own = createOwnToken(options, parts.logger, over);
    return {
      ...own,
      authorize: authorizeBy(own),
      routes: [],
      ended: () => Promise.resolve(false),
    };
  }
  const installations = createInstallations(options, parts);
  const using = { ...parts, installations };
  const installer = createInstaller(options, using);
  const tokens = createInstalledTokens(installations, (query) => installer.authorize(query));
  return {
    ...tokens,
    authorize: authorizeBy(tokens),
    routes: installRoutes(options, installer, using),
    ended: (body) => takeDownUninstall(body, options, parts),
  };
}

function authorizeBy(tokens: Tokens): Authorize<boolean> {
  return async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
    const bot = await tokens.find({ team: teamId, org: isEnterpriseInstall ? enterpriseId : undefined });
    return {
      botToken: bot.token,
      botId: bot.id,
      botUserId: bot.user,
      ...(teamId === undefined ? {} : { teamId }),
      ...(enterpriseId === undefined ? {} : { enterpriseId }),
    };
  };
}
