import type { ActorId } from "#contract/actor.ts";
import type { FilledCall, Quote } from "#contract/message.ts";

import type { DiscordDeps, TurnStart } from "../options.ts";
import { readPlace, toPlace } from "../send/place.ts";
import type { InteractionContext } from "./interaction.ts";
import type { InteractionResponse } from "./response.ts";

/**
 * Begins a turn that an interaction asks for. It is durable before Discord hears of it; then the message of
 * the turn answers the interaction, or stands where `start.place` says.
 */
export type StartTurn = (
  start: TurnStart & { actor: ActorId; eventId: string },
  about: { call?: FilledCall; quote?: Quote },
  deed: InteractionContext,
  answer: InteractionResponse,
) => Promise<void>;

export function createStartTurn(
  { presenter }: Pick<DiscordDeps, "presenter">,
  answers: DeferredResponses,
): StartTurn {
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

/** Which interactions of this process were answered with "thinking", for the message that fills the answer. */
export interface DeferredResponses {
  /** The interaction will be deferred; the returned function says whether it was. */
  expect(interaction: string): (isDeferred: boolean) => void;
  /** Waits until that is known. One of another process counts as deferred: Discord says if it was not. */
  isDeferred(interaction: string): Promise<boolean>;
}

/** Long after any process has filled the answer. */
const KEPT = 1000;

export function createDeferredResponses(): DeferredResponses {
  const known = new Map<string, Promise<boolean>>();
  return {
    expect(interaction) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const [oldest] = known.keys();
      if (known.size >= KEPT && oldest !== undefined) known.delete(oldest);
      known.set(interaction, promise);
      return resolve;
    },
    isDeferred: (interaction) => known.get(interaction) ?? Promise.resolve(true),
  };
}
