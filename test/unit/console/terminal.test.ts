import fc from "fast-check";
import stringWidth from "string-width";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";

import { renderCardTerminal } from "#adapters/console/render/terminal.ts";
import type { Card, CardElement, TableElement } from "#contract/card.ts";
import { anyCharacter } from "#test/any-character.ts";

const ESC = "\u001b";
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

function card(elements: CardElement[], kind: Card["kind"] = "result"): Card {
  return { kind, title: "A card", elements };
}

function plain(elements: CardElement[], options: { width?: number; more?: string } = {}): string {
  return renderCardTerminal(card(elements), { width: 80, color: false, ...options });
}

describe("elements", () => {
  it("[view.neutral] draws every element of a card", () => {
    const text = plain([
      {
        type: "header",
        text: "Login fails",
        eyebrow: "DEMO-1",
        href: "https://jira.example.com/browse/DEMO-1",
        badges: [{ text: "Open", tone: "warn" }],
      },
      {
        type: "fields",
        items: [
          { label: "Assignee", value: "Ana" },
          { label: "Due", value: null },
        ],
      },
      { type: "text", text: "one\n  two" },
      { type: "table", columns: [{ label: "Key" }, { label: "Points", align: "right" }], rows: [["A-1", 3]] },
      { type: "list", ordered: true, items: [{ text: "first", detail: "more of it" }] },
      { type: "code", text: "a\n  b" },
      { type: "links", items: [{ label: "Open", href: "https://a.example.com/x" }] },
      { type: "progress", label: "Done", value: 1, total: 4 },
      {
        type: "changes",
        items: [
          { label: "status", before: "To Do", after: "Done" },
          { label: "new", before: null, after: "x" },
        ],
      },
      { type: "section", title: "Group", elements: [{ type: "text", text: "inside" }] },
      {
        type: "actions",
        items: [
          { id: "approve", label: "Approve", value: "appr_1" },
          { id: "prompt", label: "More", value: "show more" },
        ],
      },
      { type: "footer", text: "the end" },
      { type: "error", message: "It broke", detail: "badly" },
    ]);
    expect(text).toBe(
      [
        "DEMO-1  [Open]",
        "Login fails (https://jira.example.com/browse/DEMO-1)",
        "",
        "Assignee  Ana",
        "Due       –",
        "",
        "one",
        "  two",
        "",
        "╭─────┬────────╮",
        "│ Key │ Points │",
        "├─────┼────────┤",
        "│ A-1 │      3 │",
        "╰─────┴────────╯",
        "",
        "1. first",
        "   more of it",
        "",
        "│ a",
        "│   b",
        "",
        "↗ Open (https://a.example.com/x)",
        "",
        "Done  █████░░░░░░░░░░░░░░░ 1/4 (25 %)",
        "",
        "status  To Do → Done",
        "new     + x",
        "",
        "Group",
        "  inside",
        "",
        "› Approve: /approve appr_1",
        "› More: show more",
        "",
        "the end",
        "",
        "✖ It broke",
        "  badly",
      ].join("\n"),
    );
  });

  it("[view.neutral] marks an approval at the edge and colours badges", () => {
    const text = renderCardTerminal(
      card([{ type: "header", text: "Create?", badges: [{ text: "waiting", tone: "warn" }] }], "approval"),
      {
        width: 40,
        color: true,
      },
    );
    expect(text).toContain(`${ESC}[33m▌${ESC}[39m`);
    expect(text).toContain(`${ESC}[33m● waiting${ESC}[39m`);
  });

  it("[view.neutral] draws who comes after whom, a name a line; without room it says the text", () => {
    const element: CardElement = {
      type: "text",
      text: "✓ lines  →  ✓ security · ✗ tests  →  ○ summary",
      graph: [
        { text: "lines", sign: "✓", tone: "good", after: [] },
        { text: "security", sign: "✓", tone: "good", after: [0] },
        { text: "tests", sign: "✗", tone: "bad", after: [0] },
        { text: "style", sign: "–", after: [0, 3] },
        { text: "alone", after: [7, -1] },
        { text: "summary\u001b[2J", sign: "○", after: [0, 1, 2, 2] },
        { text: "end", sign: "○", after: [3, 5] },
      ],
    };
    expect(plain([element]).split("\n")).toEqual([
      "✓            lines",
      "├─✓          security",
      "├─│─✗        tests",
      "├─│─│─–      style",
      "│ │ │ │ ●    alone",
      "╰─┴─┴─│─○    summary␛[2J",
      "      ╰─┴─○  end",
    ]);
    expect(plain([element], { width: 24 })).toBe("✓ lines  →  ✓ security ·\n✗ tests  →  ○ summary");
  });

  it("[view.limits] shortens folded text only where there is a way to see all of it", () => {
    const text: CardElement = {
      type: "text",
      folded: true,
      text: Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n"),
    };
    expect(plain([text]).split("\n")).toHaveLength(30);
    const folded = plain([text], { more: "/show 7" }).split("\n");
    expect(folded).toHaveLength(9);
    expect(folded.at(-1)).toBe("… 22 more lines · /show 7 shows all");
  });

  it("[view.neutral] shows changed texts line by line with what stays counted", () => {
    const text = plain([
      { type: "changes", items: [{ label: "body", before: "a\nb\nc", after: "a\nx\nc" }] },
    ]);
    expect(text.split("\n")).toEqual([
      "body",
      "    … 1 line as before",
      "  - b",
      "  + x",
      "    … 1 line as before",
    ]);
  });
});

