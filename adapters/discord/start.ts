import type { GatewayInteractionCreateDispatchData, GatewayMessageCreateDispatchData } from "discord.js";

import type { SurfaceStatus } from "#contract/core.ts";
import type { MessagePort, Presenter } from "#contract/present.ts";

import { errorForUser } from "../chat/actions.ts";
import { createFormSessions, type DiscordParts, type DiscordOptions } from "./options.ts";
import { keepRegistered } from "./install/register.ts";
import { type ClickDeps, onClick } from "./interact/clicks.ts";
import { onCommand, onMenu, onTyping } from "./interact/commands.ts";
import { onFormWindow } from "./interact/forms.ts";
import { readContext, readInteraction } from "./interact/interaction.ts";
import { createResponse } from "./interact/response.ts";
import { createDeferredResponses, createStartTurn } from "./interact/start-turn.ts";
import { createRest } from "./receive/client.ts";
import { connect, type Connection, type Identity } from "./receive/connection.ts";
import { type Conversations, createConversations } from "./receive/conversations.ts";
import { createKeyedLimit, ingest } from "./receive/ingest.ts";
import { parseMessage } from "./receive/parse-message.ts";
import { createMembership, createNames, type DiscordMembership } from "./receive/people.ts";
import { createTenantGuard, tenantViolation } from "./receive/tenant-guard.ts";
import { createDiscordPort } from "./send/port.ts";
import { createAnnounce } from "./send/remind.ts";

export interface RunningDiscord {
  members: DiscordMembership;
  status(): SurfaceStatus;
  announce(channel: string, text: string): Promise<void>;
  /** Takes nothing new. Messages that are shown already may still be edited. */
  stop(): Promise<void>;
}

interface InteractionDeps extends ClickDeps {
  rooms: Conversations;
}

/** Begins to listen; `present` gives the presenter that shows turns through the port. */
export async function startDiscord(
  options: DiscordOptions,
  parts: DiscordParts,
  present: (port: MessagePort) => Presenter,
): Promise<RunningDiscord> {
  const { core, log, registered } = parts;
  const rest = createRest(options);
  const over = new AbortController();
  let identity: Identity | undefined;
  let connection: Connection | undefined;
  let registering: Promise<void> | undefined;
  const me = (): Identity => {
    if (identity === undefined)
      throw new Error("expected to be connected to Discord, which has not answered yet");
    return identity;
  };
  const rooms = createConversations(rest, parts.threads, (channel) => connection?.known(channel));
  const answers = createDeferredResponses();
  const nameOf = createNames(rest, log);
  const port = createDiscordPort({
    ...parts,
    rest,
    me,
    rooms,
    answers,
    nameOf,
    embeds: options.embeds,
    roles: options.roles,
  });
  const presenter = present(port);
  const lane = createKeyedLimit();
  const members = createMembership(rest, options);
  if (options.guilds.length === 0) {
    log.warn(
      {},
      "discord.guilds is empty: whoever adds this bot to a server can use its tools there. Name your servers, or switch Public Bot off",
    );
  }
  const served = createTenantGuard({
    guilds: options.guilds,
    joined: () => connection?.guilds() ?? [],
    members,
    told: parts.told,
    rest,
    log,
  });
  const desk: InteractionDeps = {
    ...parts,
    presenter,
    port,
    rooms,
    nameOf,
    sessions: createFormSessions(parts.formStore),
    startTurn: createStartTurn({ presenter }, answers),
  };

  async function onMessage(message: GatewayMessageCreateDispatchData): Promise<void> {
    if (!(await served.takes(message, me().bot))) return;
    const isKnown = async (id: string): Promise<boolean> => (await core.conversation(id)).length > 0;
    const heard = await parseMessage(message, { bot: me().bot, rooms, isKnown });
    if (heard !== undefined) await presenter.submit(heard.request, heard.place);
  }

  async function onInteraction(interaction: GatewayInteractionCreateDispatchData): Promise<void> {
    const deed = readContext(interaction);
    const doing = readInteraction(interaction);
    if (deed === undefined || doing === undefined) return;
    if (doing.kind === "typing") {
      const isServed = (await served.whyNot(interaction, deed)) === undefined;
      return onTyping(doing.interaction, deed, { ...desk, rest, isServed });
    }
    const answer = createResponse(deed, { rest, log, me, values: parts.values });
    try {
      const stranger = await served.whyNot(interaction, deed);
      if (stranger !== undefined) return await answer.tell(stranger);
      const why = await tenantViolation(doing, deed, { ...desk, me });
      if (why !== undefined) {
        log.warn(
          { doing: doing.kind, actor: deed.actor, channel: deed.channel },
          "something of another place was named: nothing was done",
        );
        return await answer.tell(why);
      }
      switch (doing.kind) {
        case "command":
          return await onCommand(doing.interaction, deed, answer, desk);
        case "menu":
          return await onMenu(doing.interaction, deed, answer, { ...desk, bot: me().bot });
        case "click":
          return await onClick(doing.interaction, deed, answer, desk);
        case "form":
          return await onFormWindow(doing.interaction, deed, answer, desk);
      }
    } catch (error) {
      log.warn({ error, doing: doing.kind, actor: deed.actor }, "what a person did had no effect");
      return answer.tell(errorForUser(error));
    }
  }

  connection = connect(options, {
    rest,
    log,
    listener: {
      async onIdentity(found) {
        identity = found;
        registering ??= keepRegistered(
          found.app,
          { core, rest, log, registered, guilds: options.guilds },
          over.signal,
        );
      },
      onMessage(message) {
        void lane(message.channel_id, () => ingest(message, () => onMessage(message), { rest, log }));
      },
      onInteraction(interaction) {
        onInteraction(interaction).catch((error: unknown) => {
          log.warn(
            { error, interaction: interaction.id },
            "Discord did not take the answer to an interaction",
          );
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
