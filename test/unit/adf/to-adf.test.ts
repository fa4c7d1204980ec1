import { describe, expect, it } from "vitest";
import type { AdfNode } from "#servers/kit/adf-document.ts";
import { toAdf } from "#servers/kit/adf-from-markdown.ts";
import { faultsOf } from "./well-formed.ts";

const text = (value: string, ...marks: AdfNode["marks"] & object): AdfNode =>
  marks.length === 0 ? { type: "text", text: value } : { type: "text", text: value, marks };
const p = (...content: AdfNode[]): AdfNode => ({ type: "paragraph", content });
const link = (href: string): { type: string; attrs: { href: string } } => ({
  type: "link",
  attrs: { href },
});

const cases: [name: string, markdown: string, content: AdfNode[]][] = [
  ["nothing", "", []],
  ["a heading", "### Steps", [{ type: "heading", attrs: { level: 3 }, content: [text("Steps")] }]],
  [
    "marks, alone and together",
    "**a *b* c** ~~d~~ `e`",
    [
      p(
        text("a ", { type: "strong" }),
        text("b", { type: "strong" }, { type: "em" }),
        text(" c", { type: "strong" }),
        text(" "),
        text("d", { type: "strike" }),
        text(" "),
        text("e", { type: "code" }),
      ),
    ],
  ],
  ["code inside bold, which may hold no other mark", "**`a`**", [p(text("a", { type: "code" }))]],
  [
    "links, bare and named",
    "<https://a.example/b> and [name](https://c.example)",
    [
      p(
        text("https://a.example/b", link("https://a.example/b")),
        text(" and "),
        text("name", link("https://c.example")),
      ),
    ],
  ],
  ["a link that would run script", "[press me](javascript:alert\\(1\\))", [p(text("press me"))]],
  ["one that hides it behind a tab", "[press me](<java\tscript:alert>)", [p(text("press me"))]],
  [
    "a person",
    "ask [@Ana Lindqvist](accountid:5b10:ac)",
    [
      p(text("ask "), {
        type: "mention",
        attrs: { id: "5b10:ac", text: "@Ana Lindqvist" },
      }),
    ],
  ],
  ["entities and escapes", "a &amp; b \\*c\\* &copy;", [p(text("a & b *c* ©"))]],
  ["a hard break", "a  \nb\\\nc", [p(text("a"), BREAK(), text("b"), BREAK(), text("c"))]],
  ["a line break in the source", "a\nb", [p(text("a b"))]],
  ["raw HTML, kept as text", "<b>a</b>", [p(text("<b>a</b>"))]],
  [
    "nested lists",
    "- a\n  1. b\n- c",
    [
      {
        type: "bulletList",
        content: [
          {
            type: "listItem",
            content: [
              p(text("a")),
              {
                type: "orderedList",
                attrs: { order: 1 },
                content: [{ type: "listItem", content: [p(text("b"))] }],
              },
            ],
          },
          { type: "listItem", content: [p(text("c"))] },
        ],
      },
    ],
  ],
  [
    "a list that starts at 3",
    "3. a",
    [
      {
        type: "orderedList",
        attrs: { order: 3 },
        content: [{ type: "listItem", content: [p(text("a"))] }],
      },
    ],
  ],
  [
    "tasks",
    "- [ ] a\n- [x] b",
    [
      {
        type: "taskList",
        attrs: { localId: "task-1" },
        content: [
          { type: "taskItem", attrs: { localId: "task-2", state: "TODO" }, content: [text("a")] },
          { type: "taskItem", attrs: { localId: "task-3", state: "DONE" }, content: [text("b")] },
        ],
      },
    ],
  ],
  [
    "code",
    "```ts\nconst a = `b`;\n\nc\n```",
    [
      {
        type: "codeBlock",
        attrs: { language: "ts" },
        content: [text("const a = `b`;\n\nc")],
      },
    ],
  ],
  ["a quote", "> a", [{ type: "blockquote", content: [p(text("a"))] }]],
  [
    "a heading in a quote, which may hold none",
    "> # a",
    [{ type: "blockquote", content: [p(text("a", { type: "strong" }))] }],
  ],
  [
    "an alert",
    "> [!WARNING]\n> hot",
    [{ type: "panel", attrs: { panelType: "warning" }, content: [p(text("hot"))] }],
  ],
  [
    "details",
    "<details>\n<summary>A &amp; B</summary>\n\nc\n\n</details>",
    [{ type: "expand", attrs: { title: "A & B" }, content: [p(text("c"))] }],
  ],
  ["a rule", "a\n\n---", [p(text("a")), { type: "rule" }]],
  [
    "a table",
    "| a | b |\n|---|---|\n| **c** | d\\|e |",
    [
      {
        type: "table",
        attrs: { isNumberColumnEnabled: false, layout: "default" },
        content: [
          { type: "tableRow", content: [cell("tableHeader", "a"), cell("tableHeader", "b")] },
          {
            type: "tableRow",
            content: [
              {
                type: "tableCell",
                attrs: {},
                content: [p(text("c", { type: "strong" }))],
              },
              cell("tableCell", "d|e"),
            ],
          },
        ],
      },
    ],
  ],
];

function BREAK(): AdfNode {
  return { type: "hardBreak" };
}

function cell(type: string, value: string): AdfNode {
  return { type, attrs: {}, content: [p(text(value))] };
}

describe("markdown to a document", () => {
  it.each(cases)("writes %s", (_name, markdown, content) => {
    const doc = toAdf(markdown);
    expect(doc).toEqual({ type: "doc", version: 1, content });
    expect(faultsOf(doc)).toEqual([]);
  });

  it.each([">".repeat(20_000), "- ".repeat(5000) + "x", "[".repeat(20_000), "**a".repeat(5000)])(
    "bears hostile nesting (%#)",
    (markdown) => {
      const doc = toAdf(`${markdown} end`);
      expect(faultsOf(doc)).toEqual([]);
      expect(JSON.stringify(doc)).toContain("end");
    },
  );
});
