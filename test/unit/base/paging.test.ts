import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { nextPage, pageAt, pageWish } from "#src/base/paging.ts";

describe("what a message asks to see of a list", () => {
  it.each([
    ["show more", "next"],
    ["Show 20 more", "next"],
    ["next page please", "next"],
    ["more", "next"],
    ["continue", "next"],
    ["page 3", 3],
    ["show me page 12", 12],
    ["the second page", 2],
    ["previous page", "previous"],
    ["go back a page", undefined],
    ["last", undefined],
    ["back", undefined],
    ["page 1003 in the wiki", undefined],
    ["show more about DEMO-1", undefined],
    ["show the page Deploying", undefined],
    ["more coffee", undefined],
  ])("[card.paging] %s: %s", (message, wish) => {
    expect(pageWish(message)).toBe(wish);
  });
});

describe("the next page", () => {
  const rows = [{ id: 1 }, { id: 2 }];
  const taking = (name: string): JsonObject => ({ type: "object", properties: { q: {}, [name]: {} } });

  it.each([
    ["cursor", { q: "x" }, { items: rows, next_cursor: "c2" }, { q: "x", cursor: "c2" }],
    ["page", { q: "x" }, { items: rows, total: 5 }, { q: "x", page: 2 }],
    ["page", { q: "x", page: 2 }, { items: rows, has_more: true }, { q: "x", page: 3 }],
    ["offset", { q: "x", offset: 2 }, { items: rows, total: 5 }, { q: "x", offset: 4 }],
    ["offset", { q: "x", offset: 3 }, { items: rows, total: 5 }, undefined],
    ["cursor", { q: "x" }, { items: rows, next_cursor: null }, undefined],
    ["other", { q: "x" }, { items: rows, next_cursor: "c2" }, undefined],
  ])("[card.paging] by %s of %j", (name, args, data, next) => {
    expect(nextPage(taking(name), args, data)?.args).toEqual(next);
  });

  it("[card.paging] a page is asked for by its number where the tool takes one, up to the end", () => {
    const shown = { args: { q: "x" }, data: { items: rows, total: 5 } };
    expect(pageAt(taking("page"), shown, 3, 2)).toEqual({ q: "x", page: 3 });
    expect(pageAt(taking("start_at"), shown, 3, 2)).toEqual({ q: "x", start_at: 4 });
    expect(pageAt(taking("page"), shown, 4, 2)).toBeUndefined();
    expect(pageAt(taking("cursor"), shown, 2, 2)).toBeUndefined();
  });
});
