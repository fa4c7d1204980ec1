import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compileGlob, compileToolGlob, globFault } from "#src/base/tool-names.ts";
import { anyCharacter } from "#test/any-character.ts";

/** Any name that a server may give, with what globs of files take for special. */
const name = fc
  .array(
    fc.oneof(
      fc.constantFrom("/", ".", "\n", "*", "?", "{", "}", ",", "\\", "..", "😀"),
      fc.string({ unit: anyCharacter }),
    ),
  )
  .map((parts) => parts.join(""));
/** As the configuration wants them. */
const server = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);

describe("a glob over tools", () => {
  it("[policy.glob] * matches every name of every server", () => {
    fc.assert(
      fc.property(server, name, (of, tool) => {
        expect(compileToolGlob("*")(`${of}.${tool}`)).toBe(true);
        expect(compileToolGlob("**")(`${of}.${tool}`)).toBe(true);
        expect(compileToolGlob("*.*")(`${of}.${tool}`)).toBe(true);
      }),
    );
  });

  it("[policy.glob] server.* matches all of that server and nothing else", () => {
    fc.assert(
      fc.property(server, server, name, (one, other, tool) => {
        const matches = compileToolGlob(`${one}.*`);
        expect(matches(`${one}.${tool}`)).toBe(true);
        expect(matches(`${other}.${tool}`)).toBe(one === other);
        expect(matches(`${other}.${one}.${tool}`)).toBe(one === other);
      }),
    );
  });

  it("[policy.glob] what stands around a * is found in any name, and only there", () => {
    fc.assert(
      fc.property(server, name, name, name, (of, before, between, after) => {
        const plain = (text: string): string => text.replaceAll(/[*?{}]/g, "-");
        const [start, end] = [plain(before), plain(after)];
        const matches = compileToolGlob(`${of}.${start}*${end}`);
        expect(matches(`${of}.${start}${between}${end}`)).toBe(true);
        expect(matches(`${of}.${start}${between}${end}|`)).toBe(`${between}${end}|`.endsWith(end));
      }),
    );
  });

  it.each<[string, string, boolean]>([
    ["evil.*", "evil.ops/wipe", true],
    ["*", "evil.ops/wipe", true],
    ["lying.a/*", "lying.a/del", true],
    ["*.delete_*", "evil.delete_a\nb/c.d", true],
    ["*.delete_*", "evil.x.delete_a", false],
    ["jira.*", "evil.jira.get", false],
    ["get_*", "evil..get_a", false],
    ["?get_*", "evil..get_a", true],
    ["a.?", "a.😀", true],
    ["a.??", "a.😀", false],
    ["a.b.c", "a.b.c", true],
    ["a.*b*b", "a.bab", true],
    ["a.*b*b", "a.b", false],
    ["{a,b}.{c,d}_*", "b.d_", true],
    ["{a.c,b}_*", "a.c_x", true],
    ["{a.c,b}_*", "z.b_x", true],
    ["a.{b", "a.{b", true],
    ["a.[b]", "a.[b]", true],
    ["a.[b]", "a.b", false],
    ["A.b", "a.b", false],
  ])("[policy.glob] %s over %j: %s", (glob, id, expected) => {
    expect(compileToolGlob(glob)(id)).toBe(expected);
  });

  it("ignores case where that is wanted", () => {
    expect(compileGlob("HR_*", { ignoreCase: true })("hr_Pay")).toBe(true);
  });

  it("[policy.glob] gets through a name made to hold it up", () => {
    expect(compileToolGlob(`a.${"*a".repeat(40)}b`)(`a.${"a".repeat(20_000)}`)).toBe(false);
  });

  it("says what it would not understand", () => {
    expect(["jira.*", "{a,b}.?", "a b/c"].map(globFault)).toEqual([undefined, undefined, undefined]);
    const odd = ["[ab]*", "!x", "a.(b|c)", "a.{b", "a.{b}", "{a,{b,c}}", "a\\*", "{a,b}".repeat(11)];
    expect(odd.filter((glob) => globFault(glob) === undefined)).toEqual([]);
  });
});
