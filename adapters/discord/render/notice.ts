import type { Card } from "#contract/card.ts";

import type { DiscordButton } from "./buttons.ts";
import { colorOf, inRows, renderCard } from "./card.ts";
import { createDraft } from "./message.ts";
import type { RenderedMessage } from "./message.ts";

/** Something said to one person. Of a card that takes several pages the first one: this is for short answers. */
export function renderNotice(words: string | Card, buttons: readonly DiscordButton[] = []): RenderedMessage {
  const card: Card =
    typeof words === "string"
      ? { kind: "status", title: words, elements: [{ type: "text", text: words }] }
      : words;
  const draft = createDraft();
  const row = inRows(buttons);
  draft.reserve(row);
  const { parts } = renderCard(card, { budget: draft.left(), unfold: true, files: false });
  if (typeof words === "string") draft.add(parts);
  else draft.addBoxed(parts, colorOf(card));
  return draft.done(row, []);
}
