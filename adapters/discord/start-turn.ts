import type { ActorId } from "#contract/actor.ts";
import type { FilledCall, Quote } from "#contract/given.ts";

import type { Answer } from "./answer.ts";
import type { Answers } from "./answers.ts";
import type { TurnStart } from "./form-sessions.ts";
import type { Deed } from "./interaction.ts";
import type { DiscordDesk } from "./options.ts";
import { readPlace, toPlace } from "./place.ts";

/**
 * Begins a turn that an interaction asks for. It is durable before Discord hears of it; then the message of
 * the turn answers the interaction, or stands where `start.place` says.
 */
export type StartTurn = (
  start: TurnStart & { actor: ActorId; eventId: string },
  about: { call?: FilledCall; quote?: Quote },
  deed: Deed,
  answer: Answer,
) => Promise<void>;

export function createStartTurn({ presenter }: Pick<DiscordDesk, "presenter">, answers: Answers): StartTurn {
  return async ({ place, isAnswer, ...start }, about, { id, token }, answer) => {
    const request = { surface: "discord" as const, ...start, ...about };
    if (!isAnswer) {
      await presenter.submit(request, place);
      return answer.done();
    }
    const deferred = answers.expect(id);
    const at = readPlace(place);
    try {
      const { duplicate } = await presenter.submit(
        request,
        toPlace({ ...at, since: id, interaction: { id, token } }),
      );
      // The one that came first answers it.
      if (duplicate) return answer.leave();
    } catch (error) {
      deferred(false);
      throw error;
    }
    deferred(await answer.promise());
    return undefined;
  };
}
