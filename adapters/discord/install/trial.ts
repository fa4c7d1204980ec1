import {
  type APIApplication,
  type APIGuild,
  type APIGuildMember,
  ApplicationFlags,
  DiscordAPIError,
  RESTEvents,
  Routes,
} from "discord.js";

import type { DiscordOptions } from "../options.ts";
import { createRest } from "../receive/client.ts";
import { discordCode } from "../send/refusal.ts";

/** The app that a token belongs to, as Discord says. */
export interface AppTrial {
  id: string;
  name: string;
  /** Whether the portal lets it read messages that do not mention it. */
  readsMessages: boolean;
  /** Servers that have the bot, at most 200. */
  guilds: { id: string; name: string }[];
  /** What Discord's clock said, and this machine's at that moment; ms since the epoch. */
  time: { theirs: number; ours: number } | undefined;
}

export interface Refused {
  /** `invalid_token` or `not_reachable`. */
  code: string;
  message: string;
}

export interface DiscordMember {
  id: string;
  name: string;
}

/** What a set-up asks of Discord with the token it is given. */
export interface DiscordTrial {
  app(): Promise<AppTrial | Refused>;
  /** Undefined where they are in no such server. */
  member(guild: string, user: string): Promise<DiscordMember | undefined>;
  /** Members whose names begin so, at most 20. */
  search(guild: string, name: string): Promise<DiscordMember[]>;
  /** Names of the roles of a server, without @everyone. */
  roles(guild: string): Promise<string[]>;
}

export function createDiscordTrial(
  options: Pick<DiscordOptions, "token" | "api_url">,
  now: () => number,
): DiscordTrial {
  const rest = createRest(options);
  let time: AppTrial["time"];
  rest.on(RESTEvents.Response, (_request, response) => {
    const theirs = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(theirs)) time = { theirs, ours: now() };
  });

  return {
    async app() {
      try {
        const { id, name, flags } = (await rest.get(Routes.currentApplication())) as APIApplication;
        const guilds = (await rest.get(Routes.userGuilds())) as { id: string; name: string }[];
        const reading =
          ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
        return {
          id,
          name,
          readsMessages: (flags & reading) !== 0,
          guilds: guilds.map((guild) => ({ id: guild.id, name: guild.name })),
          time,
        };
      } catch (error) {
        if (error instanceof DiscordAPIError && error.status === 401)
          return { code: "invalid_token", message: "Discord does not accept the bot token" };
        const message = error instanceof Error ? error.message : String(error);
        return { code: "not_reachable", message: `Discord does not answer: ${message}` };
      }
    },
    async member(guild, user) {
      try {
        return personOf((await rest.get(Routes.guildMember(guild, user))) as APIGuildMember);
      } catch (error) {
        if (discordCode(error) !== undefined) return undefined;
        throw error;
      }
    },
    async search(guild, name) {
      const query = new URLSearchParams({ query: name, limit: "20" });
      const found = (await rest.get(Routes.guildMembersSearch(guild), { query })) as APIGuildMember[];
      return found.filter(({ user }) => user.bot !== true).map(personOf);
    },
    async roles(guild) {
      const { roles } = (await rest.get(Routes.guild(guild))) as APIGuild;
      return roles.filter(({ id }) => id !== guild).map(({ name }) => name);
    },
  };
}

function personOf({ nick, user }: APIGuildMember): DiscordMember {
  return { id: user.id, name: nick ?? user.global_name ?? user.username };
}
