import type { Approval } from "#contract/approval.ts";
import type { Place, Presenter } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";

import { onlyReads } from "../../chat/private.ts";
import { readPlace, toPlace } from "../ids.ts";
import type { DiscordDeps, TurnStart } from "../options.ts";
import type { DiscordPort } from "../send/port.ts";
import type { InteractionOrigin } from "./interaction.ts";
import type { DeferredResponses, InteractionResponse } from "./response.ts";

/** An interaction that is being handled. */
export interface InteractionContext extends InteractionOrigin {
  response: InteractionResponse;
  /** What is written where it was done, as the channel's setting names it. */
  language: string | undefined;
  /** The request that the interaction names, as it was just read. */
  seen: Approval | undefined;
}

/** What interactions are handled with. */
export interface InteractionDeps extends DiscordDeps {
  port: Pick<DiscordPort, "redraw" | "share">;
  presenter: Pick<Presenter, "submit">;
  deferred: DeferredResponses;
}

/** A turn that the interaction begins in its thread; in a channel, in the conversation of a thread to be. */
export async function turnHere(
  message: string,
  threadToBe: string,
  context: InteractionOrigin,
  { rooms }: Pick<InteractionDeps, "rooms">,
): Promise<TurnStart> {
  const { guild, home, channel, channelId, isThread } = context;
  const thread = isThread ? channel : threadToBe;
  return {
    conversationId: await rooms.conversation({ guild, channel: home, thread }),
    channel: channelId,
    message,
    place: placeOf(context),
    isAnswer: false,
  };
}

/** Where a turn that the interaction begins is shown; `isPrivate`: to who began it alone. */
export function placeOf({ id, guild, channel }: InteractionOrigin, isPrivate = false): Place {
  return toPlace({ guild, channel, since: id, ...(isPrivate ? { isPrivate } : {}) });
}

/** Whether what a command or a button looks up is for the person alone; in direct messages nobody else is there. */
export function isForOne(
  toolId: string,
  { guild }: InteractionOrigin,
  { core, options }: Pick<InteractionDeps, "core" | "options">,
): boolean {
  return guild !== undefined && options.slash_answers === "private" && onlyReads(toolId, core);
}

/**
 * Begins a turn that an interaction asks for. It is durable before Discord hears of it; then the message of
 * the turn answers the interaction, or stands where `start.place` says. Resolves to whether it was begun before:
 * where nothing answers the interaction, that is left to the caller.
 */
export async function startTurn(
  { place, isAnswer, ...start }: TurnStart,
  about: Pick<TurnRequest, "call" | "quote" | "undoes">,
  { id, token, actor, response }: InteractionContext,
  { presenter, deferred }: InteractionDeps,
  eventId = `interaction:${id}`,
): Promise<boolean> {
  const request = { surface: "discord" as const, actor, eventId, ...start, ...about };
  if (!isAnswer) {
    const { duplicate } = await presenter.submit(request, place);
    if (!duplicate) await response.done();
    return duplicate;
  }
  const shown = readPlace(place);
  const settle = deferred.expect(id);
  try {
    const answered = toPlace({ ...shown, since: id, interaction: { id, token } });
    const { duplicate } = await presenter.submit(request, answered);
    if (duplicate) {
      response.leave();
      return true;
    }
  } catch (error) {
    settle(false);
    throw error;
  }
  settle(await response.defer(shown.isPrivate === true));
  return false;
}
