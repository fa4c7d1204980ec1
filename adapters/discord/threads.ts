import { type APIThreadChannel, type REST, RESTJSONErrorCodes as Code, Routes } from "discord.js";

import { cutText, oneLine } from "../chat/text.ts";
import type { ChatLog } from "../chat/parts.ts";
import { discordCode } from "./refusal.ts";
import { LIMITS } from "./render/limits.ts";

/** A day: posting opens it again. */
const ARCHIVE_MINUTES = 1440;

/** Why there can be no thread there: the answer is a reply then. */
const NO_THREADS: ReadonlySet<number | undefined> = new Set<number | undefined>([
  Code.MissingPermissions,
  Code.MissingAccess,
  Code.CannotExecuteActionOnThisChannelType,
  Code.UnknownMessage,
  Code.MaximumActiveThreads,
]);

/** Starts the thread of a message, or finds it started; undefined where none can be. */
export async function openThread(
  at: { channel: string; starter: string },
  words: string,
  { rest, log }: { rest: REST; log: ChatLog },
): Promise<string | undefined> {
  try {
    const thread = (await rest.post(Routes.threads(at.channel, at.starter), {
      body: { name: threadName(words), auto_archive_duration: ARCHIVE_MINUTES },
    })) as APIThreadChannel;
    return thread.id;
  } catch (error) {
    const code = discordCode(error);
    // Its id is that of its message.
    if (code === Code.ThreadAlreadyCreatedForMessage) return at.starter;
    if (!NO_THREADS.has(code)) throw error;
    log.debug({ channel: at.channel, code }, "no thread can be started there, the answer is a reply");
    return undefined;
  }
}

/** Names are shown as they are. */
function threadName(words: string): string {
  return cutText(oneLine(words), LIMITS.thread.name) || "Countersign";
}
