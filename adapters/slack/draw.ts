import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import type { KnownBlock } from "@slack/types";

import { readId } from "./ids.ts";
import type { SlackState } from "./options.ts";
import { cleanText, cutText, oneLine } from "./render/text.ts";
import { type RenderedMessage, renderTurn } from "./render/turn.ts";

export interface DrawOptions {
  cards: Cards;
  pages: SlackState<Record<string, number>>;
}

/** The message of a turn. `isOwnThread`: no message of a person stands above it, so that it says what was asked. */
export async function drawTurn(
  view: TurnView,
  isOwnThread: boolean,
  { cards, pages }: DrawOptions,
): Promise<RenderedMessage> {
  const open = view.isSettled ? await pages.get(view.turnId) : undefined;
  const drawn = renderTurn(view, cards, open === undefined ? {} : { pages: open });
  return isOwnThread ? { ...drawn, blocks: [asked(view), ...drawn.blocks] } : drawn;
}

/** Small enough for the room that the renderer leaves. */
function asked({ actor, message }: TurnView): KnownBlock {
  const user = readId(actor)?.local ?? "";
  return {
    type: "context",
    elements: [
      { type: "mrkdwn", text: /^[A-Z0-9]+$/.test(user) ? `<@${user}>` : "Asked" },
      { type: "plain_text", text: cutText(oneLine(cleanText(message)), 100), emoji: false },
    ],
  };
}
