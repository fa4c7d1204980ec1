import { z } from "zod";

import { ToolFailure } from "#servers/kit/failure.ts";
import type { SearchRequest } from "./backend.ts";

/** Where the next page starts: an offset, or the service's own token. */
export type Position = number | string;

const cursorSchema = z.strictObject({
  query: z.string().optional(),
  jql: z.string().optional(),
  project: z.string().optional(),
  status: z.string().optional(),
  assignee: z.string().optional(),
  at: z.union([z.int().min(0), z.string()]),
});

/** A cursor carries its search, so that it is enough to go on with. */
export function toCursor(request: SearchRequest, at: Position): string {
  const { query, jql, project, status, assignee } = request;
  return Buffer.from(JSON.stringify({ query, jql, project, status, assignee, at })).toString("base64url");
}

/** The search a request means and where to start. Throws `bad_cursor`. */
export function fromCursor(request: SearchRequest): { request: SearchRequest; at: Position | undefined } {
  if (request.cursor === undefined) return { request, at: undefined };
  const parsed = cursorSchema.safeParse(parse(request.cursor));
  if (!parsed.success) {
    throw new ToolFailure(
      "bad_cursor",
      "cursor: expected next_cursor of an earlier search, unchanged; leave it out to start from the first page",
    );
  }
  const { at, ...search } = parsed.data;
  return { request: { ...search, limit: request.limit }, at };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
