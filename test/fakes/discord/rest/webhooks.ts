import { MessageFlags } from "discord-api-types/v10";

import { refusal } from "../errors.ts";
import { deleteMessage, editMessage } from "../sending.ts";
import { messageShape } from "../shapes.ts";
import type { Interaction, Message } from "../types.ts";
import { postAnswer } from "./interactions.ts";
import { route } from "./route.ts";
import type { Context, Route } from "./route.ts";

/** How long the token of an interaction lives. */
export const TOKEN_LIFE_MS: number = 15 * 60_000;

const PATH = "/webhooks/:app/:token";

/** Routes of an interaction after its first answer; its token is the only key. */
export const webhookRoutes: readonly Route[] = [
  route("POST", PATH, followUp, true),
  route(
    "GET",
    `${PATH}/messages/:message`,
    (context) => messageShape(context.world, answerOf(context)),
    true,
  ),
  route("PATCH", `${PATH}/messages/:message`, edit, true),
  route(
    "DELETE",
    `${PATH}/messages/:message`,
    (context) => deleteMessage(context.world, answerOf(context)),
    true,
  ),
];

function interactionOf({ world, params }: Context): Interaction {
  const interaction = world.interactions.get(params.token ?? "");
  if (params.app !== world.app.id || interaction === undefined) throw refusal(10015);
  if (world.clock.now() - interaction.at > TOKEN_LIFE_MS) throw refusal(50027);
  // The webhook begins with the first answer.
  if (interaction.acknowledged === undefined) throw refusal(10015);
  return interaction;
}

function answerOf(context: Context): Message {
  const { world, params } = context;
  const interaction = interactionOf(context);
  const id = params.message === "@original" ? interaction.original : params.message;
  const message = world.byId.get(id ?? "");
  const own = message?.author === world.app.id && message.channel === interaction.channel;
  if (message === undefined || message.deleted || !own) throw refusal(10008);
  return message;
}

/** The first follow-up of a deferred answer becomes that answer. */
function followUp(context: Context): unknown {
  const { world, body } = context;
  const interaction = interactionOf(context);
  const original = world.byId.get(interaction.original ?? "");
  const waiting =
    original !== undefined && !original.deleted && (original.flags & MessageFlags.Loading) !== 0;
  const message = waiting ? editMessage(context, original, body) : postAnswer(context, interaction, body);
  return messageShape(world, message);
}

function edit(context: Context): unknown {
  return messageShape(context.world, editMessage(context, answerOf(context), context.body));
}
