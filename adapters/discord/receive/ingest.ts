import { type GatewayMessageCreateDispatchData, type REST, Routes } from "discord.js";
import pLimit, { type LimitFunction } from "p-limit";

import { sleep } from "#src/base/time.ts";
import { wordsOf } from "#src/base/words/words.ts";

import type { ChatLog } from "../../chat/parts.ts";

/** Pauses between attempts: Discord sends a message once only. */
const PAUSES_MS = [100, 1000, 5000];

/** Takes down what a message says; where that fails for good, its author is told. Never rejects. */
export async function ingest(
  { id, channel_id: channel }: GatewayMessageCreateDispatchData,
  take: () => Promise<void>,
  { rest, log, language }: { rest: REST; log: ChatLog; language: string | undefined },
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
  const words = wordsOf(language).recorded.notSavedMessage();
  await replyPlainly(rest, { channel, message: id }, words).catch((error: unknown) => {
    log.error({ error, message: id }, "a person could not be told that their message is lost");
  });
}

/** Answers a message in plain words, without notifying anybody. */
export async function replyPlainly(
  rest: REST,
  { channel, message }: { channel: string; message: string },
  content: string,
): Promise<void> {
  const body = {
    content,
    message_reference: { message_id: message, fail_if_not_exists: false },
    allowed_mentions: { parse: [], replied_user: false },
  };
  await rest.post(Routes.channelMessages(channel), { body });
}

/** Runs work of the same key in order, and that of different keys side by side. */
export function createKeyedLimit(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const limits = new Map<string, LimitFunction>();
  return async (key, work) => {
    const limit = limits.get(key) ?? pLimit(1);
    limits.set(key, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) limits.delete(key);
    }
  };
}
