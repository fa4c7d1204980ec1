import { App, type AppOptions, type ReceiverEvent } from "@slack/bolt";

/**
 * Resolves when all that must not be lost of a request is durable, to whether there is more to do; a
 * rejection leaves it unacknowledged.
 */
export type TakeDown = (body: unknown) => Promise<"go on" | "done">;

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
    if ((await this.#takeDown(event.body)) === "done") await event.ack();
    else await super.processEvent(event);
  }
}
