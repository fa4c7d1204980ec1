import { Client, GatewayIntentBits as Intent, Options, REST, SimpleShardingStrategy } from "discord.js";
import { z } from "zod";

import type { ChatLog } from "../../chat/parts.ts";
import type { DiscordOptions } from "../options.ts";

/** Of every client; a rate limit holds back the calls of its own bucket alone. */
export function createRest(options: Pick<DiscordOptions, "token" | "api_url">): REST {
  return new REST({ ...apiOf(options), retries: 2, timeout: 20_000 }).setToken(options.token);
}

function apiOf({ api_url: url }: Pick<DiscordOptions, "api_url">): { api: string; version: string } {
  return { api: url.replace(/\/+$/, ""), version: "10" };
}

/** A client of the gateway that asks for no more than it needs and keeps no more than it must. */
export function createClient(options: DiscordOptions, log: ChatLog): Client {
  const { total, ids } = options.shards;
  const client = new Client({
    ws: { buildStrategy: (manager) => guardShards(new SimpleShardingStrategy(manager), log) },
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
    rest: apiOf(options),
  });
  guardPackets(client, log);
  return client;
}

const user = z.looseObject({ id: z.string() });
const person = user.extend({ username: z.string(), global_name: z.string().nullish() });
const messageText = z.looseObject({ author: person, content: z.string(), mentions: z.array(person) });

/** What is read of events. */
const FORMS: Readonly<Record<"a message" | "an interaction", z.ZodType>> = {
  "a message": messageText.extend({
    id: z.string(),
    channel_id: z.string(),
    guild_id: z.string().optional(),
    webhook_id: z.string().optional(),
    type: z.number(),
    message_reference: z.looseObject({ message_id: z.string().optional() }).optional(),
    referenced_message: messageText.nullish(),
  }),
  "an interaction": z
    .looseObject({
      id: z.string(),
      token: z.string(),
      type: z.number(),
      guild_id: z.string().optional(),
      channel: z.looseObject({ id: z.string(), type: z.number() }),
      data: z.looseObject({ custom_id: z.string().optional(), name: z.string().optional() }),
      member: z.looseObject({ user }).optional(),
      user: user.optional(),
      message: z.looseObject({ id: z.string(), channel_id: z.string(), author: user }).optional(),
      authorizing_integration_owners: z.looseObject({}).optional(),
    })
    .refine(({ member, user: direct }) => member !== undefined || direct !== undefined, {
      error: "nobody who did it",
    }),
};

/** Hands on what has the form that is read of it; logs and drops everything else. Never throws. */
export function guarded<Data>(
  what: "a message" | "an interaction",
  take: (data: Data) => void,
  log: ChatLog,
): (data: unknown) => void {
  return (data) => {
    try {
      const { error } = FORMS[what].safeParse(data);
      // Whatever else stands in it is as Discord sent it.
      if (error === undefined) take(data as Data);
      else log.warn({ what, problem: z.prettifyError(error) }, DROPPED);
    } catch (error) {
      log.warn({ what, error }, DROPPED);
    }
  };
}

/**
 * discord.js reads what the gateway sends in listeners that nobody waits for: an event of an odd form is an
 * unhandled rejection there, which ends the process. Here it is logged and dropped.
 */
function guardShards(strategy: SimpleShardingStrategy, log: ChatLog): SimpleShardingStrategy {
  const spawn = strategy.spawn.bind(strategy);
  strategy.spawn = async (shardIds) => {
    await spawn(shardIds);
    // The package keeps them for itself.
    const { shards } = strategy as unknown as { shards: Map<number, ShardReader> };
    for (const shard of shards.values()) {
      const read = shard.onMessage.bind(shard);
      shard.onMessage = async (data, isBinary) => {
        try {
          await read(data, isBinary);
        } catch (error) {
          log.warn({ error }, DROPPED);
        }
      };
    }
  };
  return strategy;
}

/** The parts of a shard and of a client of the package that read what Discord sends. */
interface ShardReader {
  onMessage(data: unknown, isBinary: boolean): Promise<void>;
}
interface PacketHandler {
  handlePacket(packet?: { t?: unknown }, shard?: unknown): boolean;
}

/** The same for events that the client keeps until it is ready, and reads then. */
function guardPackets(client: Client, log: ChatLog): void {
  const manager = client.ws as unknown as PacketHandler;
  const handle = manager.handlePacket.bind(manager);
  manager.handlePacket = (packet, shard) => {
    try {
      return handle(packet, shard);
    } catch (error) {
      log.warn({ what: packet?.t, error }, DROPPED);
      return false;
    }
  };
}

const DROPPED = "Discord sent something of an odd form: it was dropped";
