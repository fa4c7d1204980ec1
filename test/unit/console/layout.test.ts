import { stripVTControlCharacters } from "node:util";

import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";

import { createInk } from "#adapters/console/render/ink.ts";
import { cut, wrap } from "#adapters/console/render/layout.ts";

const ink = createInk(true);

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,30}$/),
  fc.constantFrom("日本語の長い", "👩‍👩‍👧👩‍👩‍👧", "e\u0301e\u0301", "©\ufe0f", "aé日b語", "😀", "", "ü".repeat(25)),
);
const styled = fc
  .tuple(word, fc.constantFrom("bold", "cyan", "underline", "link", ""))
  .map(([text, style]) =>
    style === ""
      ? text
      : style === "link"
        ? ink.link(text, "https://a.example/x")
        : ink.paint(style as "bold", text),
  );
const text = fc
  .array(
    fc.oneof(
      styled,
      fc.array(styled, { maxLength: 4 }).map((parts) => ink.paint("italic", parts.join(" "))),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(" "));

/** What of styles and links is still on at the end of a row. */
function openAt(row: string): string[] {
  const ends = new Map([
    ["1", "22"],
    ["3", "23"],
    ["4", "24"],
    ["36", "39"],
  ]);
  const open: string[] = [];
  let link = "";
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  for (const [, code, address] of row.matchAll(/\u001b\[(\d+)m|\u001b\]8;;([^\u0007]*)\u0007/g)) {
    if (code === undefined) link = address ?? "";
    else if (ends.has(code)) open.push(code);
    else
      open.splice(
        open.findLastIndex((begun) => ends.get(begun) === code),
        1,
      );
  }
  return link === "" ? open : [...open, link];
}

describe("wrapping", () => {
  it("[console.loop] fits every row, loses no word, and ends and begins styles and links around a break", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 40 }), (line, width) => {
        const rows = wrap(line, width);
        for (const row of rows) {
          expect(stringWidth(row)).toBeLessThanOrEqual(width);
          expect(openAt(row)).toEqual([]);
        }
        const words = (shown: string): string => stripVTControlCharacters(shown).replaceAll(" ", "");
        expect(words(rows.join(""))).toBe(words(line));
      }),
      { numRuns: 500 },
    );
  });

  it("[console.loop] breaks between words, and in a word where that saves a row", () => {
    expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(wrap("  a list of words", 9)).toEqual(["  a list", "  of", "  words"]);
    expect(wrap("see abcdefghijkl", 8)).toEqual(["see abcd", "efghijkl"]);
    expect(wrap("see abcdefghij", 8)).toEqual(["see abcd", "efghij"]);
    expect(wrap("seeing abcdefghijklmno", 8)).toEqual(["seeing", "abcdefgh", "ijklmno"]);
    expect(wrap("日本語の", 5)).toEqual(["日本", "語の"]);
    expect(wrap(ink.paint("bold", "one two"), 4)).toEqual([
      ink.paint("bold", "one"),
      ink.paint("bold", "two"),
    ]);
  });

  it("[console.loop] cuts a line and says so", () => {
    expect(cut("one two", 7)).toBe("one two");
    expect(cut("one two", 5)).toBe("one…");
    expect(cut("日本語", 4)).toBe("日…");
    expect(cut("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5)).toBe("👩‍👩‍👧👩‍👩‍👧…");
    expect(cut("a".repeat(100_000), 10)).toBe("aaaaaaaaa…");
  });
});
