import { describe, expect, it } from "vitest";
import { toAdf } from "#servers/kit/adf-from-markdown.ts";
import { fromAdf } from "#servers/kit/adf-to-markdown.ts";

const doc = (...content: unknown[]): unknown => ({ type: "doc", version: 1, content });
const p = (...content: unknown[]): unknown => ({ type: "paragraph", content });
const text = (value: string, ...marks: string[]): unknown => ({
  type: "text",
  text: value,
  marks: marks.map((type) => ({ type })),
});

const cases: [name: string, document: unknown, markdown: string][] = [
  ["no document", null, ""],
  ["a text in its place", "plain", "plain"],
  ["marks with the spaces outside", doc(p(text("a "), text(" b ", "strong"), text("c"))), "a  **b** c"],
  [
    "emphasis glued into a word that markdown cannot hold",
    doc(p(text("a"), text("(b)", "strong"), text("c"))),
    "a(b)c",
  ],
  ["marks without a counterpart", doc(p(text("a", "underline", "strong"))), "**a**"],
  [
    "what markdown would read, escaped",
    doc(p(text("1. *a* [b] #c snake_case <i>"))),
    "1\\. \\*a\\* \\[b\\] #c snake_case \\<i>",
  ],
  ["a line break", doc(p(text("a"), { type: "hardBreak" }, text("- b"))), "a\\\n\\- b"],
  ["line breaks inside a text", doc(p(text("a\nb"))), "a\\\nb"],
  ["a person", doc(p({ type: "mention", attrs: { id: "5b:1", text: "@Ana" } })), "[@Ana](accountid:5b%3A1)"],
  [
    "emoji",
    doc(
      p({ type: "emoji", attrs: { shortName: ":tada:", text: "🎉" } }, text(" "), {
        type: "emoji",
        attrs: { shortName: ":mug:" },
      }),
    ),
    "🎉 :mug:",
  ],
  ["a card", doc(p({ type: "inlineCard", attrs: { url: "https://a.example/x" } })), "<https://a.example/x>"],
  [
    "a link that would run script, as its words",
    doc(p({ type: "text", text: "a", marks: [{ type: "link", attrs: { href: "javascript:b" } }] })),
    "a",
  ],
  [
    "a block card",
    doc({ type: "blockCard", attrs: { url: "https://a.example/x" } }),
    "<https://a.example/x>",
  ],
  [
    "a date and a status",
    doc(
      p({ type: "date", attrs: { timestamp: "1767225600000" } }, text(" "), {
        type: "status",
        attrs: { text: "DONE" },
      }),
    ),
    "2026-01-01 DONE",
  ],
  [
    "an attached picture",
    doc({ type: "mediaSingle", content: [{ type: "media", attrs: { id: "1", alt: "mug.png" } }] }),
    "*(attached file: mug.png)*",
  ],
  [
    "a picture elsewhere",
    doc({
      type: "mediaSingle",
      content: [{ type: "media", attrs: { type: "external", url: "https://a.example/m.png", alt: "mug" } }],
    }),
    "[mug](https://a.example/m.png)",
  ],
  [
    "a panel",
    doc({ type: "panel", attrs: { panelType: "error" }, content: [p(text("hot"))] }),
    "> [!CAUTION]\n> hot",
  ],
  [
    "an expand",
    doc({ type: "expand", attrs: { title: "A & B" }, content: [p(text("c"))] }),
    "<details>\n<summary>A &amp; B</summary>\n\nc\n\n</details>",
  ],
  [
    "columns, one below the other",
    doc({
      type: "layoutSection",
      content: [
        { type: "layoutColumn", content: [p(text("a"))] },
        { type: "layoutColumn", content: [p(text("b"))] },
      ],
    }),
    "a\n\nb",
  ],
  [
    "decisions",
    doc({ type: "decisionList", content: [{ type: "decisionItem", content: [text("yes")] }] }),
    "- yes",
  ],
  ["a macro", doc({ type: "extension", attrs: { extensionKey: "toc" } }), "(macro: toc)"],
  ["a node from the future", doc({ type: "hologram", content: [p(text("still here"))] }), "still here"],
  [
    "a table with blocks and joined cells",
    doc({
      type: "table",
      content: [
        {
          type: "tableRow",
          content: [{ type: "tableHeader", attrs: { colspan: 2 }, content: [p(text("a|b"))] }],
        },
        {
          type: "tableRow",
          content: [
            { type: "tableCell", content: [p(text("c")), p(text("d"))] },
            {
              type: "tableCell",
              content: [{ type: "bulletList", content: [{ type: "listItem", content: [p(text("e"))] }] }],
            },
          ],
        },
      ],
    }),
    "| a\\|b |  |\n| --- | --- |\n| c<br>d | • e |",
  ],
];

describe("a document to markdown", () => {
  it.each(cases)("[view.jira] [view.confluence] reads %s", (_name, document, markdown) => {
    expect(fromAdf(document)).toBe(markdown);
  });

  it("keeps neighbouring lists apart", () => {
    const list = { type: "bulletList", content: [{ type: "listItem", content: [p(text("a"))] }] };
    const markdown = fromAdf(doc(list, list));
    expect(toAdf(markdown).content.map(({ type }) => type)).toEqual(["bulletList", "bulletList"]);
  });

  it("gives back the markdown it was made from", () => {
    const markdown = [
      "# Deploy",
      "Run `shop deploy` **now**, ask [@Ana](accountid:ana).",
      "1. one\n   - two\n2. three",
      "- [ ] open\n- [x] done",
      "> [!NOTE]\n> Read me\n>\n> - a",
      "```sh\nls -l\n```",
      "| a | b |\n| --- | --- |\n| `x\\|y` | **z** |",
      "---",
      "<https://a.example>",
    ].join("\n\n");
    expect(fromAdf(toAdf(markdown))).toBe(markdown);
  });

  it("bears a document nested ten thousand deep", () => {
    let node: unknown = p(text("bottom"));
    for (let depth = 0; depth < 10_000; depth++) node = { type: "blockquote", content: [node] };
    expect(fromAdf(doc(node))).toContain("bottom");
  });
});