describe("tables", () => {
  const wide: TableElement = {
    type: "table",
    columns: [{ label: "Key" }, { label: "Summary" }, { label: "Status" }],
    rows: [
      [
        { text: "DEMO-1", href: "https://jira.example.com/browse/DEMO-1" },
        "日本語の長い要約 with 🎉 words that have to wrap somewhere",
        { text: "Done", tone: "good" },
      ],
      [{ text: "DEMO-2", href: "https://jira.example.com/browse/DEMO-2" }, "short", null],
    ],
  };

  it.each([40, 60, 80, 120])("[console.loop] fits a table with wide characters into %i columns", (width) => {
    const lines = renderCardTerminal(card([wide]), { width, color: true }).split("\n");
    const box = lines.filter((line) => /[│╭├╰]/.test(line));
    expect(new Set(box.map((line) => stringWidth(line))).size).toBe(1);
    expect(stringWidth(box[0] ?? "")).toBeLessThanOrEqual(width);
    expect(lines.join("\n").replace(/\s/g, "")).toContain("🎉");
  });

  it("[console.loop] keeps keys whole and wraps the long column", () => {
    const lines = plain([wide], { width: 48 }).split("\n");
    expect(lines.filter((line) => line.includes("DEMO-1"))).toHaveLength(1);
    expect(lines.at(-1)).toBe("Key: https://jira.example.com/browse/<Key>");
  });

  it("[view.limits] says how many rows it leaves out, here and at the source", () => {
    const rows = Array.from({ length: 25 }, (_, index) => [`row ${index}`]);
    const table: TableElement = { type: "table", columns: [{ label: "A" }], rows, total: 90 };
    const short = plain([table], { more: "/show 2" });
    expect(short).toContain("row 19");
    expect(short).not.toContain("row 20");
    expect(short).toContain("… 5 more rows · /show 2 shows all");
    expect(short).toContain("… 65 more rows of 90 at the source");
    const all = plain([table]);
    expect(all).toContain("row 24");
    expect(all).not.toContain("5 more rows ·");
  });

  it("[console.loop] writes records where the columns cannot fit", () => {
    const labels = Array.from({ length: 14 }, (_, index) => `Column ${index}`);
    const table: TableElement = {
      type: "table",
      columns: labels.map((label) => ({ label })),
      rows: [labels.map((label) => `value of ${label}`)],
    };
    const lines = plain([table], { width: 80 }).split("\n");
    expect(lines[0]).toBe("value of Column 0");
    expect(lines.join(" ").replaceAll(/\s+/g, " ")).toContain("value of Column 12 · value of Column 13");
  });

  it("[view.limits] shows every word of every cell whatever the width", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/);
    const cell = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
    const rows = fc
      .integer({ min: 1, max: 5 })
      .chain((columns) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 4 }),
      );
    fc.assert(
      fc.property(rows, fc.integer({ min: 60, max: 130 }), (cells, width) => {
        const columns = (cells[0] ?? []).map((_, index) => ({ label: `C${index}` }));
        const lines = renderCardTerminal(card([{ type: "table", columns, rows: cells }]), {
          width,
          color: false,
        }).split("\n");
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        const shown = lines.join(" ");
        for (const text of cells.flat(2)) for (const part of text.split(" ")) expect(shown).toContain(part);
      }),
      { numRuns: 60 },
    );
  });
});

