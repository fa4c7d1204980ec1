import * as fc from "fast-check";

import type { Card, CardElement, Cell, Inline } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { anyCharacter } from "#test/any-character.ts";

/** Strings that try to become markup, links or attributes, beside arbitrary ones. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "' onclick='x",
        "<!--",
        "-->",
        "]]>",
        "</textarea></style></title>",
        "&lt;b&gt;",
        "&#x3C;script&#x3E;",
        "[x](javascript:alert(1))",
        '[x](https://a.example/" onmouseover="x)',
        "![x](https://a.example/i.png)",
        "<https://a.example/<b>",
        "<javascript:alert(1)>",
        "**b**",
        "`<b>`",
        "```\n<i>\n```",
        "| <u> |\n|---|\n| <s> |",
        "# <h1>\n",
        "> <q>\n",
        "- <li>\n",
        "[r]: javascript:alert(1)\n[r]",
        "\u0000",
        "\u202E",
        "\uD800",
        "\r\n",
        " ",
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join("")),
);

const href = fc.oneof(
  hostile,
  fc.webUrl(),
  fc.constantFrom(
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "//a.example",
    "/relative",
    'https://a.example/"><b>',
    "HTTPS://a.example",
  ),
);

const inline: fc.Arbitrary<Inline> = fc.record(
  {
    text: hostile,
    href,
    tone: fc.constantFrom("neutral", "info", "good", "warn", "bad"),
  },
  { requiredKeys: ["text"] },
);
const cell: fc.Arbitrary<Cell> = fc.oneof(hostile, fc.double(), fc.boolean(), fc.constant(null), inline);
const json: fc.Arbitrary<JsonValue> = fc.oneof(
  hostile,
  fc.jsonValue({ maxDepth: 2 }).map((value) => value as JsonValue),
);
const few = { maxLength: 3 };

const { element } = fc.letrec<{ element: CardElement }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      {
        type: fc.constant("header" as const),
        text: hostile,
        href,
        eyebrow: hostile,
        badges: fc.array(inline, few),
      },
      { requiredKeys: ["type", "text"] },
    ),
    fc.record({
      type: fc.constant("fields" as const),
      items: fc.array(fc.record({ label: hostile, value: cell }), few),
    }),
    fc.record(
      {
        type: fc.constant("text" as const),
        text: hostile,
        format: fc.constantFrom("plain" as const, "markdown" as const),
        folded: fc.boolean(),
        graph: fc.array(
          fc.record({ text: hostile, sign: hostile, after: fc.array(fc.integer({ min: -1, max: 8 }), few) }),
          { maxLength: 8 },
        ),
      },
      { requiredKeys: ["type", "text", "format"] },
    ),
    fc.record({
      type: fc.constant("table" as const),
      caption: hostile,
      columns: fc.array(
        fc.record({ label: hostile, align: fc.constantFrom("left" as const, "right" as const) }),
        few,
      ),
      rows: fc.array(fc.array(cell, few), few),
      total: fc.nat(),
    }),
    fc.record({
      type: fc.constant("list" as const),
      ordered: fc.boolean(),
      items: fc.array(
        fc.record({ text: hostile, href, detail: hostile, badges: fc.array(inline, few) }),
        few,
      ),
    }),
    fc.record({ type: fc.constant("code" as const), text: hostile, language: hostile, folded: fc.boolean() }),
    fc.record({
      type: fc.constant("links" as const),
      items: fc.array(fc.record({ label: hostile, href }), few),
    }),
    fc.record({
      type: fc.constant("progress" as const),
      label: hostile,
      value: fc.double(),
      total: fc.double(),
    }),
    fc.record({
      type: fc.constant("changes" as const),
      items: fc.array(fc.record({ label: hostile, before: json, after: json }), few),
    }),
    fc.record({
      type: fc.constant("section" as const),
      title: hostile,
      folded: fc.boolean(),
      elements: fc.array(tie("element"), few),
    }),
    fc.record({
      type: fc.constant("actions" as const),
      items: fc.array(
        fc.record({
          id: fc.constantFrom("approve" as const, "deny" as const, "prompt" as const),
          label: hostile,
          style: fc.constantFrom("primary" as const, "danger" as const),
          value: hostile,
        }),
        few,
      ),
    }),
    fc.record({ type: fc.constant("footer" as const), text: hostile }),
    fc.record({ type: fc.constant("error" as const), message: hostile, detail: hostile }),
  ),
}));

export const arbitraryCard: fc.Arbitrary<Card> = fc.record({
  kind: fc.constantFrom("result", "answer", "question", "approval", "status", "error"),
  title: hostile,
  elements: fc.array(element, { maxLength: 4 }),
});
