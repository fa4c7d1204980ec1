import { describe, expect, it } from "vitest";

import { compilePattern, foreignPattern, ownPattern } from "#src/base/pattern.ts";

describe("patterns of others", () => {
  it.each([
    ["^(a+)+$", `${"a".repeat(400_000)}!`],
    ["(a|aa)+$", `${"a".repeat(300_000)}!`],
    ["(x+x+)+y", "x".repeat(300_000)],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(100_000)],
    ["(?:a?){30}a{30}b", "a".repeat(30_000)],
  ])("[mcp.patterns] runs %s in linear time", (source, text) => {
    expect(compilePattern(source).matches(text)).toBe(false);
  });

  it.each([
    ["(?=a)b", "(?="],
    ["(?<!a)b", "(?<!"],
    ["(a)\\1", "\\1"],
    ["(a{1000}){1000}", "{1000}"],
    ["(?:a{0,1000}){0,1}", "2002 instructions"],
    ["a".repeat(1_001), "1001 characters"],
    ["(", "missing"],
  ])("[mcp.patterns] refuses %s and says why", (source, why) => {
    expect(() => compilePattern(source)).toThrow(
      expect.objectContaining({ code: "bad_pattern", message: expect.stringContaining(why) }),
    );
  });

  it("[mcp.patterns] says neither yes nor no of a text that would take too many steps", () => {
    const source = "(?:a|b)*a(?:a|b){500}$";
    const text = "ab".repeat(foreignPattern.steps / 1_000);
    expect(compilePattern(source).matches(text)).toBeUndefined();
    expect(compilePattern(source, { ...ownPattern, steps: Infinity }).steps("ab")).toBeGreaterThan(1_000);
  });

  it.each([
    ["^\\s$", "\u00A0", true],
    ["^[\\s,]+$", "\u2003, ", true],
    ["^\\S+$", "a\u00A0b", false],
    ["^\\p{Letter}+$", "straße", true],
    ["^\\p{Script=Greek}+$", "αβγ", true],
    ["^(?<year>\\d{4})-\\d\\d$", "2026-07", true],
    ["^[\\w.-]+@\\/x$", "a-b.c@/x", true],
    ["^\\u{1F600}.$", "😀😀", true],
    ["^[A-Z]+-\\d+$", "DEMO-12", true],
    ["\\[\\s\\]", "[ ]", true],
    ["^SELECT .*$", "SELECT 1\rDROP TABLE a", false],
    ["^a.b$", "a\u2028b", false],
    ["^[.]$", "x", false],
    ["^[\\S,]+$", "a,\u00A0b", false],
    ["^[\\S ]+$", "a b😀", true],
  ])("means by %s what JavaScript means", (source, text, expected) => {
    expect(compilePattern(source).matches(text)).toBe(expected);
    expect(new RegExp(source, "u").test(text)).toBe(expected);
  });
});
