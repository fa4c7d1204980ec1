import type { Client } from "@modelcontextprotocol/client";

import { CountersignError } from "../base/errors.ts";

/** A list of a server with more than this is none: it is held in memory, and read again and again. */
const most = { pages: 1_000, items: 20_000, megabytes: 32 };

/** The SDK's own bound, which comes after this one. */
export const mostPages: number = most.pages + 1;

/** Counts what the pages of one list bring; throws with code `list_too_long`. */
export interface PageCount {
  (items: readonly unknown[]): void;
}

export function countPages(method: string): PageCount {
  let pages = 0;
  let count = 0;
  let bytes = 0;
  return (items) => {
    pages += 1;
    count += items.length;
    bytes += sizeOf(items);
    const megabytes = bytes / 1024 / 1024;
    const what =
      (pages > most.pages && `${most.pages} pages`) ||
      (count > most.items && `${most.items} entries`) ||
      (megabytes > most.megabytes && `${most.megabytes} MB`);
    if (what === false) return;
    const message = `expected an end of ${method}, got more than ${what}; have the server offer less`;
    throw new CountersignError("list_too_long", message);
  };
}

/** All items of a list that comes in pages. A cursor that repeats ends it. */
export async function pagesOf<Item>(
  method: string,
  read: (cursor: string | undefined) => Promise<{ items: Item[]; nextCursor: string | undefined }>,
): Promise<Item[]> {
  const take = countPages(method);
  const all: Item[][] = [];
  let cursor: string | undefined;
  for (;;) {
    const { items, nextCursor } = await read(cursor);
    take(items);
    all.push(items);
    if (nextCursor === undefined || nextCursor === cursor) return all.flat();
    cursor = nextCursor;
  }
}

/**
 * Has the client count the pages of lists that it gathers itself, of which it bounds no more than the number. Such
 * a list is asked for with the returned options, and each of its pages with the same.
 */
export function countingLists(
  client: Client,
): <Options extends object>(method: string, options: Options) => Options {
  const counts = new WeakMap<object, PageCount>();
  const request = client.request.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const counted = (...given: unknown[]): Promise<unknown> => {
    const options = given.at(-1);
    const take = typeof options === "object" && options !== null ? counts.get(options) : undefined;
    const answered = request(...given);
    if (take === undefined) return answered;
    return answered.then((page) => {
      take((page as { tools?: unknown[] }).tools ?? []);
      return page;
    });
  };
  client.request = counted;
  return (method, options) => {
    const own = { ...options };
    counts.set(own, countPages(method));
    return own;
  };
}

/** About how many bytes a value takes, however deep it is. */
function sizeOf(value: unknown): number {
  const open = [value];
  let size = 0;
  while (open.length > 0) {
    const part = open.pop();
    size += typeof part === "string" ? part.length : 8;
    if (typeof part !== "object" || part === null) continue;
    for (const [key, item] of Object.entries(part)) {
      size += key.length;
      open.push(item);
    }
  }
  return size;
}
