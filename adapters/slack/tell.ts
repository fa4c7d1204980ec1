import type { Card } from "#contract/card.ts";

import type { KnownBlock } from "@slack/types";
import type { WebClient } from "@slack/web-api";

import type { SlackLog } from "./options.ts";
import { renderCard } from "./render/card.ts";
import { escapeText } from "./render/text.ts";

/** Where a person is told something that nobody else sees. */
export interface Ear {
  channel: string;
  user: string;
  thread?: string;
}

/** Says it to one person; never rejects, as what it is about has happened already. */
export type Tell = (ear: Ear | undefined, words: string | Card) => Promise<void>;

export function createTell(client: WebClient, log: SlackLog): Tell {
  return async (ear, words) => {
    if (ear === undefined) return;
    const { channel, user, thread } = ear;
    try {
      await client.chat.postEphemeral({
        channel,
        user,
        ...contentOf(words),
        ...(thread === undefined ? {} : { thread_ts: thread }),
      });
    } catch (error) {
      log.warn({ error, channel, user }, "a person could not be told");
    }
  };
}

/** Of a card that takes several pages the first one: this is for short answers. */
export function contentOf(words: string | Card): { text: string; blocks?: KnownBlock[] } {
  if (typeof words === "string") return { text: escapeText(words) };
  const { text, blocks } = renderCard(words);
  return { text, blocks };
}
