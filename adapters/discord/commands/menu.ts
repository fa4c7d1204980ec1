import type { APIMessageApplicationCommandInteraction } from "discord.js";

import type { Answer } from "../answer.ts";
import { beginForm } from "../forms.ts";
import { channelOf } from "../ids.ts";
import type { Deed } from "../interaction.ts";
import { toPlace } from "../place.ts";
import { textsOf } from "../texts.ts";
import { plainWords } from "../words.ts";
import { ASK_ABOUT } from "./build.ts";
import type { CommandParts } from "./handle.ts";

/** "Ask Countersign about this" in the menu of a message; what is wanted of it is asked in a form. */
export async function onMenu(
  { data }: APIMessageApplicationCommandInteraction,
  { id, actor, guild, channel, parent }: Deed,
  answer: Answer,
  parts: CommandParts & { bot: string },
): Promise<void> {
  const message = data.resolved.messages[data.target_id];
  if (data.name !== ASK_ABOUT || message === undefined) return answer.tell("This is no longer there.");
  const own = plainWords(message.content, parts.bot, message.mentions);
  const text = own === "" ? textsOf(message.components) : own;
  if (text === "") return answer.tell("This message has no words that I can read.");
  const { author } = message;
  const isRoom = parent !== undefined || guild === undefined;
  return beginForm(
    {
      actor,
      channel,
      values: {},
      purpose: {
        kind: "quote",
        quote: {
          text,
          author: author.global_name ?? author.username,
          // What a bot said may be what a tool brought, this one's in particular.
          ...(author.bot === true ? { derived: true } : {}),
        },
        start: {
          conversationId: await parts.rooms.conversation({
            guild,
            channel: parent ?? channel,
            thread: isRoom ? channel : message.id,
          }),
          channel: channelOf(guild, parent ?? channel),
          message: "",
          place: toPlace({
            guild,
            channel,
            since: id,
            ...(isRoom ? {} : { starter: message.id, answers: message.id }),
          }),
          isAnswer: false,
        },
      },
    },
    answer,
    parts,
  );
}
