import type { CardElement, SectionElement } from "#contract/card.ts";

import { humanDate } from "./dates.ts";
import { leftOut } from "./generic/table.ts";
import type { Comment } from "./shapes.ts";
import { count, oneLine } from "./text.ts";

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
        ...(older.length > MAX_OLDER ? [leftOut(count(older.length - MAX_OLDER, "older comment"))] : []),
      ],
    });
  }
  return [{ type: "section", title: `Comments (${comments.length})`, elements }];
}

function toSection(comment: Comment): SectionElement {
  const parts = [comment.author?.name ?? "Unknown author", comment.created && humanDate(comment.created)];
  return {
    type: "section",
    title: oneLine(parts.filter((part) => part != null && part !== "").join(", ")),
    elements: [
      comment.body === ""
        ? { type: "text", text: "none" }
        : { type: "text", text: comment.body, format: "markdown", folded: true },
    ],
  };
}
