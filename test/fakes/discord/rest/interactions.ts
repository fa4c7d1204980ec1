import {
  ApplicationCommandOptionType,
  InteractionResponseType as R,
  InteractionType,
  MessageFlags,
  MessageType,
} from "discord-api-types/v10";

import { isFields } from "../../slack/json.ts";
import { checkChoiceList } from "../check/commands.ts";
import { Form } from "../check/form.ts";
import { checkModal } from "../check/modal.ts";
import { refusal } from "../errors.ts";
import { editMessage, numbered, postMessage, announce } from "../sending.ts";
import { messageShape } from "../shapes.ts";
import type { Fields, Interaction, Message, World } from "../types.ts";
import { addMessage } from "../world.ts";
import { route } from "./route.ts";
import type { Context, Route } from "./route.ts";

/** How long an app has to answer. */
export const ACKNOWLEDGE_MS = 3000;

export const callbackRoutes: readonly Route[] = [
  route("POST", "/interactions/:interaction/:token/callback", callback, true),
];

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback */
function callback(context: Context): unknown {
  const { world, params, body, query } = context;
  const interaction = world.interactions.get(params.token ?? "");
  if (interaction === undefined || interaction.id !== params.interaction) throw refusal(10062);
  if (interaction.acknowledged !== undefined) throw refusal(40060);
  if (world.clock.now() - interaction.at > ACKNOWLEDGE_MS) throw refusal(10062);
  const form = new Form();
  form.object(body, [], { type: true, data: true });
  if (body.type === undefined) form.required(["type"]);
  form.choice(body.type, ["type"], answersTo(interaction));
  context.accept(form);
  const type = body.type as R;
  const message = answer(context, interaction, type, isFields(body.data) ? body.data : {});
  interaction.acknowledged = { type, at: world.clock.now() };
  interaction.answered();
  world.changed();
  if (query.get("with_response") !== "true") return undefined;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      response_message_id: message?.id,
      response_message_loading: ((message?.flags ?? 0) & MessageFlags.Loading) !== 0,
      response_message_ephemeral: message?.ephemeralFor !== undefined,
    },
    ...(message === undefined ? {} : { resource: { type, message: messageShape(world, message) } }),
  };
}

/** The kinds of answer that this interaction takes. */
function answersTo({ type, source }: Interaction): R[] {
  if (type === InteractionType.ApplicationCommandAutocomplete)
    return [R.ApplicationCommandAutocompleteResult];
  const any = [R.ChannelMessageWithSource, R.DeferredChannelMessageWithSource];
  const update = source === undefined ? [] : [R.DeferredMessageUpdate, R.UpdateMessage];
  return [...any, ...update, ...(type === InteractionType.ModalSubmit ? [] : [R.Modal])];
}

function answer(context: Context, interaction: Interaction, type: R, data: Fields): Message | undefined {
  const { world } = context;
  switch (type) {
    case R.ChannelMessageWithSource: {
      const message = postAnswer(context, interaction, data, "data");
      interaction.original = message.id;
      return message;
    }
    case R.DeferredChannelMessageWithSource:
      return defer(context, interaction, data);
    case R.UpdateMessage: {
      const source = sourceOf(world, interaction);
      interaction.original = source.id;
      return editMessage(context, source, data, "data");
    }
    case R.DeferredMessageUpdate:
      interaction.original = interaction.source;
      return sourceOf(world, interaction);
    case R.Modal: {
      context.accept(checkModal(data), "data");
      interaction.modal = {
        id: interaction.id,
        customId: String(data.custom_id),
        title: String(data.title),
        components: numbered((data.components as Fields[]) ?? []),
        user: interaction.user,
        interaction: interaction.token,
      };
      world.modals.set(interaction.user, interaction.modal);
      return undefined;
    }
    default:
      choices(context, interaction, data);
      return undefined;
  }
}

/** A first answer or a follow-up, in the channel of the interaction. */
export function postAnswer(
  context: Context,
  interaction: Interaction,
  body: Fields,
  under?: string,
): Message {
  const { world } = context;
  const channel = world.channels.get(interaction.channel);
  if (channel === undefined) throw refusal(10003);
  const ephemeral = (Number(body.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  return postMessage(context, channel, body, {
    ephemeralFor: ephemeral ? interaction.user : undefined,
    interaction: interaction.metadata,
    type: answerType(interaction),
    ...(under === undefined ? {} : { under }),
  });
}

function answerType({ type, payload }: Interaction): MessageType {
  if (type !== InteractionType.ApplicationCommand) return MessageType.Default;
  const target = isFields(payload.data) && payload.data.target_id !== undefined;
  return target ? MessageType.ContextMenuCommand : MessageType.ChatInputCommand;
}

/** "Countersign is thinking": only whether others see the answer can be said now. */
function defer(context: Context, interaction: Interaction, data: Fields): Message {
  const { world } = context;
  const form = new Form();
  form.object(data, [], { flags: true });
  form.number(data.flags, ["flags"], 0, 2 ** 31 - 1);
  if ((Number(data.flags ?? 0) & ~MessageFlags.Ephemeral) !== 0) {
    form.add(["flags"], "MESSAGE_FLAGS_INVALID", "A deferred answer takes the flag EPHEMERAL only");
  }
  context.accept(form, "data");
  const ephemeral = (Number(data.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  const channel = world.channels.get(interaction.channel);
  if (channel === undefined) throw refusal(10003);
  const message = addMessage(world, {
    channel: channel.id,
    author: world.app.id,
    type: answerType(interaction),
    flags: MessageFlags.Loading | (ephemeral ? MessageFlags.Ephemeral : 0),
    webhook: true,
    interaction: interaction.metadata,
    ephemeralFor: ephemeral ? interaction.user : undefined,
  });
  interaction.original = message.id;
  announce(world, channel, message);
  return message;
}

function choices(context: Context, interaction: Interaction, data: Fields): void {
  const form = new Form();
  form.object(data, [], { choices: true });
  const list = form.list(data.choices, ["choices"], 25);
  checkChoiceList(
    form,
    list,
    ["choices"],
    focusedType(interaction.payload) || ApplicationCommandOptionType.String,
  );
  context.accept(form, "data");
  interaction.choices = list.filter(isFields).map(({ name, value }) => ({
    name: String(name),
    value: typeof value === "number" ? value : String(value),
  }));
}

function focusedType(value: unknown): ApplicationCommandOptionType | 0 {
  if (Array.isArray(value)) return value.map(focusedType).find((type) => type !== 0) ?? 0;
  if (!isFields(value)) return 0;
  if (value.focused === true) return value.type as ApplicationCommandOptionType;
  return focusedType(value.data) || focusedType(value.options);
}

function sourceOf(world: World, { source }: Interaction): Message {
  const message = world.byId.get(source ?? "");
  if (message === undefined || message.deleted) throw refusal(10008);
  return message;
}
