import { readFoldValue } from "#adapters/chat/actions.ts";
import { allWindow } from "#adapters/chat/windows.ts";
import { readCustomId } from "#adapters/discord/render/buttons.ts";
import { renderCard } from "#adapters/discord/render/card.ts";
import type { RenderedMessage } from "#adapters/discord/render/message.ts";
import { Draft } from "#adapters/discord/render/message.ts";
import { renderWindow } from "#adapters/discord/render/window.ts";
import type { Card } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { bare } from "#test/unit/render-chat/words.ts";

import { buttonsOf, readTexts } from "./checks.ts";

export interface Shown {
  /** Each page, and each page of what opens behind "Show all". */
  messages: RenderedMessage[];
  /** All that people can read of it, letters and digits only. */
  words: string;
}

/** Everything of a card that its pages, its folds and its files hold. */
export function everythingOf(card: Card, data?: JsonValue): Shown {
  const options = { ref: "r:0:turn_1", ...(data === undefined ? {} : { data }) };
  const first = renderCard(card, options);
  const messages = Array.from({ length: first.pages }, (_, page) => {
    const draft = new Draft();
    const drawn = renderCard(card, { ...options, page });
    draft.addBoxed(drawn.parts);
    return draft.done([], drawn.files);
  });
  const pages = [...messages];
  for (const message of messages) {
    for (const { custom_id: customId } of buttonsOf(message.components)) {
      const { action, value = "" } = readCustomId(customId) ?? {};
      if (action !== "show_all") continue;
      const { ref, path } = readFoldValue(message.values.get(value) ?? value) ?? { ref: "", path: "" };
      pages.push(...windowPages(allWindow(card, ref, path)));
    }
  }
  // A text may go on on the next page: what stands beside it comes after all of them.
  const texts = [
    ...pages.map(({ components }) => content(components)),
    ...pages.map(({ components }) => readTexts(components).addresses.join("|")),
    ...pages.flatMap(({ components }) => buttonsOf(components).map(({ label }) => label)),
    ...first.files.map((file) => file.content),
  ];
  return { messages: pages, words: bare(texts.join("")) };
}

export function windowPages(window: Parameters<typeof renderWindow>[0]): RenderedMessage[] {
  const first = renderWindow(window);
  const count = Number(/Page \d+ of (\d+)/.exec(readTexts(first.components).seen)?.[1] ?? 1);
  return Array.from({ length: count }, (_, page) => renderWindow(window, page));
}

/** The texts of a page, without what the renderer itself adds to each. */
function content(components: RenderedMessage["components"]): string {
  return readTexts(components)
    .seen.replaceAll(/Rows \d+ to \d+ of \d+(?: here, of [\d,]+ rows? in all)?\./g, "")
    .replaceAll(
      /Page \d+ of \d+(?: {2}· {2}In full in the attached files? (?:,? ?[a-z\d-]+\.(?:csv|json))+)?/g,
      "",
    );
}
