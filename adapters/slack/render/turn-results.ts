import type { KnownBlock } from "@slack/types";

import type { Card } from "#contract/card.ts";
import type { TurnView } from "#contract/present.ts";

import type { RenderedFile } from "../../chat/files.ts";
import { resultRef } from "../../chat/refs.ts";
import { cleanText, count, cutText, oneLine } from "../../chat/text.ts";
import { contextBlocks, lineWithButton } from "./buttons.ts";
import { renderCard } from "./card.ts";
import { linksLine } from "./draw.ts";
import { LEAST_BUDGET } from "./limits.ts";
import { isEnough } from "./page.ts";
import type { Page } from "./page.ts";
import { bold, pack, safeUrl } from "./rich.ts";
import { weigh } from "./text.ts";

/** What the lines of results that are not drawn may take up, and the addresses they come from. */
const LINES = 1800;
const SOURCES = 900;
const MAX_LINES = 6;
const MAX_SOURCES = 6;
/** A table that has to be drawn as text is a wall from this many rows on. */
const MANY_ROWS = 12;

interface Named {
  card: Card;
  index: number;
  files: readonly RenderedFile[];
}

/**
 * The first result in full, on pages where it is long; further ones where they fit as they are; the
 * rest by a line and a button each. Returns the files of all of them.
 */
export function addResults(
  page: Page,
  view: TurnView,
  pages: Readonly<Record<string, number>>,
): RenderedFile[] {
  const files: RenderedFile[] = [];
  const named: Named[] = [];
  for (const [index, { card, data }] of view.results.entries()) {
    const { chars, blocks } = page.left();
    const isAlone = view.results.length === 1;
    const budget = {
      chars: chars - (isAlone ? 20 : LINES + SOURCES),
      blocks: blocks - (isAlone ? 1 : MAX_LINES + 3),
    };
    const isRoomy = isEnough(budget, LEAST_BUDGET);
    const ref = resultRef(view.turnId, index);
    const hasTable = page.blocks.some((block) => block.type === "table");
    const fileSuffix = index === 0 ? "" : `-result-${index + 1}`;
    const drawn = renderCard(card, {
      ref,
      page: pages[ref] ?? 0,
      budget: isRoomy ? budget : LEAST_BUDGET,
      tables: !hasTable,
      data,
      fileSuffix,
    });
    const isShort =
      drawn.pages === 1 &&
      !(hasTable && hasLongTable(card)) &&
      weigh(drawn.blocks) <= budget.chars &&
      drawn.blocks.length <= budget.blocks;
    if (isShort || (index === 0 && isRoomy)) {
      page.addApart(drawn.blocks);
      files.push(...drawn.attachments);
    } else {
      const whole = renderCard(card, { data, fileSuffix }).attachments;
      named.push({ card, index, files: whole });
      files.push(...whole);
    }
  }
  page.add(lines(named, view.turnId));
  page.add(sourceLinks(named.map(({ card }) => card)));
  return files;
}

function hasLongTable(card: Card): boolean {
  return card.elements.some((element) => element.type === "table" && element.rows.length > MANY_ROWS);
}

/** Results that the message only names, each with the button that shows it. */
function lines(named: readonly Named[], turnId: string): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  for (const [position, { card, index, files }] of named.entries()) {
    const title = cutText(oneLine(cleanText(card.title)), 120);
    const names = files.map((file) => file.filename).join(", ");
    const note = names === "" ? "" : `\nIn full in the attached ${cutText(names, 160)}`;
    const line = lineWithButton(`${title}${note}`, {
      action: "show_result",
      label: "Show",
      value: resultRef(turnId, index),
    });
    if (blocks.length >= MAX_LINES || weigh([...blocks, line]) > LINES - 200) {
      return [
        ...blocks,
        ...contextBlocks([`${count(named.length - position, "more result")}: see “Show JSON” below.`]),
      ];
    }
    blocks.push(line);
  }
  return blocks;
}

/** Where results that are not drawn come from. */
function sourceLinks(cards: readonly Card[]): KnownBlock[] {
  const found = new Map<string, string>();
  for (const element of cards.flatMap((card) => card.elements)) {
    const items =
      element.type === "links"
        ? element.items
        : element.type === "header" && element.href !== undefined
          ? [{ label: element.eyebrow ?? element.text, href: element.href }]
          : [];
    for (const { label, href } of items) {
      if (safeUrl(href) !== undefined && !found.has(href)) found.set(href, cutText(oneLine(label), 40));
    }
  }
  const items = [...found].slice(0, MAX_SOURCES).map(([href, label]) => ({ label, href }));
  for (; items.length > 0; items.pop()) {
    const drawn = pack([[...bold("Sources  "), ...linksLine(items)]]);
    if (weigh(drawn) <= SOURCES) return drawn;
  }
  return [];
}
