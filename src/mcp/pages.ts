/** More pages than this are no list; the time limit comes first. */
export const mostPages = 20_000;

/** All items of a list that comes in pages. A cursor that repeats ends it. */
export async function pagesOf<Item>(
  read: (cursor: string | undefined) => Promise<{ items: Item[]; nextCursor: string | undefined }>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const { items, nextCursor } = await read(cursor);
    all.push(...items);
    if (nextCursor === undefined || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return all;
}
