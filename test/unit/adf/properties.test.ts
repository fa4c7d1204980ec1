import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "#servers/kit/adf-document.ts";
import { toAdf } from "#servers/kit/adf-from-markdown.ts";
import { fromAdf } from "#servers/kit/adf-to-markdown.ts";
import { amount } from "#test/amount.ts";
import { faultsOf } from "./well-formed.ts";

const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 5 }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ..."* ** *** _ __ ~~ ` ``` > - + # ## 1. 1) | --- | a|b [x] [ ] [l](http://x) <br> <u> & &amp; \\ ! : = === word two".split(
        " ",
      ),
      " ",
      "\n",
      "\n\n",
      "  \n",
      "\n- ",
      "\n  - [ ] ",
      "\n> ",
      "\n> [!NOTE]\n> ",
      "\n\n<details>\n<summary>t</summary>\n\n",
      "\n\n</details>\n\n",
      "\n| a | b |\n|---|---|\n| 1 | 2 |\n",
      "\n    ",
      "\n```js\n",
      "https://example.com/a_b",
      "[@Ana](accountid:ana)",
    ),
  },
);
const markdown = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(""));

const anyNode: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue(),
    fc.record(
      {
        type: fc.constantFrom(
          ..."doc text paragraph heading bulletList listItem taskList taskItem codeBlock table tableRow tableCell panel expand mention emoji inlineCard mediaSingle media extension hardBreak status date unknown".split(
            " ",
          ),
        ),
        text: fc.oneof(fc.string(), fc.jsonValue()),
        attrs: fc.oneof(
          fc.record({ level: fc.jsonValue(), order: fc.jsonValue(), url: fc.string() }),
          fc.jsonValue(),
        ),
        marks: fc.oneof(
          fc.array(fc.record({ type: fc.constantFrom("strong", "em", "code", "link", "x") })),
          fc.jsonValue(),
        ),
        content: fc.oneof(fc.array(tie("node"), { maxLength: 4 }), fc.jsonValue()),
      },
      { requiredKeys: ["type"] },
    ),
  ),
})).node;

/** Spaces and the escapes of a code block's margins aside, the letters in order. */
const letters = (text: string): string => text.replace(/\s+/gu, "");

describe("for any markdown", () => {
  it("the document is one that Atlassian accepts", () => {
    fc.assert(
      fc.property(markdown, (text) => {
        expect(faultsOf(toAdf(text))).toEqual([]);
      }),
      { numRuns: amount(500, 167) },
    );
  });

  it("[view.jira] [view.confluence] the text survives the way to markdown and back", () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const doc = toAdf(text);
        expect(letters(plainText(toAdf(fromAdf(doc))))).toBe(letters(plainText(doc)));
      }),
      { numRuns: amount(500, 167) },
    );
  });
});

describe("for any value in place of a document", () => {
  it("markdown comes back and nothing is thrown", () => {
    fc.assert(
      fc.property(anyNode, (value) => {
        expect(typeof fromAdf(value)).toBe("string");
      }),
      { numRuns: amount(500, 167) },
    );
  });
});
