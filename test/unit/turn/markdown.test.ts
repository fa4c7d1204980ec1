import fc from "fast-check";
import { marked } from "marked";
import { expect, it } from "vitest";

import { inMarkdown } from "#src/turn/replies.ts";
import { amount } from "#test/amount.ts";

/** Pieces that become something in Markdown, and words between them. */
const piece = fc.constantFrom(
  ...Array.from("\\`*_~[]()<>|#+-=:.!&@0123456789 \n"),
  "a",
  "Ä",
  " ",
  "\n\n",
  "](",
  "http://a.b",
  "www.a.b",
  "a@b.co",
  "<b>",
  "&lt;",
  "| - |",
  "```",
  "~~",
);

it("reads back, whatever the data, as one text that holds nothing but words", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join("").replaceAll(/\s+/g, " ").trim();
      const shown: string[] = [];
      for (const token of marked.lexer(`Found ${inMarkdown(text)}`)) {
        expect(token.type).toBe("paragraph");
        for (const inner of "tokens" in token ? (token.tokens ?? []) : []) {
          expect(["text", "escape"]).toContain(inner.type);
          shown.push("text" in inner ? String(inner.text) : "");
        }
      }
      expect(shown.join("").trim()).toBe(`Found ${text}`.trim());
    }),
    // A host may begin with a dash.
    { numRuns: amount(2_000, 667), examples: [[["7", "@", "-", ".", "a"]]] },
  );
});

it("begins no block, at the start of any line", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join("").replaceAll(/\n\s*/g, "\n").trim();
      const types = new Set(marked.lexer(inMarkdown(text)).map(({ type }) => type));
      types.delete("paragraph");
      types.delete("space");
      expect([...types]).toEqual([]);
    }),
    { numRuns: amount(2_000, 667) },
  );
});
