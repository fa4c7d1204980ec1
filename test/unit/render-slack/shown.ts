import type { KnownBlock } from "@slack/types";

import { readFoldValue } from "#adapters/slack/render/buttons.ts";
import { renderCard } from "#adapters/slack/render/card.ts";
import { jsonSide } from "#adapters/slack/render/inline.ts";
import { renderAllModal } from "#adapters/slack/render/modals.ts";
import { cleanText } from "#adapters/slack/render/text.ts";
import type { Card, CardElement, Cell } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { bare, buttonsOf, nodesOf, textOf } from "./checks.ts";

export interface Shown {
  /** Of each page, and of each page of what opens behind "Show all". */
  messages: KnownBlock[][];
  views: KnownBlock[][];
  /** All that people can read of it, letters and digits only. */
  words: string;
}

/** Everything of a card that its pages, its folds and its files hold. */
export function everythingOf(card: Card, data?: JsonValue): Shown {
  const options = { ref: "r", ...(data === undefined ? {} : { data }) };
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
    const modal = renderAllModal(card, ref, path).blocks as KnownBlock[];
    views.push(
      ...pagesOf(
        pageCount(modal),
        modal,
        (page) => renderAllModal(card, ref, path, { page }).blocks as KnownBlock[],
      ),
    );
  }
  const texts = [
    content(messages),
    ...buttonsOf(messages).flatMap((item) => [item.text, item.value]),
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
  return [...nodes.map((node) => node["text"]), "|", ...nodes.map((node) => node["url"])]
    .filter((text) => typeof text === "string")
    .join("");
}

/** Every plain string and number of a card, letters and digits only; formatted text is not among them. */
export function wordsOf(card: Card): string[] {
  return card.elements
    .flatMap(stringsOf)
    .map((text) => bare(cleanText(text)))
    .filter((text) => text !== "");
}

function stringsOf(element: CardElement): string[] {
  switch (element.type) {
    case "header":
      return [element.text, element.eyebrow ?? "", ...(element.badges ?? []).map((badge) => badge.text)];
    case "fields":
      return element.items.flatMap((item) => [item.label, scalar(item.value)]);
    case "text":
      return element.format === "markdown" ? [] : [element.text];
    case "table":
      return [
        element.caption ?? "",
        ...element.columns.map((column) => column.label),
        ...element.rows.flatMap((row) => row.map(scalar)),
      ];
    case "list":
      return element.items.flatMap((item) => [
        item.text,
        item.detail ?? "",
        ...(item.badges ?? []).map((badge) => badge.text),
      ]);
    case "code":
    case "footer":
      return [element.text];
    case "links":
      return element.items.map((item) => item.label);
    case "progress":
      return [
        element.label,
        String(element.value),
        ...(element.total === undefined ? [] : [String(element.total)]),
      ];
    case "changes":
      return element.items.flatMap((item) => [item.label, jsonSide(item.before), jsonSide(item.after)]);
    case "section":
      return [element.title, ...element.elements.flatMap(stringsOf)];
    case "actions":
      return element.items.map((item) => item.label);
    default:
      return [element.message, element.detail ?? ""];
  }
}

function scalar(value: Cell): string {
  if (value === null || typeof value === "boolean") return "";
  return typeof value === "object" ? value.text : String(value);
}
