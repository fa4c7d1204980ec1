import type { KnownBlock } from "@slack/types";

import { readFoldValue } from "#adapters/chat/actions.ts";
import { renderCard } from "#adapters/slack/render/card.ts";
import { allWindow } from "#adapters/chat/windows.ts";
import { renderWindow } from "#adapters/slack/render/window.ts";
import type { Card } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { bare } from "#test/unit/render-chat/words.ts";
import { buttonsOf, nodesOf, textOf } from "./checks.ts";

export interface Shown {
  /** Of each page, and of each page of what opens behind "Show all". */
  messages: KnownBlock[][];
  views: KnownBlock[][];
  /** All that people can read of it, letters and digits only. */
  words: string;
}

/** Everything of a card that its pages, its folds and its files hold. */
export function everythingOf(card: Card, data?: JsonValue, native = false): Shown {
  const options = { ref: "r", native, ...(data === undefined ? {} : { data }) };
  const first = renderCard(card, options);
  const messages = pagesOf(
    first.pages,
    first.blocks,
    (page) => renderCard(card, { ...options, page }).blocks,
  );
  const views: KnownBlock[][] = [];
  const folds = messages.flatMap(buttonsOf).filter((item) => item.action_id.startsWith("cs:show_all"));
  for (const fold of folds) {
    const { ref, path } = readFoldValue(fold.value) ?? { ref: "", path: "" };
    const modal = renderWindow(allWindow(card, ref, path)).blocks as KnownBlock[];
    views.push(
      ...pagesOf(
        pageCount(modal),
        modal,
        (page) => renderWindow(allWindow(card, ref, path), { page }).blocks as KnownBlock[],
      ),
    );
  }
  const texts = [
    content(messages),
    // A folded part may hold buttons, which then stand in its window alone.
    ...buttonsOf([...messages, ...views]).flatMap((item) => [item.text, item.value]),
    "|",
    content(views),
    "|",
    ...first.attachments.map((file) => file.content),
  ];
  return { messages, views, words: bare(texts.join("")) };
}

function pagesOf(pages: number, first: KnownBlock[], draw: (page: number) => KnownBlock[]): KnownBlock[][] {
  return Array.from({ length: pages }, (_, page) => (page === 0 ? first : draw(page)));
}

export function pageCount(blocks: readonly KnownBlock[]): number {
  const match = /Page \d+ of (\d+)/.exec(textOf(blocks.filter((block) => block.type === "context")));
  return match === null ? 1 : Number(match[1]);
}

/** The texts of pages, then their addresses, without what the renderer itself adds to each page. */
function content(pages: readonly KnownBlock[][]): string {
  const blocks = pages
    .flat()
    .filter(
      (block) =>
        block.type !== "actions" &&
        !(block.type === "context" && /^(?:Page|Rows|In full) /.test(textOf(block))),
    );
  const nodes = nodesOf(blocks);
  return [
    ...nodes.flatMap((node) => [node["caption"], node["text"]]),
    "|",
    ...nodes.map((node) => node["url"]),
  ]
    .filter((text) => typeof text === "string")
    .join("");
}
