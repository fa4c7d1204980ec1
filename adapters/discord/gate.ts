import { NOT_HERE, type NamingCore, namedIn, standsIn } from "../chat/gate.ts";
import type { ChatState } from "../chat/parts.ts";
import type { Identity } from "./connection.ts";
import { channelOf } from "./ids.ts";
import type { Deed, Doing } from "./interaction.ts";
import { readCustomId } from "./render/buttons.ts";
import type { Rooms } from "./rooms.ts";

export interface GateParts {
  core: NamingCore;
  rooms: Pick<Rooms, "conversation" | "conversationAt">;
  /** What does not fit into a button. */
  values: ChatState<string>;
  me: () => Identity;
}

/**
 * Why an interaction is turned away before anything that it names is read; undefined where it may go on. A
 * button stands in a message of this app, in the channel in which it was pressed, and what it names belongs
 * to the conversation there. Forms are held to where they began, see form-sessions.ts.
 */
export async function whyNotHere(doing: Doing, deed: Deed, parts: GateParts): Promise<string | undefined> {
  switch (doing.kind) {
    case "click": {
      const { data, message } = doing.interaction;
      const { app, bot } = parts.me();
      const isOwn = message.author.id === bot || message.application_id === app;
      const isThere = message.channel_id === deed.channel;
      const hasButton = standsIn(message.components, (part) => part["custom_id"] === data.custom_id);
      if (!isOwn || !isThere || !hasButton) return NOT_HERE;
      return (await namesOther(data.custom_id, deed, parts)) ? NOT_HERE : undefined;
    }
    case "menu": {
      const { data } = doing.interaction;
      const target = data.resolved.messages[data.target_id];
      return target !== undefined && target.channel_id !== deed.channel ? NOT_HERE : undefined;
    }
    default:
      return undefined;
  }
}

async function namesOther(
  customId: string,
  deed: Deed,
  { core, rooms, values }: GateParts,
): Promise<boolean> {
  const pressed = readCustomId(customId);
  const kept = pressed?.isKept === true ? await values.get(pressed.value) : undefined;
  const named = await namedIn([kept ?? customId], core);
  if (named.length === 0) return false;
  const { guild, channel, parent } = deed;
  const here = channelOf(guild, parent ?? channel);
  const conversation = await conversationAt(deed, rooms);
  return named.some(
    (one) => one.channel !== here || (conversation !== undefined && conversation !== one.conversationId),
  );
}

/** A thread or a direct conversation is one; of a message in a channel it is known once it was recorded. */
async function conversationAt(
  { guild, channel, parent, message }: Deed,
  rooms: GateParts["rooms"],
): Promise<string | undefined> {
  if (parent !== undefined || guild === undefined) {
    return rooms.conversation({ guild, channel: parent ?? channel, thread: channel });
  }
  return message === undefined || message.isForOne ? undefined : rooms.conversationAt(message.id);
}
