import type { Core } from "#contract/core.ts";
import type { TurnRequest } from "#contract/turn.ts";
import type { Logger } from "pino";

import type { Tx } from "../store/schema.ts";
import type { Inbox } from "../turn/inbox.ts";
import type { TurnQueue } from "../turn/queue.ts";

/** Core.submit; `also` writes in the same transaction, see Inbox.accept. */
export type Accept = (
  request: TurnRequest,
  also?: (tx: Tx, turnId: string) => Promise<void>,
) => Promise<{ turnId: string; duplicate: boolean }>;

/** Takes messages in, under the privacy of their channel. */
export function createAccept(parts: {
  inbox: Inbox;
  privacy: Pick<Core, "privacy">;
  queue: TurnQueue;
  log: Logger;
}): Accept {
  const { inbox, queue, log } = parts;
  return async (request, also) => {
    const { summarize } = await parts.privacy.privacy(request.channel);
    const allowSummarization = request.allowSummarization !== false && summarize;
    const accepted = await inbox.accept({ ...request, allowSummarization }, also);
    log.info(
      { turn: accepted.turnId, conversation: request.conversationId, actor: request.actor },
      "turn accepted",
    );
    if (!accepted.duplicate) queue.wake({ turnId: accepted.turnId, conversationId: request.conversationId });
    return accepted;
  };
}
