import type { Token } from "marked";
import { describe, expect, it } from "vitest";

import { MAX_DEPTH, readMarkdown } from "#src/base/markdown.ts";
import { openers, repeated, surfaces } from "#test/hostile-text.ts";

function depthOf(tokens: readonly Token[]): number {
  const inner = tokens.map((token) => {
    const items = "items" in token ? (token.items as Token[]) : [];
    return depthOf([...("tokens" in token ? (token.tokens ?? []) : []), ...items]);
  });
  return tokens.length === 0 ? 0 : 1 + Math.max(...inner);
}

describe("the guarded Markdown lexer", () => {
  it("[safe.text] leaves a paragraph as text whose marks would have to be compared with each other", () => {
    for (const opener of ["_a", "!", "[", "a@", "<", "a*", "\\"]) {
      const text = repeated(opener, 60_000);
      const [first, ...more] = readMarkdown(text) ?? [];
      expect(more).toEqual([]);
      expect(first).toMatchObject({ type: "paragraph", tokens: [{ type: "text", raw: text }] });
    }
  });

  it("[safe.text] reads nothing deeper than people write", () => {
    for (const opener of [">", "> ", "- ", "1. ", "* "])
      expect(depthOf(readMarkdown(repeated(opener, 60_000)) ?? [])).toBeLessThan(3 * MAX_DEPTH);
    const steps = Array.from({ length: 300 }, (_, level) => `${"  ".repeat(level)}- a`).join("\n");
    expect(depthOf(readMarkdown(steps) ?? [])).toBeLessThan(3 * MAX_DEPTH);
  });

  it("[safe.text] stops formatting when a whole text has cost enough, and loses none of it", () => {
    const words = Array.from({ length: 1_500 }, (_, index) => `${"_a ".repeat(60)}**w${index}**`);
    const tokens = readMarkdown(words.join("\n\n").slice(0, 99_000)) ?? [];
    expect(tokens[0]).toMatchObject({
      tokens: expect.arrayContaining([expect.objectContaining({ type: "strong" })]),
    });
    expect(tokens.at(-1)).toMatchObject({ tokens: [{ type: "text" }] });
    expect(tokens.map((token) => token.raw).join("")).toBe(words.join("\n\n").slice(0, 99_000));
  });

  it("[view.neutral] formats what people write, also where it is long", () => {
    const paragraph = "A **bold** word, a [link](https://a.example/x) and `code` in a sentence. ".repeat(20);
    const tokens = readMarkdown(`${paragraph}\n\n`.repeat(50)) ?? [];
    const formatted = tokens.filter(
      (token) =>
        token.type === "paragraph" && token.tokens?.filter(({ type }) => type === "strong").length === 20,
    );
    expect(formatted).toHaveLength(50);
  });
});

// How long each takes is measured by `npm run bench hostile-text`: before the guard some took minutes.
describe("text out of one repeated opener", () => {
  it.each(Object.entries(surfaces))(
    "[safe.text] %s: is drawn, and not as much more than it is",
    (surface, show) => {
      // A terminal measures every character, which takes a second for so many.
      for (const length of surface === "terminal" ? [20_000] : [200_000, 30_000])
        for (const opener of openers) expect(show(repeated(opener, length))).toBeLessThan(50 * length);
    },
    60_000,
  );
});
