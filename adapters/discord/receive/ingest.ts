import { setTimeout as sleep } from "node:timers/promises";
import { type GatewayMessageCreateDispatchData, type REST, Routes } from "discord.js";
import pLimit, { type LimitFunction } from "p-limit";

import type { ChatLog } from "../../chat/parts.ts";

/** Discord sends a message once only: what could not be taken down is tried again before it is given up. */
const PAUSES_MS = [100, 1000, 5000];

/** Takes down what a message says; where that fails for good, its author is told. Never rejects. */
export async function ingest(
  { id, channel_id: channel }: GatewayMessageCreateDispatchData,
  take: () => Promise<void>,
  { rest, log }: { rest: REST; log: ChatLog },
): Promise<void> {
  for (const pause of [...PAUSES_MS, undefined]) {
    try {
      return await take();
    } catch (error) {
      log.warn({ error, message: id }, "a message could not be taken down");
      if (pause === undefined) break;
      await sleep(pause);
    }
  }
  const body = {
    content: "I could not take that down: nothing was done. Please send it again.",
    message_reference: { message_id: id, fail_if_not_exists: false },
    allowed_mentions: { parse: [], replied_user: false },
  };
  await rest.post(Routes.channelMessages(channel), { body }).catch((error: unknown) => {
    log.error({ error, message: id }, "a person could not be told that their message is lost");
  });
}

/** Does what belongs to one channel in order, and different channels side by side. */
export function createKeyedLimit(): <Result>(lane: string, work: () => Promise<Result>) => Promise<Result> {
  const lanes = new Map<string, LimitFunction>();
  return async (lane, work) => {
    const limit = lanes.get(lane) ?? pLimit(1);
    lanes.set(lane, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) lanes.delete(lane);
    }
  };
}
