import { describe, expect, it } from "vitest";

import { citations, citedIds } from "#test/citations.ts";
import { requirements } from "#test/requirements.ts";

const cited = await citations(new URL("../../", import.meta.url));
const ids = requirements.map((row) => row.id);

describe("the gate of requirements", () => {
  it("every row that is built is cited by a test", () => {
    expect(requirements.filter((row) => row.built && !cited.has(row.id)).map((row) => row.id)).toEqual([]);
  });

  it("every cited id is a row", () => {
    expect([...cited].filter(([id]) => !ids.includes(id))).toEqual([]);
  });

  it("ids are unique", () => {
    expect(ids).toEqual([...new Set(ids)]);
  });
});

describe("reading citations", () => {
  /** Assembled, so that these samples are not citations themselves. */
  const call = (name: string, quote = '"'): string =>
    [name, "(", quote, "[a.b] and [c-d.e] work", quote, ", f)"].join("");

  it.each([
    call("it"),
    call("test"),
    call("describe"),
    call("it.skipIf(true)"),
    call("it.each(rows)"),
    call("it.each([\n  [1, f(2)],\n])"),
    call("it", "'"),
    call("it", "`"),
    call("it").replace("(", "(\n  "),
  ])("finds the ids in the title of %j", (text) => {
    expect(citedIds(text)).toEqual(["a.b", "c-d.e"]);
  });

  it.each(["// [a.b]", 'const x = "[a.b]";', call("submit"), 'expect("[a.b]")', "row[a.b]"])(
    "finds none in %j",
    (text) => {
      expect(citedIds(text)).toEqual([]);
    },
  );
});
