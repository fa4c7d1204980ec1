import type { Card, CardElement, Inline, SectionElement, Tone } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { count, oneLine } from "#src/base/text.ts";

import { omittedNote, scalarText } from "./generic/table.ts";
import type { Comment } from "./shapes.ts";
import { humanDate, humanise, toTitle } from "./text.ts";

export interface ViewResult {
  card: Card;
  /** Items of the main list, where the result has one. */
  rows?: number;
}

/** Pure. Throws when the data does not fit; the manager then shows the generic view instead. */
export type View = (input: ViewInput) => ViewResult;

/** A status in the colour of its category; without one, by the words trackers commonly use. */
export function statusBadge(status: string, category: string | null): Inline {
  return { text: status, tone: categoryTone(category) ?? wordTone(status) };
}

export function priorityBadge(priority: string): Inline {
  return { text: priority, tone: priorityTone(priority) };
}

function categoryTone(category: string | null): Tone | undefined {
  if (category === "done") return "good";
  if (category === "in_progress") return "info";
  return category === "todo" ? "neutral" : undefined;
}

function wordTone(status: string): Tone {
  if (/\b(?:done|closed|resolved|complete[d]?|released)\b/i.test(status)) return "good";
  if (/\b(?:blocked|rejected|failed)\b/i.test(status)) return "bad";
  return /\b(?:progress|review|testing|started|active)\b/i.test(status) ? "info" : "neutral";
}

function priorityTone(priority: string): Tone {
  if (/^(?:highest|blocker|critical|urgent|p0)$/i.test(priority)) return "bad";
  return /^(?:high|major|p1)$/i.test(priority) ? "warn" : "neutral";
}

const LATEST = 3;
const MAX_OLDER = 50;

/** The latest comments, newest first, with the older ones folded. Empty when there are none. */
export function commentSections(comments: readonly Comment[]): CardElement[] {
  if (comments.length === 0) return [];
  const newest = comments.toSorted((a, b) => (b.created ?? "").localeCompare(a.created ?? ""));
  const older = newest.slice(LATEST);
  const elements: CardElement[] = newest.slice(0, LATEST).map(toSection);
  if (older.length > 0) {
    elements.push({
      type: "section",
      title: count(older.length, "older comment"),
      folded: true,
      elements: [
        ...older.slice(0, MAX_OLDER).map(toSection),
        ...(older.length > MAX_OLDER ? [omittedNote(count(older.length - MAX_OLDER, "older comment"))] : []),
      ],
    });
  }
  return [{ type: "section", title: `Comments (${comments.length})`, elements }];
}

function toSection(comment: Comment): SectionElement {
  const parts = [comment.author?.name ?? "Unknown author", comment.created && humanDate(comment.created)];
  return {
    type: "section",
    title: toTitle(parts.filter((part) => part != null && part !== "").join(", ")),
    elements: [
      comment.body === ""
        ? { type: "text", text: "none" }
        : { type: "text", text: comment.body, format: "markdown", folded: true },
    ],
  };
}

/** Arguments that say how many and where, not what. */
const PAGING = ["limit", "cursor", "max_results", "page"];

/** What was searched, in words: `“login”, project DEMO, status Open`. Empty when nothing was named. */
export function searchedFor(args: JsonValue): string {
  if (!isObject(args)) return "";
  const parts = Object.entries(args)
    .filter(([name, value]) => !PAGING.includes(name) && value !== null && value !== "")
    .map(([name, value]) => {
      const text = oneLine(scalarText(value), 100);
      if (name === "query" || name === "text") return `“${text}”`;
      return name === "jql" ? text : `${humanise(name).toLowerCase()} ${text}`;
    });
  return oneLine(parts.join(", "), 300);
}
