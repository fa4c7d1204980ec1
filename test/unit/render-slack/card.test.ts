import { describe, expect, it } from "vitest";

import { renderCard } from "#adapters/slack/render/card.ts";
import type { CardOptions, RenderedCard } from "#adapters/slack/render/card.ts";
import { readFoldValue, readPageValue } from "#adapters/chat/actions.ts";
import { readActionId } from "#adapters/slack/render/buttons.ts";
import { allWindow } from "#adapters/chat/windows.ts";
import { renderWindow } from "#adapters/slack/render/window.ts";
import type { Card, CardElement, Cell } from "#contract/card.ts";

import { bare } from "#test/unit/render-chat/words.ts";
import { activePartsOf, buttonsOf, markupOf, nodesOf, ofType, problemsOf, textOf } from "./checks.ts";

function card(...elements: CardElement[]): Card {
  return { kind: "result", title: "A result", elements };
}

function draw(elements: CardElement[], options: CardOptions = { ref: "r" }): RenderedCard {
  const drawn = renderCard(card(...elements), options);
  expect(problemsOf(drawn.blocks)).toEqual([]);
  expect(activePartsOf(drawn.blocks)).toEqual([]);
  return drawn;
}

function allPages(elements: CardElement[]): RenderedCard[] {
  const first = draw(elements);
  return Array.from({ length: first.pages }, (_, page) => draw(elements, { ref: "r", page }));
}

const HOSTILE = "<!channel> <@U012AB3CD> <https://evil.example|ok> *b* _i_ ~s~ `c` :tada: & <b> @here";

