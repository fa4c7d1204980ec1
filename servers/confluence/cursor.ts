import { createHash } from "node:crypto";
import { badCursor } from "./failures.ts";
import type { SearchRequest } from "./wiki.ts";

/**
 * An opaque cursor: where the next page of results begins (an offset, or what the service gave),
 * bound to the search it belongs to.
 */
export function encodeCursor(request: SearchRequest, at: string): string {
  return Buffer.from(JSON.stringify([at, searchDigest(request)])).toString("base64url");
}

/** Rejects with `bad_cursor` what is damaged or belongs to another search. */
export function decodeCursor(request: SearchRequest): string | undefined {
  const { cursor } = request;
  if (cursor === undefined || cursor === "") return undefined;
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts[1] !== searchDigest(request)) throw badCursor(cursor);
  const at: unknown = parts[0];
  if (typeof at !== "string") throw badCursor(cursor);
  return at;
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown;
  } catch {
    throw badCursor(cursor);
  }
}

function searchDigest({ query, space }: SearchRequest): string {
  const search = JSON.stringify([query.trim(), (space ?? "").trim().toLowerCase()]);
  return createHash("sha256").update(search).digest("base64url").slice(0, 12);
}
