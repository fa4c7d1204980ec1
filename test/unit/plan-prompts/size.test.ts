import fc from "fast-check";
import { expect, it } from "vitest";

import { cutForModel } from "#src/plan/model-text.ts";

it("[privacy.size] data within the limit is whole; beyond it the cut says how much is shown", () => {
  expect(cutForModel("abc", 3)).toBe("abc");
  expect(cutForModel("abcd", 3)).toBe("abc\n[cut: 3 of 4 characters are shown]");
  expect(cutForModel({ a: 1 }, 100)).toBe('{"a":1}');
  expect(cutForModel("abcd", 0)).toBe("\n[cut: 0 of 4 characters are shown]");
  expect(cutForModel("abcd", -5)).toBe("\n[cut: 0 of 4 characters are shown]");
});

it("[privacy.size] never shows more than the limit, whatever the data", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 200 }), (data, limit) => {
      const value = data as Parameters<typeof cutForModel>[0];
      const text = cutForModel(value, limit);
      const cut = text.lastIndexOf("\n[cut: ");
      const whole = typeof value === "string" ? value : JSON.stringify(value);
      if (whole.length <= limit) expect(text).toBe(whole);
      else expect(cut).toBeLessThanOrEqual(limit);
    }),
  );
});

it("[privacy.size] does not cut a letter in two", () => {
  expect(cutForModel("a😀b", 2).isWellFormed()).toBe(true);
});