describe("renderCard", () => {
  it("[slack.blocks] draws a header with what stands above it and its badges", () => {
    const { blocks } = draw([
      {
        type: "header",
        text: "Login fails",
        eyebrow: "DEMO-1",
        badges: [{ text: "Done", tone: "good" }, { text: "Bug" }],
      },
    ]);
    expect(ofType(blocks, "header")[0]?.text.text).toBe("Login fails");
    expect(ofType(blocks, "context")[0]?.elements.map((item) => ("text" in item ? item.text : ""))).toEqual([
      "DEMO-1",
      "🟢 Done",
      "Bug",
    ]);
  });

  it("[view.limits] goes on below a header that is longer than Slack allows", () => {
    const text = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    const { blocks } = draw([{ type: "header", text }]);
    expect(ofType(blocks, "header")[0]?.text.text.length).toBeLessThanOrEqual(150);
    expect(bare(textOf(blocks))).toContain(bare(text));
  });

  it("[slack.blocks] links a header once, where the card's own links do not", () => {
    const href = "https://jira.example.com/browse/DEMO-1";
    const header: CardElement = { type: "header", text: "Login", href };
    const urls = (blocks: unknown): unknown[] => nodesOf(blocks).flatMap((node) => node["url"] ?? []);
    expect(urls(draw([header]).blocks)).toEqual([href]);
    expect(urls(draw([header, { type: "links", items: [{ label: "Open DEMO-1", href }] }]).blocks)).toEqual([
      href,
    ]);
  });

  it("[slack.blocks] draws fields with bold labels, links, signs for colours and words for values", () => {
    const { blocks } = draw([
      {
        type: "fields",
        items: [
          { label: "Assignee", value: "Ana" },
          { label: "Votes", value: 3 },
          { label: "Done", value: false },
          { label: "Epic", value: null },
          { label: "Page", value: { text: "Deploy", href: "https://wiki.example.com/1" } },
          { label: "Status", value: { text: "Late", tone: "bad" } },
        ],
      },
    ]);
    const lines = nodesOf(ofType(blocks, "rich_text"))
      .filter((node) => node["type"] === "text" || node["type"] === "link")
      .map((node) => node["text"])
      .join("");
    expect(lines).toBe("Assignee  Ana\nVotes  3\nDone  no\nEpic  none\nPage  Deploy\nStatus  🔴 Late");
    const labels = nodesOf(blocks).filter((node) => JSON.stringify(node["style"]) === '{"bold":true}');
    expect(labels.map((node) => node["text"])).toEqual([
      "Assignee",
      "Votes",
      "Done",
      "Epic",
      "Page",
      "Status",
    ]);
  });

  it("[slack.blocks] formats the safe subset of markdown with elements, never with marks", () => {
    const { blocks } = draw([
      {
        type: "text",
        format: "markdown",
        text: "# Title\n\n**bold** *soft* ~~gone~~ `co<de` &lt;ok&gt;\n\n- [x] one\n  - under\n- two\n\n3. three\n\n> quote\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\nlet a = '<';\n```\n[w](https://wiki.example.com/1) [x](javascript:alert(1)) <!channel>",
      },
    ]);
    const nodes = nodesOf(blocks);
    const styled = (style: string): unknown[] =>
      nodes
        .filter((node) => (node["style"] as Record<string, unknown> | undefined)?.[style] === true)
        .map((node) => node["text"]);
    expect(styled("bold")).toEqual(["Title", "bold"]);
    expect(styled("italic")).toEqual(["soft"]);
    expect(styled("strike")).toEqual(["gone"]);
    expect(styled("code")).toEqual(["co<de"]);
    const lists = nodes.filter((node) => node["type"] === "rich_text_list");
    expect(lists.map((node) => [node["indent"] ?? 0, textOf(node["elements"])])).toEqual([
      [0, "☑ one"],
      [1, "under"],
      [0, "two"],
    ]);
    expect(nodes.filter((node) => node["type"] === "rich_text_quote").map(textOf)).toEqual(["quote"]);
    const fixed = nodes.filter((node) => node["type"] === "rich_text_preformatted").map(textOf);
    expect(fixed).toEqual(["a  b\n─  ─\n1  2", "let a = '<';"]);
    expect(nodes.filter((node) => node["type"] === "link").map((node) => node["url"])).toEqual([
      "https://wiki.example.com/1",
    ]);
    expect(textOf(blocks)).toContain("<ok>");
    expect(textOf(blocks)).toContain("3. three");
    expect(textOf(blocks)).toContain("<!channel>");
  });

  it("[slack.blocks] survives markdown that exhausts the lexer", () => {
    const text = `${"> ".repeat(20_000)}end`;
    expect(
      allPages([{ type: "text", format: "markdown", text }])
        .map((page) => textOf(page.blocks))
        .join(""),
    ).toContain("end");
  });

  it("[slack.blocks] draws a table with linked cells, alignment and how many rows there are", () => {
    const { blocks, attachments } = draw([
      {
        type: "table",
        caption: "Issues",
        columns: [{ label: "Key" }, { label: "Votes", align: "right" }],
        rows: [
          [{ text: "DEMO-1", href: "https://jira.example.com/browse/DEMO-1" }, 3],
          ["", { text: "Late", tone: "bad" }],
        ],
        total: 60,
      },
    ]);
    const [table] = ofType(blocks, "table");
    expect(table?.rows.map((row) => row.map(textOf))).toEqual([
      ["Key", "Votes"],
      ["DEMO-1https://jira.example.com/browse/DEMO-1", "3"],
      ["–", "🔴 Late"],
    ]);
    expect(table?.column_settings?.map((column) => column.align)).toEqual(["left", "right"]);
    expect(textOf(blocks)).toContain("2 of 60 rows in all.");
    expect(attachments).toEqual([]);
  });

  it("[view.limits] pages a long table, says which rows each shows, and attaches it as CSV", () => {
    const rows: Cell[][] = Array.from({ length: 500 }, (_, index) => [
      { text: `OPS-${index}`, href: `https://jira.example.com/browse/OPS-${index}` },
      `Summary number ${index}, with "quotes"`,
      index,
    ]);
    const table: CardElement = {
      type: "table",
      columns: ["Key", "Summary", "Votes"].map((label) => ({ label })),
      rows,
    };
    const pages = allPages([{ type: "header", text: "500 issues" }, table]);
    const shown = pages.flatMap(({ blocks }) =>
      ofType(blocks, "table").flatMap((block) => block.rows.slice(1).map((row) => textOf(row[1]))),
    );
    expect(shown).toEqual(rows.map((row) => row[1]));
    expect(textOf(pages[0]?.blocks)).toMatch(/Rows 1 to \d+ of 500\./);
    expect(textOf(pages[0]?.blocks)).toContain(`Page 1 of ${pages.length}`);
    expect(textOf(pages.at(-1)?.blocks)).toContain("In full in the attached file a-result.csv");
    const [file, ...others] = pages[0]?.attachments ?? [];
    expect(others).toEqual([]);
    expect(file?.content.split("\r\n")).toHaveLength(502);
    expect(file?.content.split("\r\n").slice(0, 2)).toEqual([
      "Key,Key URL,Summary,Votes",
      'OPS-0,https://jira.example.com/browse/OPS-0,"Summary number 0, with ""quotes""",0',
    ]);
  });

  it("[view.limits] turns pages by buttons that hold a short reference only", () => {
    const rows = Array.from({ length: 300 }, (_, index) => [`row ${index}`, "x".repeat(60)]);
    const pages = allPages([{ type: "table", columns: [{ label: "A" }, { label: "B" }], rows }]);
    expect(pages.length).toBeGreaterThan(2);
    const turns = pages.map(({ blocks }) =>
      buttonsOf(blocks).map((item) => [item.action_id, readPageValue(item.value)]),
    );
    expect(turns[0]).toEqual([["cs:page_next", { ref: "r", page: 1 }]]);
    expect(turns[1]).toEqual([
      ["cs:page_previous", { ref: "r", page: 0 }],
      ["cs:page_next", { ref: "r", page: 2 }],
    ]);
    expect(turns.at(-1)).toEqual([["cs:page_previous", { ref: "r", page: pages.length - 2 }]]);
    expect(
      draw([{ type: "table", columns: [{ label: "A" }], rows }], { ref: "r", page: 999 }).page,
    ).toBeGreaterThan(0);
  });

  it("[view.limits] cuts long cells and columns beyond the twentieth with a word, and attaches them whole", () => {
    const long = `start ${"y".repeat(5000)} end`;
    const columns = Array.from({ length: 25 }, (_, index) => ({ label: `C${index}` }));
    const row = columns.map((_, index) => (index === 3 ? long : `v${index}`));
    const { blocks, attachments } = draw([{ type: "table", columns, rows: [row] }]);
    expect(ofType(blocks, "table")[0]?.rows[1]).toHaveLength(20);
    expect(textOf(blocks)).toContain("In full in the attached file a-result.csv");
    expect(attachments[0]?.content).toContain(long);
    expect(attachments[0]?.content).toContain("v24");
  });

  it("[view.limits] draws a second table of a message as text, as Slack allows one block", () => {
    const table = (name: string): CardElement => ({
      type: "table",
      columns: [{ label: "Name" }, { label: "Size" }],
      rows: [[name, 1]],
    });
    const { blocks, pages } = draw([table("one"), table("two")]);
    expect(pages).toBe(1);
    expect(ofType(blocks, "table")).toHaveLength(1);
    expect(textOf(ofType(blocks, "rich_text"))).toBe("Name  Size\n────  ────\ntwo   1");
  });

  it("[view.limits] keeps formulas out of the CSV", () => {
    const rows = [["=HYPERLINK(1)"], ["+1"], ["-2"], [-2], ["@x"], ["plain"]];
    const wide = [...rows, ...Array.from({ length: 300 }, () => ["z".repeat(200)])];
    const { attachments } = draw([{ type: "table", columns: [{ label: "A" }], rows: wide }]);
    expect(attachments[0]?.content.split("\r\n").slice(1, 7)).toEqual([
      "'=HYPERLINK(1)",
      "'+1",
      "'-2",
      "-2",
      "'@x",
      "plain",
    ]);
  });

  it("[slack.blocks] draws lists with links, details and badges; numbers are written out", () => {
    const items = [
      {
        text: "one",
        href: "https://a.example/1",
        detail: "first",
        badges: [{ text: "new", tone: "info" as const }],
      },
      { text: "two" },
    ];
    const bullets = draw([{ type: "list", items }]).blocks;
    expect(nodesOf(bullets).filter((node) => node["type"] === "rich_text_list")).toHaveLength(1);
    expect(textOf(bullets)).toBe("onehttps://a.example/1  🔵 new  firsttwo");
    expect(textOf(draw([{ type: "list", ordered: true, items }]).blocks)).toMatch(/^1\. one.*2\. two$/s);
  });

  it("[view.limits] splits long code into boxes and pages without losing a character", () => {
    const text = Array.from({ length: 900 }, (_, index) => `line ${index} <&>"'\\`).join("\n");
    const pages = allPages([{ type: "code", text }]);
    expect(pages.length).toBeGreaterThan(1);
    const boxes = pages.flatMap(({ blocks }) =>
      nodesOf(blocks)
        .filter((node) => node["type"] === "rich_text_preformatted")
        .map(textOf),
    );
    expect(boxes.join("\n")).toBe(text);
  });

  it("[slack.blocks] shows links side by side and drops addresses that are not http", () => {
    const { blocks } = draw([
      {
        type: "links",
        items: [
          { label: "bad", href: "javascript:alert(1)" },
          { label: "good", href: "https://jira.example.com/browse/DEMO-1" },
        ],
      },
    ]);
    expect(nodesOf(blocks).flatMap((node) => node["url"] ?? [])).toEqual([
      "https://jira.example.com/browse/DEMO-1",
    ]);
    expect(textOf(blocks)).toContain("bad");
  });

  it("[slack.blocks] draws a bar only where there is a total", () => {
    expect(textOf(draw([{ type: "progress", label: "Done", value: 5, total: 10 }]).blocks)).toBe(
      "Done  ██████████░░░░░░░░░░  5 of 10",
    );
    expect(textOf(draw([{ type: "progress", label: "Read", value: 12 }]).blocks)).toBe("Read  12");
    expect(textOf(draw([{ type: "progress", label: "Odd", value: 1, total: 0 }]).blocks)).toBe("Odd  1 of 0");
  });

  it("[slack.blocks] draws changes field by field, long sides in boxes of their own", () => {
    const { blocks } = draw([
      {
        type: "changes",
        items: [
          { label: "Status", before: "To Do", after: "Done" },
          { label: "Labels", before: null, after: { b: 1, a: ["x"] } },
          { label: "Body", before: "one\ntwo", after: "" },
        ],
      },
    ]);
    expect(textOf(blocks)).toBe(
      'Status  To Do  →  Done\nLabels  none  →  {"a":["x"],"b":1}\nBody  beforeone\ntwoBody  after\nnone',
    );
  });

  it("[slack.blocks] folds sections and long text, and opens the whole behind the button", () => {
    const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
    const source = card(
      { type: "text", text: long, folded: true },
      {
        type: "section",
        title: "Outer",
        elements: [
          {
            type: "section",
            title: "History (2)",
            folded: true,
            elements: [{ type: "text", text: "deep down" }],
          },
        ],
      },
      { type: "text", text: "short", folded: true },
    );
    const { blocks } = draw(source.elements);
    expect(textOf(blocks)).toContain("line 5 …");
    expect(textOf(blocks)).not.toContain("line 6");
    expect(textOf(blocks)).toContain("History (2)\ndeep down");
    const folds = buttonsOf(blocks).map((item) => readFoldValue(item.value));
    expect(folds).toEqual([
      { ref: "r", path: "0" },
      { ref: "r", path: "1.0" },
    ]);
    const whole = renderWindow(allWindow(source, "r", "0"));
    expect(bare(textOf(whole.blocks))).toBe(bare(long));
    expect(renderWindow(allWindow(source, "r", "1.0")).title.text).toBe("History (2)");
    expect(textOf(renderWindow(allWindow(source, "r", "7")).blocks)).toBe("This part is no longer there.");
  });

  it("[slack.approve] puts actions on buttons with the reference as value, on every page", () => {
    const actions: CardElement = {
      type: "actions",
      items: [
        { id: "approve", label: "Approve", style: "primary", value: "appr_1" },
        { id: "deny", label: "Deny", style: "danger", value: "appr_1" },
      ],
    };
    const text = Array.from({ length: 2000 }, (_, index) => `argument ${index}`).join("\n");
    const pages = allPages([{ type: "code", text }, actions]);
    expect(pages.length).toBeGreaterThan(1);
    for (const { blocks } of pages) {
      expect(buttonsOf(blocks).filter((item) => !item.action_id.startsWith("cs:page"))).toEqual([
        { action_id: "cs:approve", value: "appr_1", text: "Approve", style: "primary" },
        { action_id: "cs:deny", value: "appr_1", text: "Deny", style: "danger" },
      ]);
    }
  });

  it("[view.limits] keeps buttons apart, and shows what a button cannot hold", () => {
    const label = "a very long label ".repeat(10);
    const message = "please ".repeat(400);
    const { blocks } = draw([
      {
        type: "actions",
        items: [
          { id: "prompt", label: "One", value: "one" },
          { id: "prompt", label: "Two", value: "two" },
          { id: "prompt", label, value: "three" },
          { id: "prompt", label: "Long", value: message },
        ],
      },
    ]);
    const found = buttonsOf(blocks);
    expect(found.map((item) => readActionId(item.action_id))).toEqual(["prompt", "prompt", "prompt"]);
    expect(bare(textOf(blocks))).toContain(bare(label));
    expect(bare(textOf(blocks))).toContain(bare(message));
  });

  it("[slack.blocks] draws footers small and errors with their detail", () => {
    const { blocks } = draw([
      { type: "error", message: "It broke", detail: "at one\nat two" },
      { type: "footer", text: "page 1" },
    ]);
    expect(textOf(ofType(blocks, "rich_text"))).toBe("⚠️ It brokeat one\nat two");
    expect(textOf(ofType(blocks, "context"))).toBe("page 1");
  });

  it("[view.neutral] lets no string of a card become a mention, a link, an emoji or a format", () => {
    const drawn = renderCard(
      {
        kind: "result",
        title: HOSTILE,
        elements: [
          { type: "header", text: HOSTILE, eyebrow: HOSTILE, badges: [{ text: HOSTILE, tone: "bad" }] },
          { type: "fields", items: [{ label: HOSTILE, value: HOSTILE }] },
          { type: "text", text: HOSTILE },
          { type: "list", items: [{ text: HOSTILE, detail: HOSTILE }] },
          { type: "table", columns: [{ label: HOSTILE }], rows: [[HOSTILE]] },
          { type: "code", text: HOSTILE },
          { type: "changes", items: [{ label: HOSTILE, before: HOSTILE, after: HOSTILE }] },
          { type: "section", title: HOSTILE, folded: true, elements: [] },
          { type: "error", message: HOSTILE, detail: HOSTILE },
          { type: "footer", text: HOSTILE },
        ],
      },
      { ref: "r" },
    );
    expect(problemsOf(drawn.blocks)).toEqual([]);
    expect(activePartsOf(drawn.blocks)).toEqual([]);
    expect(nodesOf(drawn.blocks).filter((node) => node["type"] === "link")).toEqual([]);
    expect(textOf(drawn.blocks).split(HOSTILE).length).toBeGreaterThan(13);
    expect(markupOf(drawn.text)).toEqual([]);
  });
});
