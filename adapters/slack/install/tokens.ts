import type { Installation, InstallationQuery, InstallationStore } from "@slack/oauth";
import { WebClient } from "@slack/web-api";
import { z } from "zod";

import type { ChatLog, ChatState } from "../../chat/parts.ts";
import type { SlackOptions } from "../options.ts";
import { isFinalFault, slackError } from "../send/refusal.ts";
import {
  type Bot,
  clientOptions,
  NotInstalled,
  type Source,
  type Tokens,
  type toSlackLogger,
} from "./client.ts";

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

/** An installation as it is kept. */
export interface Installed {
  installation: Installation;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Encrypted state; by the id of a workspace or an organisation. */
interface InstallationState extends ChatState<Installed> {
  delete(key: string): Promise<unknown>;
}

/** What Slack's installer keeps, and finds when it is asked for a token. */
export interface Installations extends InstallationStore {
  /** Undefined where there is none, or the settings no longer list the workspace. */
  find(source: Source): Promise<Installed | undefined>;
  /** Whether the settings list the workspace, or its organisation. */
  isWelcome(installation: Installation): boolean;
}

export interface InstallationDeps {
  installations: InstallationState;
  /** By the id of a workspace: the organisation that has the app for it. */
  orgs: ChatState<string>;
}

export function createInstallations(
  { workspaces }: Pick<SlackOptions, "workspaces">,
  { installations, orgs }: InstallationDeps,
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

const ending = z.object({
  type: z.literal("event_callback"),
  team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  event: z.discriminatedUnion("type", [
    z.object({ type: z.literal("app_uninstalled") }),
    z.object({
      type: z.literal("tokens_revoked"),
      tokens: z.object({ bot: z.array(z.string()).optional() }).optional(),
    }),
  ]),
});

export interface UninstallDeps {
  installations: InstallationState;
  log: ChatLog;
  logger: ReturnType<typeof toSlackLogger>;
}

/**
 * Takes down that the app was uninstalled, or its token revoked; true when the event says so. Slack
 * repeats events, and somebody may have installed the app again since: Slack is asked whether the token
 * still works. Rejects when that cannot be told, so that the event comes again.
 */
export async function ingestUninstall(
  body: unknown,
  options: Pick<SlackOptions, "api_url">,
  parts: UninstallDeps,
): Promise<boolean> {
  const parsed = ending.safeParse(body);
  if (!parsed.success) return false;
  const { team_id: team, enterprise_id: org, event } = parsed.data;
  const revoked = event.type === "tokens_revoked" ? (event.tokens?.bot ?? []) : undefined;
  for (const key of [team, org]) {
    const found = key == null ? undefined : await parts.installations.get(key);
    const bot = found?.installation.bot?.userId ?? "";
    if (key == null || found === undefined || revoked?.includes(bot) === false) continue;
    if (await works(found, options, parts)) {
      parts.log.info({ workspace: key, event: event.type }, "the app is installed anew: its token works");
      continue;
    }
    await parts.installations.delete(key);
    parts.log.info({ workspace: key, event: event.type }, `the app was uninstalled from ${nameOf(found)}`);
  }
  return true;
}

async function works(
  { installation }: Installed,
  options: Pick<SlackOptions, "api_url">,
  { logger }: UninstallDeps,
): Promise<boolean> {
  const token = installation.bot?.token;
  if (token === undefined) return false;
  const client = new WebClient(token, { ...clientOptions(options), logger });
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    if (isFinalFault(slackError(error))) return false;
    throw error;
  }
}

export function nameOf({ installation: { team, enterprise } }: Pick<Installed, "installation">): string {
  return team?.name ?? enterprise?.name ?? team?.id ?? enterprise?.id ?? "a workspace";
}
