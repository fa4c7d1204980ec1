import { Client, GatewayIntentBits as Intent, Options, REST } from "discord.js";

import type { ChatLog } from "../chat/parts.ts";
import { createGuardedStrategy, guardPackets } from "./dispatch.ts";
import type { DiscordOptions } from "./options.ts";

/** Of every client; a rate limit holds back the calls of its own bucket alone. */
export function createRest({ token, api_url: url }: Pick<DiscordOptions, "token" | "api_url">): REST {
  return new REST({ api: url.replace(/\/+$/, ""), version: "10", retries: 2, timeout: 20_000 }).setToken(
    token,
  );
}

/** A client of the gateway that asks for no more than it needs and keeps no more than it must. */
export function createClient(options: DiscordOptions, log: ChatLog): Client {
  const { total, ids } = options.shards;
  const Strategy = createGuardedStrategy(log);
  const client = new Client({
    ws: { buildStrategy: (manager) => new Strategy(manager) },
    intents: [
      Intent.Guilds,
      Intent.GuildMessages,
      Intent.DirectMessages,
      ...(options.message_content ? [Intent.MessageContent] : []),
    ],
    // Messages and people come with their events; whatever else is needed is asked for.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      GuildMemberManager: 0,
      UserManager: 0,
      PresenceManager: 0,
      ReactionManager: 0,
      ThreadMemberManager: 0,
      VoiceStateManager: 0,
    }),
    shardCount: total,
    shards: ids.length === 0 ? Array.from({ length: total }, (_, id) => id) : ids,
    allowedMentions: { parse: [], repliedUser: false },
    rest: { api: options.api_url.replace(/\/+$/, ""), version: "10" },
  });
  guardPackets(client, log);
  return client;
}
