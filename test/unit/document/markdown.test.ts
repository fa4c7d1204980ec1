import type { Token } from "marked";
import { describe, expect, it } from "vitest";

import { MAX_DEPTH, MAX_LINES, parseMarkdown, readMarkdown } from "#adapters/document/markdown.ts";
import { renderMarkdown } from "#adapters/http/page/render/markdown.ts";
import { amount } from "#test/amount.ts";
import { openers, repeated, surfaces } from "#test/hostile-text.ts";

function depthOf(tokens: readonly Token[]): number {
  const inner = tokens.map((token) => {
    const items = "items" in token ? (token.items as Token[]) : [];
    return depthOf([...("tokens" in token ? token.tokens : []), ...items]);
  });
  return tokens.length === 0 ? 0 : 1 + Math.max(...inner);
}

describe("the guarded Markdown lexer", () => {
  it("[safe.text] leaves a paragraph as text whose marks would have to be compared with each other", () => {
    for (const opener of ["_a", "!", "[", "a@", "<", "a*", "\\"]) {
      const text = repeated(opener, 60_000);
      const [first, ...more] = readMarkdown(text);
      expect(more).toEqual([]);
      expect(first).toMatchObject({ type: "paragraph", tokens: [{ type: "text", raw: text }] });
    }
  });

  it("[safe.text] reads nothing deeper than people write", () => {
    for (const opener of [">", "> ", "- ", "1. ", "* "])
      expect(depthOf(readMarkdown(repeated(opener, 60_000)))).toBeLessThan(3 * MAX_DEPTH);
    const steps = Array.from({ length: 300 }, (_, level) => `${"  ".repeat(level)}- a`).join("\n");
    expect(depthOf(readMarkdown(steps))).toBeLessThan(3 * MAX_DEPTH);
  });

  it("[safe.text] stops formatting when a whole text has cost enough, and loses none of it", () => {
    const words = Array.from({ length: 1_500 }, (_, index) => `${"_a ".repeat(60)}**w${index}**`);
    const tokens = readMarkdown(words.join("\n\n").slice(0, 99_000));
    expect(tokens[0]).toMatchObject({
      tokens: expect.arrayContaining([expect.objectContaining({ type: "strong" })]),
    });
    expect(tokens.at(-1)).toMatchObject({ tokens: [{ type: "text" }] });
    expect(tokens.map((token) => token.raw).join("")).toBe(words.join("\n\n").slice(0, 99_000));
  });

  it("[safe.text] reads no more lines than people write: what comes after them is a box of its source", () => {
    for (const line of ["- a\n", "|a|b|\n", "> \n", "1\n\n", "- a\r\n", "# a\r"]) {
      const text = line.repeat(10_000);
      const tokens = readMarkdown(text);
      expect(tokens.at(-1)?.type).toBe("code");
      expect(tokens.map(({ raw }) => raw).join("")).toBe(text.replaceAll(/\r\n?/g, "\n"));
      const items = tokens.flatMap((token) => ("items" in token ? (token.items as Token[]) : [token]));
      expect(items.length).toBeLessThanOrEqual(MAX_LINES + 1);
    }
    expect(readMarkdown(`**a**${" a".repeat(60_000)}`)).toMatchObject([{ type: "code" }]);
    expect(readMarkdown("a\n".repeat(MAX_LINES)).map(({ type }) => type)).toEqual(["paragraph"]);
  });

  it("[view.neutral] formats what people write, also where it is long", () => {
    const paragraph = "A **bold** word, a [link](https://a.example/x) and `code` in a sentence. ".repeat(20);
    const tokens = readMarkdown(`${paragraph}\n\n`.repeat(50));
    const formatted = tokens.filter(
      (token) =>
        token.type === "paragraph" && token.tokens?.filter(({ type }) => type === "strong").length === 20,
    );
    expect(formatted).toHaveLength(50);
  });
});

// How long each takes is measured by `npm run bench hostile-text`: before the guard some took minutes.
describe("text out of one repeated opener", () => {
  /** What a surface may make of a text of a length: where a platform has a limit, that and no more. */
  const most: Readonly<Record<keyof typeof surfaces, (length: number) => number>> = {
    view: () => 200_000,
    "view of data": () => 200_000,
    slack: () => 12_000,
    "slack, unfolded": () => 12_000,
    discord: () => 10_000,
    "discord, unfolded": () => 10_000,
    page: (length) => 8 * length,
    terminal: (length) => 15 * length,
    "terminal, folded": (length) => 10_000 + length,
    "words of a reply": (length) => 2 * length,
  };

  it.each(Object.entries(surfaces))(
    "[safe.text] %s: is drawn, and not as much more than it is",
    (surface, show) => {
      for (const [at, opener] of openers.entries())
        // The bench has all of them at their longest.
        for (const length of at % amount(4, 8) === 0 ? [200_000, 30_000] : [30_000]) {
          const drawn = show(repeated(opener, length));
          expect(drawn).toBeGreaterThan(0);
          expect(drawn).toBeLessThanOrEqual(most[surface]?.(length) ?? Number.NaN);
        }
    },
    60_000,
  );
});

it("keeps moments apart, so that each reader sees them in their own time", () => {
  const said = "- **Moved DEMO-1** · Ben approved on 24 Nov 2026, 22:44 UTC";
  const at = Date.UTC(2026, 10, 24, 22, 44);
  expect(JSON.stringify(parseMarkdown(said, (part) => part))).toContain(
    `{"type":"moment","text":"24 Nov 2026, 22:44 UTC","at":${at}}`,
  );
  expect(renderMarkdown(said)).toContain('<time datetime="2026-11-24T22:44:00.000Z" data-clock="true">');
  // In code it is what was typed.
  expect(renderMarkdown("`24 Nov 2026, 22:44 UTC`")).not.toContain("<time");
});
