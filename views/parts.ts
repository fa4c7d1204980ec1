import type { Card, CardElement, Cell, FieldsElement, Inline, SectionElement, Tone } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { labelText } from "#src/base/statement.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { fromObject } from "./generic/elements.ts";
import { createBudget, omittedBeyond } from "./generic/table.ts";
import { orderOf, searchedFor } from "./searched.ts";
import type { Comment } from "./shapes.ts";
import { hrefOf, humanDate, toTitle } from "./text.ts";

export interface ViewResult {
  card: Card;
  /** Items of the main list, where the result has one. */
  rows?: number;
}

/** Pure. Throws when the data does not fit; the manager then shows the generic view instead. */
export type View = (input: ViewInput) => ViewResult;

export function resultView(title: string, elements: CardElement[], rows?: number): ViewResult {
  const card: Card = { kind: "result", title: toTitle(title), elements };
  return rows === undefined ? { card } : { card, rows };
}

/** Fields by their labels, without those that are not known. */
export function knownFields(fields: Record<string, Cell | undefined>, say: Words): FieldsElement {
  return {
    type: "fields",
    items: Object.entries(fields).flatMap(([label, value]) =>
      value == null ? [] : [{ label: labelText(label, say), value }],
    ),
  };
}

/** What has no place of its own in a card; nothing where there is nothing. */
export function foldedFields(title: string, fields: JsonObject, say: Words): CardElement[] {
  if (Object.keys(fields).length === 0) return [];
  return [{ type: "section", title, folded: true, elements: fromObject(fields, createBudget(say), 1) }];
}

/** The members of a result that no field of its view shows. */
export function withoutKeys(data: JsonValue, known: readonly string[]): JsonObject {
  if (!isObject(data)) return {};
  return Object.fromEntries(Object.entries(data).filter(([key]) => !known.includes(key)));
}

/** Text as its author formatted it; `empty` stands for none. */
export function markdown(text: string | null, empty: CardElement[] = []): CardElement[] {
  if (text === null || text.trim() === "") return empty;
  return [{ type: "text", text, format: "markdown", folded: true }];
}

export function sourceLink(label: string, url: string | null): CardElement[] {
  const { href } = hrefOf(url);
  return href === undefined ? [] : [{ type: "links", items: [{ label, href }] }];
}

/** A page of search results: how many of how many, and what was searched. */
export function searchView(
  { args, from = 0, language }: Pick<ViewInput, "args" | "from" | "language">,
  noun: "issue" | "page",
  { found, total }: { found: number; total: number | null },
  results: CardElement[],
): ViewResult {
  const words = wordsOf(language);
  const say = words.search;
  const searched = searchedFor(args, words);
  const some = total !== null && total > found ? say.someOf(found, total, noun) : words.amounts[noun](found);
  const heading = found === 0 ? say.none(noun) : from > 0 ? rangeOf(from, found, total) : some;
  const nothing = searched === "" ? say.noMatch(noun) : say.noMatchOf(noun, searched);
  const elements: CardElement[] = [
    { type: "header", text: heading, ...(searched === "" ? {} : { eyebrow: searched }) },
    ...(found === 0 ? [{ type: "text" as const, text: nothing }] : results),
  ];
  const told = searched === "" ? heading : say.forWhat(heading, searched);
  return resultView(`${told}${orderOf(args, words)}`, elements, found);

  /** "Issues 21 to 40 of 500", for a later page. */
  function rangeOf(before: number, shown: number, all: number | null): string {
    const [first, last] = [before + 1, before + shown];
    return all === null ? say.range(noun, first, last) : say.rangeOf(noun, first, last, all);
  }
}

const CATEGORY_TONES: ReadonlyMap<string | null, Tone> = new Map([
  ["done", "good"],
  ["in_progress", "info"],
  ["todo", "neutral"],
]);

/** A status in the colour of its category; without one, by the words trackers commonly use. */
export function statusBadge(status: string, category: string | null): Inline {
  return { text: status, tone: CATEGORY_TONES.get(category) ?? wordTone(status) };
}

function wordTone(status: string): Tone {
  if (/\b(?:done|closed|resolved|complete[d]?|released)\b/i.test(status)) return "good";
  if (/\b(?:blocked|rejected|failed)\b/i.test(status)) return "bad";
  return /\b(?:progress|review|testing|started|active)\b/i.test(status) ? "info" : "neutral";
}

export function priorityBadge(priority: string): Inline {
  const isUrgent = /^(?:highest|blocker|critical|urgent|p0)$/i.test(priority);
  const isHigh = /^(?:high|major|p1)$/i.test(priority);
  return { text: priority, tone: isUrgent ? "bad" : isHigh ? "warn" : "neutral" };
}

const LATEST = 3;
const MAX_OLDER = 50;

/** The latest comments, newest first, with the older ones folded. Empty when there are none. */
export function commentSections(comments: readonly Comment[], say: Words): CardElement[] {
  if (comments.length === 0) return [];
  const newest = comments.toSorted((a, b) => (b.created ?? "").localeCompare(a.created ?? ""));
  const older = newest.slice(LATEST);
  const elements: CardElement[] = newest.slice(0, LATEST).map((one) => commentSection(one, say));
  if (older.length > 0) {
    elements.push({
      type: "section",
      title: say.amounts.comment(older.length),
      folded: true,
      elements: [
        ...older.slice(0, MAX_OLDER).map((one) => commentSection(one, say)),
        ...omittedBeyond(older.length, MAX_OLDER, { of: "comment", say }),
      ],
    });
  }
  return [{ type: "section", title: say.views.comments(comments.length), elements }];
}

function commentSection({ author, created, body }: Comment, say: Words): SectionElement {
  const parts = [author?.name ?? say.views.unknownAuthor, created && humanDate(created, say)];
  return {
    type: "section",
    title: toTitle(parts.filter((part) => part != null && part !== "").join(", ")),
    elements:
      body === ""
        ? [{ type: "text", text: say.cards.none }]
        : [{ type: "text", text: body, format: "markdown", folded: true }],
  };
}
