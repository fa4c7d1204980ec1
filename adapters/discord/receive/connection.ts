import {
  type APIApplication,
  type Client,
  DiscordAPIError,
  Events,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayInteractionCreateDispatchData,
  type GatewayMessageCreateDispatchData,
  type REST,
  Routes,
} from "discord.js";

import type { SurfaceStatus } from "#contract/core.ts";
import { backOff, sleep } from "#src/base/time.ts";

import type { ChatLog } from "../../chat/parts.ts";
import type { DiscordOptions, Identity } from "../options.ts";
import { createClient, guarded } from "./client.ts";

export interface Listener {
  /** Called once a connection is made, before any event. */
  onIdentity: (identity: Identity) => void;
  onMessage: (message: GatewayMessageCreateDispatchData) => void;
  onInteraction: (interaction: GatewayInteractionCreateDispatchData) => void;
}

export interface Connection {
  status(): SurfaceStatus;
  /** The channel that a thread hangs on, as far as the gateway told; undefined when it did not. */
  known(channel: string): { parent: string | undefined } | undefined;
  /** The guilds that have the bot, of the shards of this process. */
  guilds(): string[];
  stop(): Promise<void>;
}

const RETRY = { minMs: 1000, maxMs: 60_000 };

/** Logs in, and again whenever that fails for good; discord.js itself resumes a connection that was cut. */
export function connect(
  options: DiscordOptions,
  { rest, log, listener }: { rest: REST; log: ChatLog; listener: Listener },
): Connection {
  const over = new AbortController();
  let client: Client | undefined;
  let state: SurfaceStatus = { status: "connecting" };

  async function run(): Promise<void> {
    for (let failures = 0; !over.signal.aborted; failures += 1) {
      const lost = Promise.withResolvers<void>();
      over.signal.addEventListener("abort", () => lost.resolve(), { once: true });
      try {
        // The package forgets a token that was refused once.
        rest.setToken(options.token);
        const identity = await identify(rest);
        listener.onIdentity(identity);
        if (over.signal.aborted) return;
        client = createClient(options, log);
        listen(client, lost.reject);
        await Promise.race([client.login(options.token), lost.promise]);
        log.info({ bot: identity.bot, shards: client.options.shards }, "listening to Discord");
        state = { status: "up" };
        failures = 0;
        await lost.promise;
      } catch (error) {
        if (over.signal.aborted) return;
        const why = explain(error);
        state = { status: "down", ...why };
        log.error({ code: why.code, error }, `Discord is not connected, will be tried again: ${why.error}`);
        await client?.destroy().catch(() => undefined);
        client = undefined;
      }
      await sleep(backOff(failures + 1, RETRY), over.signal);
    }
  }

  function listen(on: Client, lose: (error: Error) => void): void {
    on.ws.on(GatewayDispatchEvents.MessageCreate, guarded("a message", listener.onMessage, log));
    on.ws.on(GatewayDispatchEvents.InteractionCreate, guarded("an interaction", listener.onInteraction, log));
    // The gateway closed a connection and says that trying again would not help.
    on.on(Events.ShardDisconnect, ({ code }) =>
      lose(new Error(`the gateway closed the connection with code ${code}`, { cause: code })),
    );
    on.on(Events.Invalidated, () => lose(new Error("the session was invalidated")));
    on.on(Events.ShardReconnecting, (shard) => log.debug({ shard }, "a connection to Discord is made anew"));
    on.on(Events.Error, ({ message }) =>
      log.warn({ error: message }, "the client of Discord reports an error"),
    );
    on.on(Events.ShardError, ({ message }, shard) =>
      log.warn({ error: message, shard }, "a connection to Discord failed"),
    );
  }

  const running = run();
  return {
    status: () => state,
    known(channel) {
      const found = client?.channels.cache.get(channel);
      if (found === undefined) return undefined;
      return { parent: found.isThread() ? (found.parentId ?? undefined) : undefined };
    },
    guilds: () => [...(client?.guilds.cache.keys() ?? [])],
    async stop() {
      over.abort();
      await client?.destroy();
      await running;
    },
  };
}

async function identify(rest: REST): Promise<Identity> {
  const [user, app] = await Promise.all([
    rest.get(Routes.user()) as Promise<{ id: string }>,
    rest.get(Routes.currentApplication()) as Promise<APIApplication>,
  ]);
  return { bot: user.id, app: app.id };
}

function explain(error: unknown): { code: string; error: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DiscordAPIError && error.status === 401) {
    return { code: "invalid_token", error: "Discord does not accept discord.token. Check DISCORD_TOKEN." };
  }
  const close = error instanceof Error ? error.cause : undefined;
  if (close === GatewayCloseCodes.DisallowedIntents || /disallowed intents/i.test(message)) {
    return {
      code: "disallowed_intents",
      error:
        "The app may not read messages. Switch on Message Content Intent on the Bot page of the developer portal, or set discord.message_content to false; follow-ups in threads then need a mention.",
    };
  }
  if (close === GatewayCloseCodes.InvalidShard || close === GatewayCloseCodes.ShardingRequired) {
    return {
      code: "invalid_shards",
      error:
        "Discord wants other shards. Check discord.shards: total has to be at least one for 2,500 guilds.",
    };
  }
  return { code: "not_reachable", error: message };
}
