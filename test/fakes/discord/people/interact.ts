import { randomBytes } from "node:crypto";

import { InteractionType } from "discord-api-types/v10";
import type { InteractionResponseType } from "discord-api-types/v10";

import type { GatewayControls } from "../gateway/gateway.ts";
import { shardOf } from "../gateway/session.ts";
import { permissionsIn } from "../permissions.ts";
import { ACKNOWLEDGE_MS } from "../rest/interactions.ts";
import { channelShape, eventShape, knownUser, memberShape, messageShape } from "../shapes.ts";
import type { Channel, Fields, Interaction, Message, Modal, User, World } from "../types.ts";

/** What became of a click, a command or a submission. */
export type Outcome =
  | {
      ok: true;
      interaction: Interaction;
      type: InteractionResponseType;
      /** The answer, or the message that was changed. */
      message: Message | undefined;
      modal: Modal | undefined;
    }
  | { ok: false; interaction: Interaction; reason: "nobody answered within 3 s" };

export interface Deed {
  type: InteractionType;
  data: Fields;
  user: User;
  channel: Channel;
  /** The message whose control was used. */
  source?: Message | undefined;
  /** For `interaction_metadata`. */
  metadata?: Fields;
}

/** Resolves when the app has acknowledged, or Discord has given up. */
export function interact(
  world: World,
  gateway: Pick<GatewayControls, "sessions">,
  deed: Deed,
): Promise<Outcome> {
  const interaction = begin(world, deed);
  const { channel } = deed;
  return new Promise((resolve) => {
    const giveUp = world.clock.after(ACKNOWLEDGE_MS, () => {
      interaction.answered = () => {};
      const present = gateway.sessions.some(
        ({ send, shard }) => send !== undefined && shardOf(channel.guild, shard[1]) === shard[0],
      );
      if (present) {
        const problem = `nobody answered ${describe(deed)} within 3 s`;
        world.violations.push({ kind: "interaction", where: "INTERACTION_CREATE", problem });
      }
      resolve({ ok: false, interaction, reason: "nobody answered within 3 s" });
      world.changed();
    });
    interaction.answered = () => {
      giveUp();
      const { acknowledged, modal } = interaction;
      const message = world.byId.get(interaction.original ?? "");
      if (acknowledged !== undefined) {
        resolve({ ok: true, interaction, type: acknowledged.type, message, modal });
      }
    };
    world.emit({ t: "INTERACTION_CREATE", d: interaction.payload, guild: channel.guild, always: true });
    world.changed();
  });
}

function describe({ type, data }: Deed): string {
  return `${InteractionType[type]} ${String(data.name ?? data.custom_id)}`;
}

function begin(world: World, { type, data, user, channel, source, metadata }: Deed): Interaction {
  const guild = world.guilds.get(channel.guild ?? "");
  const id = world.nextId();
  const token = randomBytes(40).toString("base64url");
  const installed = guild === undefined ? { 0: "0" } : { 0: guild.id };
  const owners = world.personalInstall ? { 1: user.id } : installed;
  const who = knownUser(world, user.id);
  const payload: Fields = {
    id,
    application_id: world.app.id,
    type,
    data,
    token,
    version: 1,
    channel_id: channel.id,
    channel: { ...channelShape(world, channel), permissions: String(permissionsIn(world, user.id, channel)) },
    app_permissions: String(permissionsIn(world, world.app.id, channel)),
    locale: "en-US",
    entitlements: [],
    authorizing_integration_owners: owners,
    context: guild === undefined ? 1 : 0,
    attachment_size_limit: 10_485_760,
    ...(source === undefined ? {} : { message: sourceShape(world, source) }),
    ...(guild === undefined
      ? { user: who }
      : {
          guild_id: guild.id,
          guild_locale: "en-US",
          guild: { id: guild.id, locale: "en-US", features: [] },
          member: {
            ...memberShape(guild, user.id),
            user: who,
            permissions: String(permissionsIn(world, user.id, channel)),
          },
        }),
  };
  const interaction: Interaction = {
    id,
    token,
    type,
    user: user.id,
    channel: channel.id,
    at: world.clock.now(),
    payload,
    source: source?.id,
    acknowledged: undefined,
    original: undefined,
    metadata: { id, type, user: who, authorizing_integration_owners: owners, ...metadata },
    choices: undefined,
    modal: undefined,
    answered() {},
  };
  world.interactions.set(token, interaction);
  return interaction;
}

function sourceShape(world: World, message: Message): Fields {
  // What only one person sees carries no guild.
  return message.ephemeralFor === undefined ? eventShape(world, message) : messageShape(world, message);
}
