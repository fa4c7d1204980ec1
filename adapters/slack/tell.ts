import type { Card } from "#contract/card.ts";

import type { KnownBlock } from "@slack/types";

import type { ChatLog } from "../chat/parts.ts";
import { renderCard } from "./render/card.ts";
import { escapeText } from "./render/text.ts";
import type { ClientOf } from "./workspaces.ts";

/** Where a person is told something that nobody else sees. */
export interface Ear {
  team: string;
  channel: string;
  user: string;
  thread?: string;
}

/** Says it to one person; never rejects, as what it is about has happened already. */
export type Tell = (ear: Ear | undefined, words: string | Card) => Promise<void>;

export function createTell(clientOf: ClientOf, log: ChatLog): Tell {
  return async (ear, words) => {
    if (ear === undefined) return;
    const { team, channel, user, thread } = ear;
    try {
      const client = await clientOf(team);
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

/** Of a card that takes several pages the first one, which says so: this is for short answers. */
export function contentOf(words: string | Card): { text: string; blocks?: KnownBlock[] } {
  if (typeof words === "string") return { text: escapeText(words) };
  // Without table blocks nothing is left to a file that nobody attaches.
  const { text, blocks } = renderCard(words, { tables: false });
  return { text, blocks };
}
