import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createDiscovery, type Discovery } from "#src/mcp/catalogue/discovery.ts";
import { pagesOf } from "#src/mcp/catalogue/exposed.ts";

describe("a list in pages", () => {
  /** Pages without an end. */
  const endless = (items: unknown[]): Promise<unknown[]> => {
    let page = 0;
    return pagesOf("prompts/list", () => Promise.resolve({ items, nextCursor: `${(page += 1)}` }));
  };

  it.each([
    ["1000 pages", []],
    ["20000 entries", Array.from({ length: 1_000 }, () => 1)],
    ["32 MB", ["x".repeat(1_000_000)]],
    ["32 MB", [Array.from({ length: 200_000 }, () => ({}))]],
  ])("[mcp.faults] has an end at %s", async (what, items) => {
    await expect(endless(items)).rejects.toMatchObject({
      code: "list_too_long",
      message: `expected an end of prompts/list, got more than ${what}; have the server offer less`,
    });
  });

  it("is read to its end, and no further where a cursor comes again", async () => {
    const pages = [[1, 2], [3], [4]];
    const read = (last: string) => (cursor: string | undefined) => {
      const at = Number(cursor ?? 0);
      return Promise.resolve({
        items: pages[at] ?? [],
        nextCursor: at < 2 ? `${at + 1}` : last || undefined,
      });
    };
    expect(await pagesOf("tools/list", read(""))).toEqual([1, 2, 3, 4]);
    expect(await pagesOf("tools/list", read("2"))).toEqual([1, 2, 3, 4]);
  });
});

describe("a server that tells of changes", () => {
  let discovery: Discovery;
  let looks: number[];

  beforeEach(async () => {
    vi.useFakeTimers();
    looks = [];
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    discovery = createDiscovery({
      server: "s",
      log,
      begin: "connecting",
      limitMs: 10_000,
      retry: { minMs: 1_000, maxMs: 30_000 },
      list: () => Promise.resolve((looks.push(Date.now()), [])),
      onUp() {},
      onChange() {},
    });
    await discovery.look();
    looks = [];
  });
  afterEach(async () => {
    await discovery.stop();
    vi.useRealTimers();
  });

  it("[mcp.faults] is looked at once for a storm of 20,000", async () => {
    for (let at = 0; at < 20_000; at += 1) {
      discovery.changed();
      if (at % 20 === 0) await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks).toHaveLength(1);
  });

  it("[mcp.faults] is looked at now and then for a storm without an end", async () => {
    for (let at = 0; at < 20_000; at += 1) {
      discovery.changed();
      await vi.advanceTimersByTimeAsync(1);
    }
    // 20 s of it, and a look each 10 s.
    expect(looks).toHaveLength(2);
  });

  it("is looked at soon for one change, and for each that comes a while after", async () => {
    const begun = Date.now();
    discovery.changed();
    await vi.advanceTimersByTimeAsync(100);
    expect(looks).toEqual([begun + 100]);
    discovery.changed();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toHaveLength(2);
  });
});