describe("data from outside", () => {
  /** Strings full of what a terminal would act on. */
  const nasty = fc
    .array(
      fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 8 }),
        fc.constantFrom(
          `${ESC}[2J`,
          `${ESC}]0;title\u0007`,
          `${ESC}]8;;https://evil.example.com\u0007x`,
          "\u009b31m",
          "\r",
          "\n",
          "\t",
          "\u0000",
          "\u007f",
          "\u202eabc",
          "\u200b",
          "\ud800",
          "**b** `c`",
          "\n> q\n- l\n",
          "| a | b |\n|---|---|\n| 1 | 2 |\n",
          "[t](javascript:x) ![i](data:x) <br> <b>",
          "&#27; &lt; &amp;lt;",
        ),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(""));

  const everything = (text: string): CardElement[] => [
    {
      type: "header",
      text,
      eyebrow: text,
      href: `https://a.example.com/${text}`,
      badges: [{ text, tone: "bad", href: text }],
    },
    {
      type: "fields",
      items: [
        { label: text, value: text },
        { label: "l", value: { text, href: text } },
      ],
    },
    { type: "text", text },
    { type: "text", text, format: "markdown", folded: true },
    {
      type: "table",
      caption: text,
      columns: [{ label: text }, { label: "B" }],
      rows: [[text, { text, tone: "info" }]],
    },
    { type: "list", items: [{ text, detail: text, href: text, badges: [{ text }] }] },
    { type: "code", text },
    {
      type: "links",
      items: [
        { label: text, href: text },
        { label: text, href: "https://b.example.com/?q=" + text },
      ],
    },
    { type: "progress", label: text, value: 1 },
    {
      type: "changes",
      items: [
        { label: text, before: text, after: [text] },
        { label: "x", before: { [text]: text }, after: null },
      ],
    },
    { type: "section", title: text, elements: [{ type: "text", text }] },
    { type: "actions", items: [{ id: "deny", label: text, value: text }] },
    { type: "footer", text },
    { type: "error", message: text, detail: text },
  ];

  it("[console.loop] never lets a control character through, for any string in any element", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 20, max: 120 }), (text, width) => {
        const shown = renderCardTerminal(card(everything(text)), { width, color: false, more: "/show 1" });
        expect(shown).not.toMatch(CONTROLS);
        expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
        expect(shown.isWellFormed()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("[console.loop] adds nothing but colours and http links of its own", () => {
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    const own = /\u001b\[\d+m|\u001b\]8;;(https?:\/\/[\u0021-\u007e]*)?\u0007/g;
    fc.assert(
      fc.property(nasty, fc.integer({ min: 20, max: 120 }), (text, width) => {
        const shown = renderCardTerminal(card(everything(text)), { width, color: true }).replace(own, "");
        expect(shown).not.toMatch(CONTROLS);
      }),
      { numRuns: 200 },
    );
  });

  it("[console.loop] says the same with and without colour", () => {
    const elements: CardElement[] = [
      { type: "text", format: "markdown", text: "**bold** and *more*\n\n- one\n- two" },
      { type: "changes", items: [{ label: "a", before: 1, after: 2 }] },
    ];
    const colored = renderCardTerminal(card(elements), { width: 60, color: true });
    expect(colored).toContain(ESC);
    expect(stripVTControlCharacters(colored)).toBe(
      renderCardTerminal(card(elements), { width: 60, color: false }),
    );
  });

  it("[console.loop] shows escape sequences of a ticket title as visible signs", () => {
    expect(plain([{ type: "header", text: `a${ESC}[31mb${ESC}]0;t\u0007c\u202ed` }])).toBe(
      "a␛[31mb␛]0;t␇c�d",
    );
  });

  it("[console.loop] keeps emoji of several code points whole", () => {
    const text = "👩‍💻 🏴󠁧󠁢󠁥󠁮󠁧󠁿 葛󠄀";
    expect(plain([{ type: "text", text }])).toBe(text);
  });

  it("[console.loop] links to http addresses only and shows an address that a link text hides", () => {
    const links = (href: string, label = "Open"): string =>
      renderCardTerminal(card([{ type: "links", items: [{ label, href }] }]), { width: 100, color: true });
    expect(links("https://a.example.com/")).toContain(
      `${ESC}]8;;https://a.example.com/\u0007Open${ESC}]8;;\u0007`,
    );
    expect(links("javascript:alert(1)")).not.toContain("]8;;");
    expect(links("file:///etc/passwd")).not.toContain("]8;;");
    expect(links("https://evil.example.com/", "https://bank.example.com")).toContain(
      "https://bank.example.com (https://evil.example.com/)",
    );
  });
});
