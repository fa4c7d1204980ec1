import { expect, it } from "vitest";

import { anyOf, literally, loosely } from "#src/base/matching.ts";

/** What people and servers call things. */
const NAMES = ["Ben (he/him)", "[Ops] C++", "*Emi*", "a\\b", "really?", "x|y", "{z", "$9 ^2", "R&D/EU"];

it.each(NAMES)("[mcp.patterns] a pattern finds %s as it is written, and nothing in other words", (name) => {
  expect(new RegExp(`^${literally(name)}$`, "u").test(name)).toBe(true);
  expect(new RegExp(`^${loosely(name)}$`, "u").test(name)).toBe(true);
  expect(new RegExp(`^(?:${anyOf(NAMES)})$`, "u").exec(name)).toHaveLength(1);
  expect(new RegExp(anyOf(NAMES), "u").test("show me the open issues")).toBe(false);
});

it("[mcp.patterns] what has no letter and no digit is no name, and no name matches nothing", () => {
  expect(anyOf(["", " ", "✅", "(!)"])).toBe(anyOf([]));
  expect(new RegExp(anyOf([]), "u").test("")).toBe(false);
});

it("[mcp.patterns] of names the longest is found, and loosely with or without their signs", () => {
  const pattern = new RegExp(`^(?:${anyOf(["Emi", "Emi (Ops)", "emi"], loosely)})`, "iu");
  expect(pattern.exec("Emi (Ops) has it")?.[0]).toBe("Emi (Ops)");
  expect(pattern.exec("emi ops has it")?.[0]).toBe("emi ops");
  expect(pattern.exec("emi’s bugs")?.[0]).toBe("emi");
});
