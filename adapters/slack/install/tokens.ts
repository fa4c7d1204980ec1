import type { Logger } from "@slack/bolt";
import type { Installation, InstallationQuery, InstallationStore } from "@slack/oauth";
import { WebClient } from "@slack/web-api";

import type { Installed, SlackDeps, SlackOptions } from "../options.ts";
import type { UninstallEvent } from "../receive/event.ts";
import { isFinalFault, slackError } from "../send/refusal.ts";
import { type Bot, clientOptions, NotInstalled, type Source, type Tokens } from "./client.ts";

/** Whom the one token of the settings belongs to. */
interface Owner {
  bot: Bot;
  /** Empty where the token is an organisation's, which may have any workspace. */
  team: string;
  scopes: string[] | undefined;
}

export interface OwnToken extends Tokens {
  /** Asks Slack whom it belongs to; once that is known, it stays known. */
  verify(): Promise<Owner>;
}

export function createOwnToken(
  options: Pick<SlackOptions, "bot_token" | "api_url">,
  logger: Logger,
  over: AbortSignal,
): OwnToken {
  const client = new WebClient(options.bot_token, { ...clientOptions(options, over), logger });
  let owner: Promise<Owner> | undefined;

  async function ask(): Promise<Owner> {
    const { team_id: team = "", user_id: user = "", bot_id: id = "", ...rest } = await client.auth.test();
    const isOrgWide = rest.is_enterprise_install === true;
    return {
      bot: { token: options.bot_token, user, id, isOrgWide },
      team: isOrgWide ? "" : team,
      scopes: rest.response_metadata?.scopes,
    };
  }

  function verify(): Promise<Owner> {
    owner ??= ask().catch((error: unknown) => {
      owner = undefined;
      throw error;
    });
    return owner;
  }

  return {
    verify,
    async find({ team = "" }) {
      const { bot, team: own } = await verify();
      // The app may be in other workspaces as well, whose events come over the same connection.
      if (own !== "" && team !== "" && team !== own) throw new NotInstalled({ team });
      return bot;
    },
  };
}

/** What Slack's installer keeps, and finds when it is asked for a token. */
export interface Installations extends InstallationStore {
  /** Undefined where there is none, or the settings no longer list the workspace. */
  find(source: Source): Promise<Installed | undefined>;
  /** Whether the settings list the workspace, or its organisation. */
  isWelcome(installation: Installation): boolean;
}

export function createInstallations(
  { workspaces }: Pick<SlackOptions, "workspaces">,
  { installations, orgs }: Pick<SlackDeps, "installations" | "orgs">,
): Installations {
  const listed = new Set(workspaces);
  /** What was written already, so that it is not written with every event. */
  const known = new Map<string, string>();

  function isWelcome({ team, enterprise }: Installation): boolean {
    return listed.has("*") || [team?.id, enterprise?.id].some((id) => id !== undefined && listed.has(id));
  }

  async function ofOrg(org: string, team: string | undefined): Promise<Installed | undefined> {
    const found = await installations.get(org);
    // Later the workspace alone is named, such as with a message that is edited.
    if (found !== undefined && team !== undefined && known.get(team) !== org) {
      await orgs.set(team, org);
      known.set(team, org);
    }
    return found;
  }

  async function ofTeam(team: string): Promise<Installed | undefined> {
    const found = await installations.get(team);
    if (found !== undefined) return found;
    const org = known.get(team) ?? (await orgs.get(team));
    return org === undefined ? undefined : installations.get(org);
  }

  async function find({ team, org }: Source): Promise<Installed | undefined> {
    const found =
      (org === undefined ? undefined : await ofOrg(org, team)) ??
      (team === undefined ? undefined : await ofTeam(team));
    return found !== undefined && isWelcome(found.installation) ? found : undefined;
  }

  return {
    find,
    isWelcome,
    async storeInstallation(installation) {
      const { team, enterprise, isEnterpriseInstall } = installation;
      const key = isEnterpriseInstall === true ? enterprise?.id : team?.id;
      if (key === undefined) throw new Error("expected Slack to name the workspace of an installation");
      await installations.set(key, { installation, at: Date.now() });
    },
    async fetchInstallation({ teamId: team, enterpriseId, isEnterpriseInstall }) {
      const source = { team, org: isEnterpriseInstall ? enterpriseId : undefined };
      const found = await find(source);
      if (found === undefined) throw new NotInstalled(source);
      return found.installation;
    },
    async deleteInstallation({ teamId, enterpriseId, isEnterpriseInstall }) {
      const key = isEnterpriseInstall ? enterpriseId : teamId;
      if (key !== undefined) await installations.delete(key);
    },
  };
}

/** Tokens of the installations; `refresh` gives a fresh one where Slack lets them expire. */
export function createInstalledTokens(
  installations: Pick<Installations, "find">,
  refresh: (query: InstallationQuery<boolean>) => Promise<{ botToken?: string }>,
): Tokens {
  return {
    async find(source) {
      const { installation } = (await installations.find(source)) ?? {};
      if (installation?.bot === undefined) throw new NotInstalled(source);
      const { bot, enterprise, team, isEnterpriseInstall = false } = installation;
      const made: Bot = { token: bot.token, user: bot.userId, id: bot.id, isOrgWide: isEnterpriseInstall };
      if (bot.refreshToken === undefined) return made;
      const { botToken = bot.token } = await refresh({
        teamId: team?.id ?? source.team,
        enterpriseId: enterprise?.id,
        isEnterpriseInstall,
      });
      return { ...made, token: botToken };
    },
  };
}

/**
 * Records that the app was uninstalled, or its token revoked. Slack repeats events, and somebody may have
 * installed the app again since: Slack is asked whether the token still works. Rejects when that cannot be
 * told, so that the event comes again.
 */
export async function ingestUninstall(
  { type: event, installations: keys, bots }: UninstallEvent,
  options: Pick<SlackOptions, "api_url">,
  { installations, log, logger }: Pick<SlackDeps, "installations" | "log"> & { logger: Logger },
): Promise<void> {
  for (const workspace of keys) {
    const { installation } = (await installations.get(workspace)) ?? {};
    if (installation === undefined || bots?.includes(installation.bot?.userId ?? "") === false) continue;
    if (await works(installation, options, logger)) {
      log.info({ workspace, event }, "the app is installed anew: its token works");
      continue;
    }
    await installations.delete(workspace);
    log.info({ workspace, event }, `the app was uninstalled from ${nameOf(installation)}`);
  }
}

async function works(
  { bot }: Installation,
  options: Pick<SlackOptions, "api_url">,
  logger: Logger,
): Promise<boolean> {
  if (bot === undefined) return false;
  const client = new WebClient(bot.token, { ...clientOptions(options), logger });
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    if (isFinalFault(slackError(error))) return false;
    throw error;
  }
}

export function nameOf({ team, enterprise }: Installation): string {
  return team?.name ?? enterprise?.name ?? team?.id ?? enterprise?.id ?? "a workspace";
}
