import { RE2JS } from "re2js";
import { afterEach, expect, it, vi } from "vitest";

import { fits, toSlots, upperCodes } from "#src/plan/slot.ts";

afterEach(() => vi.restoreAllMocks());

const slotOf = (property: object): ReturnType<typeof toSlots>[number] => {
  const [slot] = toSlots({ type: "object", properties: { value: { type: "string", ...property } } });
  if (slot === undefined) throw new Error("no slot");
  return slot;
};

it("[mcp.patterns] makes no engine of a pattern that nobody asks", () => {
  const compile = vi.spyOn(RE2JS, "compile");
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`field${at}`, { type: "string", pattern: `^[A-Z]{1,9}${at}$` }]),
  );
  const slots = toSlots({ type: "object", properties });
  expect(slots).toHaveLength(500);
  expect(compile).not.toHaveBeenCalled();
  expect(slots.slice(0, 2).map((slot) => fits(slot, "ABC0"))).toEqual([true, false]);
  // As it is, and in capitals.
  expect(fits(slots[1] ?? slotOf({}), "abc1")).toBe(true);
  expect(compile).toHaveBeenCalledTimes(2);
});

it("a pattern that cannot be run says nothing of a value, nor of its capitals", () => {
  const slot = slotOf({ pattern: "^(?!x)[a-z]+$", examples: ["DEMO"] });
  expect(fits(slot, "x")).toBe(true);
  expect(upperCodes(slot)).toBe(true);
  expect(upperCodes(slotOf({ pattern: "^[a-z]+$", examples: ["DEMO"] }))).toBe(false);
});
