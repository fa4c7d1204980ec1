import type { ModalView } from "@slack/types";

import { App, type AppOptions, type ReceiverEvent } from "@slack/bolt";

/**
 * Resolves when all that must not be lost of a request is durable, to whether there is more to do; a
 * rejection leaves it unacknowledged.
 */
export type TakeDown = (body: unknown) => Promise<"go on" | "done" | { response: TurnedAway }>;

/** What Slack is answered for what was turned away: another view in place of a window, or nothing. */
export type TurnedAway = { response_action: "update"; view: ModalView } | undefined;

/**
 * Bolt acknowledges events before any listener runs. Here what they say is taken down first; where that
 * fails Slack hears nothing, and sends the event again.
 */
export class DurableApp extends App {
  readonly #takeDown: TakeDown;

  constructor(options: AppOptions, takeDown: TakeDown) {
    super(options);
    this.#takeDown = takeDown;
  }

  override async processEvent(event: ReceiverEvent): Promise<void> {
    const taken = await this.#takeDown(event.body);
    if (taken === "go on") await super.processEvent(event);
    else if (taken === "done" || taken.response === undefined) await event.ack();
    else await event.ack(taken.response);
  }
}
