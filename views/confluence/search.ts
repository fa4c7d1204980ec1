import type { CardElement, ListElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";

import { leftOut } from "../generic/table.ts";
import { unpack } from "../json.ts";
import { searchedFor } from "../searched.ts";
import { count, grouped, hrefOf, oneLine } from "../text.ts";
import type { ViewResult } from "../view.ts";
import { lastChange } from "./changed.ts";
import { pageListSchema } from "./shapes.ts";
import type { PageSummary } from "./shapes.ts";

const MAX_ITEMS = 100;
const EXCERPT_CHARS = 300;

/** ConfluenceSearchView: pages as a list with space, excerpt and last change. */
export function confluenceSearchView(input: ViewInput): ViewResult {
  const { results, total, next_cursor: cursor } = pageListSchema.parse(unpack(input.data));
  const searched = searchedFor(input.args);
  const heading =
    results.length === 0
      ? "No pages found"
      : total !== null && total > results.length
        ? `${grouped(results.length)} of ${count(total, "page")}`
        : count(results.length, "page");

  const elements: CardElement[] = [
    { type: "header", text: heading, ...(searched === "" ? {} : { eyebrow: searched }) },
    results.length === 0
      ? { type: "text", text: searched === "" ? "No page matches." : `No page matches ${searched}.` }
      : { type: "list", items: results.slice(0, MAX_ITEMS).map(toItem) },
  ];
  if (results.length > MAX_ITEMS) elements.push(leftOut(count(results.length - MAX_ITEMS, "page")));
  if (cursor !== null) {
    elements.push({
      type: "footer",
      text: `There are more; the next page has the cursor ${oneLine(cursor, 200)}`,
    });
  }
  return {
    card: {
      kind: "result",
      title: oneLine(searched === "" ? heading : `${heading} for ${searched}`),
      elements,
    },
    rows: results.length,
  };
}

function toItem(page: PageSummary): ListElement["items"][number] {
  // Confluence marks the words it found with @@@hl@@@.
  const excerpt = oneLine((page.excerpt ?? "").replaceAll(/@@@(?:end)?hl@@@/g, ""), EXCERPT_CHARS);
  const detail = [excerpt, lastChange(page)].filter((line) => line !== "").join("\n");
  return {
    text: page.title,
    ...hrefOf(page.url),
    ...(detail === "" ? {} : { detail }),
    ...(page.space === null ? {} : { badges: [{ text: page.space.name, tone: "neutral" as const }] }),
  };
}
