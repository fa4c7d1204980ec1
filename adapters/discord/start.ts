import type { GatewayInteractionCreateDispatchData, GatewayMessageCreateDispatchData } from "discord.js";

import type { SurfaceStatus } from "#contract/core.ts";
import type { MessagePort, Presenter } from "#contract/present.ts";

import { errorForUser } from "../chat/actions.ts";
import { keepRegistered } from "./install/register.ts";
import { onClick } from "./interact/clicks.ts";
import { onCommand, onMenu, onTyping } from "./interact/commands.ts";
import type { InteractionDeps } from "./interact/context.ts";
import { onFormWindow } from "./interact/forms.ts";
import { readInteraction, readOrigin } from "./interact/interaction.ts";
import { createDeferredResponses, createResponse } from "./interact/response.ts";
import type { DiscordDeps, DiscordOptions, DiscordParts, Identity } from "./options.ts";
import { createRest } from "./receive/client.ts";
import { connect, type Connection } from "./receive/connection.ts";
import { createConversations } from "./receive/conversations.ts";
import { createKeyedLimit, ingest } from "./receive/ingest.ts";
import { parseMessage } from "./receive/parse-message.ts";
import { createMembership, createNames, type DiscordMembership } from "./receive/people.ts";
import { checkPlace, createTenantGuard } from "./receive/tenant-guard.ts";
import { channelOf } from "./ids.ts";
import { createDiscordPort } from "./send/port.ts";
import { createAnnounce } from "./send/notify.ts";

export interface RunningDiscord {
  members: DiscordMembership;
  status(): SurfaceStatus;
  announce(channel: string, text: string): Promise<void>;
  /** Takes nothing new. Messages that are shown already may still be edited. */
  stop(): Promise<void>;
}

/** Begins to listen; `present` gives the presenter that shows turns through the port. */
export async function startDiscord(
  options: DiscordOptions,
  parts: DiscordParts,
  present: (port: MessagePort) => Presenter,
): Promise<RunningDiscord> {
  const { core, log } = parts;
  const rest = createRest(options);
  // The package waits by itself.
  rest.on("rateLimited", ({ retryAfter }) => parts.onWait?.(retryAfter));
  const over = new AbortController();
  let identity: Identity | undefined;
  let connection: Connection | undefined;
  let registering: Promise<void> | undefined;
  const me = (): Identity => {
    if (identity !== undefined) return identity;
    throw new Error("expected to be connected to Discord, which has not answered yet");
  };
  const rooms = createConversations(rest, parts.threads, (channel) => connection?.known(channel));
  const base: DiscordDeps = { ...parts, options, rest, me, rooms, nameOf: createNames(rest, log) };
  const deferred = createDeferredResponses();
  const members = createMembership(rest, options);
  const port = createDiscordPort({ ...base, members, isDeferred: deferred.isDeferred });
  const presenter = present(port);
  const deps: InteractionDeps = { ...base, port, presenter, deferred };
  const guard = createTenantGuard(members, () => connection?.guilds() ?? [], deps);
  const inOrder = createKeyedLimit();
  if (options.guilds.length === 0) {
    log.warn(
      {},
      "discord.guilds is empty: whoever adds this bot to a server can use its tools there. Name your servers, or switch Public Bot off",
    );
  }

  async function onMessage(message: GatewayMessageCreateDispatchData): Promise<void> {
    const { bot } = me();
    if (!(await guard.takes(message, bot))) return;
    const isKnown = async (id: string): Promise<boolean> => (await core.conversation(id)).length > 0;
    const incoming = await parseMessage(message, { bot, rooms, isKnown });
    if (incoming !== undefined) await presenter.submit(incoming.request, incoming.place);
  }

  async function onInteraction(given: GatewayInteractionCreateDispatchData): Promise<void> {
    const origin = readOrigin(given);
    const read = readInteraction(given);
    if (origin === undefined || read === undefined) return;
    if (read.kind === "typing") {
      const isServed = (await guard.whyNot(given, origin)) === undefined;
      return onTyping(read.interaction, origin, { ...deps, isServed });
    }
    const { actor, channelId: channel } = origin;
    const response = createResponse(origin, deps);
    try {
      const stranger = await guard.whyNot(given, origin);
      if (stranger !== undefined) return await response.tell(stranger);
      const { violation, seen } = await checkPlace(read, origin, deps);
      if (violation !== undefined) {
        const words = "something of another place was named: nothing was done";
        log.warn({ doing: read.kind, actor, channel }, words);
        return await response.tell(violation);
      }
      const context = { ...origin, response, seen, language: parts.language(channel) };
      switch (read.kind) {
        case "command":
          return await onCommand(read.interaction, context, deps);
        case "menu":
          return await onMenu(read.interaction, context, deps);
        case "click":
          return await onClick(read.interaction, context, deps);
        case "form":
          return await onFormWindow(read.interaction, context, deps);
      }
    } catch (error) {
      log.warn({ error, doing: read.kind, actor }, "what a person did had no effect");
      return response.tell(errorForUser(error));
    }
  }

  connection = connect(options, {
    rest,
    log,
    listener: {
      onIdentity(found) {
        identity = found;
        registering ??= keepRegistered(deps, over.signal);
      },
      onMessage(message) {
        void inOrder(message.channel_id, () => {
          const language = parts.language(channelOf(message.guild_id, message.channel_id));
          return ingest(message, () => onMessage(message), { ...deps, language });
        });
      },
      onInteraction(given) {
        onInteraction(given).catch((error: unknown) => {
          log.warn({ error, interaction: given.id }, "Discord did not take the answer to an interaction");
        });
      },
    },
  });
  await presenter.start();
  return {
    members,
    status: () => connection?.status() ?? { status: "connecting" },
    announce: createAnnounce(rest),
    async stop() {
      over.abort();
      await Promise.all([connection?.stop(), registering]);
    },
  };
}
