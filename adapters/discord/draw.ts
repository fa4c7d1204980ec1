import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import type { ChatState } from "../chat/parts.ts";
import { cutText, oneLine } from "../chat/text.ts";
import { EMBEDS_BUDGET } from "./render/embeds.ts";
import { small, words } from "./render/lines.ts";
import type { RenderedMessage } from "./render/message.ts";
import { renderTurn } from "./render/turn.ts";

export interface DrawOptions {
  cards: Cards;
  pages: ChatState<Record<string, number>>;
}

/**
 * The message of a turn. `isAnswer`: what was asked stands above it, so that it need not say it. `isEmbeds`:
 * it has to fit embeds.
 */
export async function drawTurn(
  view: TurnView,
  { isAnswer, isEmbeds = false }: { isAnswer: boolean; isEmbeds?: boolean | undefined },
  { cards, pages }: DrawOptions,
): Promise<RenderedMessage> {
  const open = view.isSettled ? await pages.get(view.turnId) : undefined;
  return renderTurn(view, cards, {
    ...(open === undefined ? {} : { pages: open }),
    ...(isEmbeds ? { budget: EMBEDS_BUDGET } : {}),
    ...(isAnswer ? {} : { above: small(words(cutText(oneLine(view.message), 150))) }),
  });
}
