import type { Installation, InstallationQuery, InstallationStore } from "@slack/oauth";

import type { ChatState } from "../chat/parts.ts";
import type { SlackOptions } from "./options.ts";
import { type Bot, NotInstalled, type Source, type Tokens } from "./workspaces.ts";

/** An installation as it is kept. */
export interface Installed {
  installation: Installation;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Encrypted state; by the id of a workspace or an organisation. */
export interface InstallationState extends ChatState<Installed> {
  delete(key: string): Promise<unknown>;
}

/** What Slack's installer keeps, and finds when it is asked for a token. */
export interface Installations extends InstallationStore {
  /** Undefined where there is none, or the settings no longer list the workspace. */
  find(source: Source): Promise<Installed | undefined>;
  /** Whether the settings list the workspace, or its organisation. */
  isWelcome(installation: Installation): boolean;
}

export interface InstallationParts {
  installations: InstallationState;
  /** By the id of a workspace: the organisation that has the app for it. */
  orgs: ChatState<string>;
}

export function createInstallations(
  { workspaces }: Pick<SlackOptions, "workspaces">,
  { installations, orgs }: InstallationParts,
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
      await installations.set(keyOf(installation), { installation, at: Date.now() });
    },
    async fetchInstallation(query) {
      const source = sourceOfQuery(query);
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
      const found = await installations.find(source);
      const bot = found?.installation.bot;
      if (found === undefined || bot === undefined) throw new NotInstalled(source);
      const { enterprise, team, isEnterpriseInstall = false } = found.installation;
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

function keyOf({ team, enterprise, isEnterpriseInstall }: Installation): string {
  const key = isEnterpriseInstall === true ? enterprise?.id : team?.id;
  if (key === undefined) throw new Error("expected Slack to name the workspace of an installation");
  return key;
}

function sourceOfQuery({ teamId, enterpriseId, isEnterpriseInstall }: InstallationQuery<boolean>): Source {
  return { team: teamId, org: isEnterpriseInstall ? enterpriseId : undefined };
}
