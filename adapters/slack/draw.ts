import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import type { KnownBlock } from "@slack/types";

import type { ChatState } from "../chat/parts.ts";
import { cleanText, cutText, oneLine } from "../chat/text.ts";
import { readId } from "./ids.ts";
import { questionBlocks } from "./render/question.ts";
import { type RenderedMessage, renderTurn } from "./render/turn.ts";

export interface DrawOptions {
  cards: Cards;
  pages: ChatState<Record<string, number>>;
}

/** The message of a turn. `isOwnThread`: no message of a person stands above it, so that it says what was asked. */
export async function drawTurn(
  view: TurnView,
  isOwnThread: boolean,
  { cards, pages }: DrawOptions,
): Promise<RenderedMessage> {
  const open = view.isSettled ? await pages.get(view.turnId) : undefined;
  const drawn = renderTurn(view, cards, open === undefined ? {} : { pages: open });
  const blocks = [...drawn.blocks, ...questionBlocks(view)];
  return { ...drawn, blocks: isOwnThread ? [asked(view), ...blocks] : blocks };
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
