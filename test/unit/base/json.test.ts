import { describe, expect, it } from "vitest";

import { jsonFault, maxJsonDepth } from "#src/base/json.ts";

function nested(levels: number): unknown {
  return JSON.parse(`${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`);
}

describe("JSON from outside", () => {
  it("is taken as deep as people and tools nest it, and refused beyond, whatever the depth", () => {
    expect(jsonFault(nested(maxJsonDepth))).toBeUndefined();
    for (const levels of [maxJsonDepth + 2, 3_000, 200_000])
      expect(jsonFault({ x: nested(levels) })).toMatchObject({
        field: "x",
        why: expect.stringContaining("64 levels"),
      });
  });

  it("is refused with too many values", () => {
    expect(jsonFault({ list: Array.from({ length: 600_000 }, () => 0) })).toMatchObject({ field: "list" });
    expect(
      jsonFault(Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => 0))),
    ).toBeDefined();
  });

  it("is refused with half a character in a text or a key, where texts count", () => {
    for (const value of [{ a: "\uD800" }, { a: ["x", { b: "\uDC00x" }] }, { a: { "\uD800": 1 } }]) {
      expect(jsonFault(value, { texts: true })).toMatchObject({
        field: "a",
        why: expect.stringContaining("surrogate"),
      });
      expect(jsonFault(value)).toBeUndefined();
    }
    expect(jsonFault({ a: "😀\uFFFD" }, { texts: true })).toBeUndefined();
  });
});
