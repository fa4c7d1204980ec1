import { LogLevel, type Logger } from "@slack/bolt";
import { WebClient } from "@slack/web-api";

import type { SlackOptions } from "../options.ts";
import { type Fault, slackError, toFault } from "../send/refusal.ts";
import { clientOptions } from "./client.ts";

/** Whom a bot token belongs to, as Slack says. */
export interface BotTrial {
  team: { id: string; name: string };
  /** The bot's user. */
  user: string;
  app: string;
  /** Undefined where Slack does not say. */
  scopes: string[] | undefined;
  /** What Slack's clock said, and this machine's at that moment; ms since the epoch. */
  time: { theirs: number; ours: number } | undefined;
}

/** A member of the workspace who is a person. */
export interface SlackMember {
  id: string;
  /** What people call them. */
  name: string;
  email?: string;
}

/** What a set-up asks of a workspace with the tokens it is given. Everything but `fault`s rejects as the client does. */
export interface SlackTrial {
  bot(): Promise<BotTrial | Fault>;
  /** Undefined: the app-level token opens a connection. */
  socket(): Promise<Fault | undefined>;
  /** Undefined where there is no such user, or they were deactivated. */
  member(user: string): Promise<SlackMember | undefined>;
  /** At most 2,000, guests and bots left out. */
  members(): Promise<SlackMember[]>;
  /** Handles of user groups. */
  groups(): Promise<string[]>;
  /** Writes to somebody directly. */
  write(user: string, text: string): Promise<void>;
}

const MOST_MEMBERS = 2_000;

export function createSlackTrial(
  {
    bot_token: token,
    app_token: appToken,
    api_url,
  }: Pick<SlackOptions, "bot_token" | "app_token" | "api_url">,
  now: () => number,
): SlackTrial {
  let time: BotTrial["time"];
  const options = {
    ...clientOptions({ api_url }),
    logger: silent,
    async fetch(...asked: Parameters<typeof fetch>): Promise<Response> {
      const response = await fetch(...asked);
      const theirs = Date.parse(response.headers.get("date") ?? "");
      if (!Number.isNaN(theirs)) time = { theirs, ours: now() };
      return response;
    },
  };
  const client = new WebClient(token, options);

  return {
    async bot() {
      try {
        const {
          team_id: id = "",
          team = "",
          user_id: user = "",
          app_id: app,
          ...rest
        } = await client.auth.test();
        return {
          team: { id, name: team },
          user,
          app: typeof app === "string" ? app : "",
          scopes: rest.response_metadata?.scopes,
          time,
        };
      } catch (error) {
        return toFault(error);
      }
    },
    async socket() {
      try {
        await new WebClient(appToken, options).apps.connections.open({});
        return undefined;
      } catch (error) {
        return toFault(error);
      }
    },
    async member(user) {
      try {
        const { user: found } = await client.users.info({ user });
        return found === undefined ? undefined : personOf(found);
      } catch (error) {
        if (slackError(error) === "user_not_found") return undefined;
        throw error;
      }
    },
    async members() {
      const found: SlackMember[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.users.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
        const own = (page.members ?? []).filter((one) => one.is_restricted !== true);
        found.push(...own.flatMap((one) => personOf(one) ?? []));
        cursor = page.response_metadata?.next_cursor || undefined;
      } while (cursor !== undefined && found.length < MOST_MEMBERS);
      return found.slice(0, MOST_MEMBERS);
    },
    async groups() {
      const { usergroups = [] } = await client.usergroups.list({});
      return usergroups.flatMap(({ handle }) => handle ?? []);
    },
    async write(user, text) {
      const { channel } = await client.conversations.open({ users: user });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
      await client.chat.postMessage({ channel: channel?.id ?? user, text });
    },
  };
}

/** As far as a user of Slack says it. */
interface SlackUser {
  id?: string;
  name?: string;
  deleted?: boolean;
  is_bot?: boolean;
  is_restricted?: boolean;
  real_name?: string;
  profile?: { display_name?: string; real_name?: string; email?: string };
}

const SLACKBOT = "USLACKBOT";

function personOf(user: SlackUser): SlackMember | undefined {
  const { id = "", deleted, is_bot: isBot, profile } = user;
  if (id === "" || id === SLACKBOT || deleted === true || isBot === true) return undefined;
  const names = [profile?.real_name, user.real_name, profile?.display_name, user.name];
  const name = names.find((one) => one !== undefined && one !== "") ?? id;
  return { id, name, ...(profile?.email === undefined ? {} : { email: profile.email }) };
}

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};
