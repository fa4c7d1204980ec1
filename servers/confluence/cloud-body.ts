import { fromAdf, toAdf } from "../kit/adf.ts";
import type { CloudComment, CloudPage } from "./cloud-shapes.ts";
import { isoTime } from "./remote.ts";
import type { Comment, Person } from "./wiki.ts";

/** The document is sent and answered as JSON inside a text. */
export function bodyFor(markdown: string): { representation: string; value: string } {
  return { representation: "atlas_doc_format", value: JSON.stringify(toAdf(markdown)) };
}

export function documentOf(body: CloudPage["body"]): unknown {
  const value = body?.atlas_doc_format?.value;
  if (value === undefined) return null;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The answer to a write has no body; the excerpt comes from what was sent. */
export function withText(page: CloudPage, markdown: string): CloudPage {
  return { ...page, body: { atlas_doc_format: { value: bodyFor(markdown).value } } };
}

export function commentOf(
  comment: CloudComment,
  person: (id: string | null | undefined) => Person | null,
): Comment {
  return {
    id: comment.id,
    author: person(comment.version.authorId),
    created: isoTime(comment.version.createdAt),
    body: fromAdf(documentOf(comment.body)),
  };
}
