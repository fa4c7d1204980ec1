import type { RunningDiscord } from "#adapters/discord/start.ts";

import { CountersignError } from "../base/errors.ts";
import type { Settings } from "../settings/load.ts";
import { chatParts } from "./chat-parts.ts";
import type { PlatformMembers } from "./membership.ts";
import type { Product } from "./product-port.ts";

/** Discord as the settings want it; undefined when it is off. */
export interface DiscordSurface {
  members: PlatformMembers;
  start(product: Product): Promise<RunningDiscord>;
}

/** Loaded only where a token is set: Discord's packages take memory. */
export async function openDiscord(settings: Settings): Promise<DiscordSurface | undefined> {
  const { discord } = settings;
  if (discord.token === "") return undefined;
  const { startDiscord } = await import("#adapters/discord/start.ts");
  let running: RunningDiscord | undefined;

  function members(): RunningDiscord["members"] {
    if (running === undefined) throw new CountersignError("not_ready", "Discord is not connected yet");
    return running.members;
  }

  return {
    members: {
      discord: {
        inChannel: async (actor, channel) => members().inChannel(actor, channel),
        inGroup: async (actor, group, channel) => members().inGroup(actor, group, channel),
        isGuest: async (actor) => members().isGuest(actor),
      },
    },
    async start(product) {
      const started = await startDiscord(
        discord,
        {
          ...chatParts(product, settings, "discord-pages"),
          threads: product.state("discord-threads"),
          files: product.state("discord-files"),
          told: product.state("discord-told"),
          values: product.state("discord-values"),
          // Arguments that a person types may be secret.
          formStore: product.sealed("discord-forms"),
          registered: product.state("discord-commands"),
          suggest: product.suggest,
          messageOf: (turnId) => product.messageOf(turnId),
        },
        (messages) => product.present(messages),
      );
      running = started;
      product.watch("discord", () => started.status());
      product.announceThrough("discord", (channel, text) => started.announce(channel, text));
      return started;
    },
  };
}
