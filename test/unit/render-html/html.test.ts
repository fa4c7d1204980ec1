import * as fc from "fast-check";
import { parseFragment } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import { describe, expect, it } from "vitest";

import { renderCardHtml } from "#adapters/http/page/render/html.ts";
import type { Card, CardElement } from "#contract/card.ts";

import { amount } from "#test/amount.ts";
import { arbitraryCard } from "./arbitrary-card.ts";

type Node = DefaultTreeAdapterTypes.Element;

/** Attributes each element may carry; an element that is missing here may not appear. */
const ALLOWED: Record<string, string[]> = {
  a: ["class", "href", "target", "rel"],
  article: ["class", "data-kind", "aria-label"],
  bdi: [],
  blockquote: [],
  br: [],
  button: ["type", "class", "data-action", "data-value"],
  caption: ["class"],
  code: ["class"],
  dd: ["class"],
  del: ["class"],
  details: ["class"],
  div: ["class", "role", "aria-label", "tabindex"],
  dl: ["class"],
  dt: ["class"],
  em: [],
  footer: ["class"],
  g: ["class"],
  h3: ["class"],
  h4: ["class"],
  h5: ["class"],
  h6: ["class"],
  header: ["class"],
  hr: [],
  ins: ["class"],
  li: ["class"],
  ol: ["class", "start"],
  p: ["class"],
  path: ["class", "d"],
  pre: ["class", "tabindex", "data-language"],
  progress: ["class", "max", "value", "aria-label"],
  rect: ["x", "y", "width", "height", "rx"],
  section: ["class"],
  span: ["class"],
  strong: [],
  summary: ["class"],
  svg: ["class", "role", "aria-label", "viewBox", "width", "height"],
  table: ["class"],
  tbody: [],
  td: ["class"],
  text: ["x", "y", "text-anchor"],
  th: ["class", "scope"],
  thead: [],
  time: ["datetime", "data-clock"],
  title: [],
  tr: [],
  ul: ["class"],
};

/** What about an element is not allowed. */
function offences(node: Node): string[] {
  const allowed = ALLOWED[node.tagName] ?? [];
  return node.attrs.flatMap(({ name, value }) => {
    const fine =
      allowed.includes(name) &&
      (name !== "href" ||
        (/^https?:\/\//i.test(value) && attribute(node, "rel") === "noopener noreferrer")) &&
      (name !== "class" || /^cs-[a-z-]+( cs-[a-z-]+)*$/.test(value));
    return fine ? [] : [`${node.tagName} ${name}=${value}`];
  });
}

function elementsOf(html: string): Node[] {
  const found: Node[] = [];
  const visit = (nodes: DefaultTreeAdapterTypes.ChildNode[]): void => {
    for (const node of nodes) {
      expect(["#text", ...Object.keys(ALLOWED)]).toContain(node.nodeName);
      if (!("tagName" in node)) continue;
      found.push(node);
      visit(node.childNodes);
    }
  };
  visit(parseFragment(html).childNodes);
  return found;
}

function textOf(node: DefaultTreeAdapterTypes.ChildNode): string {
  if (node.nodeName === "#text") return (node as DefaultTreeAdapterTypes.TextNode).value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

function draw(...elements: CardElement[]): string {
  return renderCardHtml({ kind: "result", title: "t", elements });
}

function find(html: string, tag: string, className?: string): Node[] {
  return elementsOf(html).filter(
    (node) =>
      node.tagName === tag &&
      (className === undefined || (attribute(node, "class") ?? "").split(" ").includes(className)),
  );
}

function attribute(node: Node | undefined, name: string): string | undefined {
  return node?.attrs.find((item) => item.name === name)?.value;
}

describe("renderCardHtml", () => {
  it("[view.neutral] writes only allowed elements, attributes and http links, whatever the strings are", () => {
    fc.assert(
      fc.property(arbitraryCard, (card: Card) => {
        expect(elementsOf(renderCardHtml(card)).flatMap(offences)).toEqual([]);
      }),
      { numRuns: amount(300, 100) },
    );
  });

  it("[view.neutral] nests as written: no string can close an element of the card", () => {
    fc.assert(
      fc.property(arbitraryCard, (card: Card) => {
        const root = parseFragment(renderCardHtml(card)).childNodes;
        expect(root.map((node) => node.nodeName)).toEqual(["article"]);
      }),
      { numRuns: amount(150, 50) },
    );
  });

  it("[view.neutral] shows every plain string as it is", () => {
    const text = `<b onclick="x">&amp; 'q' \u202E`;
    const html = draw(
      { type: "header", text, eyebrow: text, badges: [{ text }] },
      { type: "fields", items: [{ label: text, value: text }] },
      { type: "text", text },
      { type: "list", items: [{ text, detail: text }] },
      { type: "footer", text },
      { type: "error", message: text, detail: text },
    );
    const whole = parseFragment(html).childNodes.map(textOf).join("");
    expect(whole.split(text)).toHaveLength(12);
  });

  it("[view.neutral] draws who comes after whom, with the text for whoever cannot see it; too much stays text", () => {
    const text = "✓ <b> → ✗ long";
    const long = "a name that is far longer than its box";
    const html = draw({
      type: "text",
      text,
      graph: [
        { text: "<b>", sign: "✓", tone: "good", after: [] },
        { text: long, sign: "✗", tone: "bad", after: [0, 0, 1, 7, -1, 0.5] },
      ],
    });
    const [drawing] = find(html, "svg", "cs-graph");
    expect(attribute(drawing, "role")).toBe("img");
    expect(attribute(drawing, "aria-label")).toBe(text);
    expect(find(html, "text").map(textOf)).toEqual(["✓ <b>", "✗ a name that is far longer…"]);
    expect(find(html, "title").map(textOf)).toEqual([long]);
    expect(find(html, "path")).toHaveLength(1);
    expect(find(html, "g", "cs-graph-bad")).toHaveLength(1);

    const graph = Array.from({ length: 200 }, (_, index) => ({
      text: `n${index}`,
      after: Array.from({ length: index }, (__, one) => one),
    }));
    const much = draw({ type: "text", text, graph });
    expect(find(much, "svg")).toEqual([]);
    expect(much).toContain("cs-text--plain");
  });

  it("[view.neutral] drops addresses that are not http and keeps their text", () => {
    const html = draw(
      {
        type: "links",
        items: [
          { label: "bad", href: "javascript:alert(1)" },
          { label: "good", href: "https://jira.example.com/browse/DEMO-1" },
        ],
      },
      {
        type: "text",
        format: "markdown",
        text: "[md](javascript:x) ![pic](https://a.example/p.png) <b>raw</b>",
      },
    );
    const links = find(html, "a").map((node) => [textOf(node), attribute(node, "href")]);
    expect(links).toEqual([
      ["good", "https://jira.example.com/browse/DEMO-1"],
      ["pic", "https://a.example/p.png"],
    ]);
    const whole = parseFragment(html).childNodes.map(textOf).join("");
    expect(whole).toContain("bad");
    expect(whole).toContain("<b>raw</b>");
  });

  it("[view.neutral] formats the safe subset of markdown", () => {
    const html = draw({
      type: "text",
      format: "markdown",
      text: "# Title\n\n**bold** *soft* `co<de` &lt;ok&gt;\n\n- [x] one\n- two\n\n3. three\n\n> quote\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\nlet a = '<';\n```",
    });
    const pick = (tag: string): string[] => find(html, tag).map((node) => textOf(node));
    expect(pick("h4")).toEqual(["Title"]);
    expect(pick("strong")).toEqual(["bold"]);
    expect(pick("em")).toEqual(["soft"]);
    expect(pick("code")).toEqual(["co<de", "let a = '<';"]);
    expect(pick("li")).toEqual(["☑ one", "two", "three"]);
    expect(attribute(find(html, "ol")[0], "start")).toBe("3");
    expect(pick("blockquote")).toEqual(["quote"]);
    expect(pick("th")).toEqual(["a", "b"]);
    expect(pick("p")[0]).toBe("bold soft co<de <ok>");
  });

  it("[view.neutral] survives markdown that exhausts the lexer", () => {
    const text = `${"> ".repeat(20_000)}end`;
    expect(draw({ type: "text", format: "markdown", text })).toContain("end");
  });

  it("[view.neutral] draws tables with column headers, alignment and what was left out", () => {
    const html = draw({
      type: "table",
      caption: "Issues",
      columns: [{ label: "Key" }, { label: "Votes", align: "right" }],
      rows: [
        [{ text: "DEMO-1", href: "https://a.example/1" }, 3],
        [null, false],
      ],
      total: 60,
    });
    expect(find(html, "th").map((node) => [textOf(node), attribute(node, "scope")])).toEqual([
      ["Key", "col"],
      ["Votes", "col"],
    ]);
    expect(find(html, "td").map((node) => textOf(node))).toEqual(["DEMO-1", "3", "none", "no"]);
    expect(attribute(find(html, "td")[1], "class")).toBe("cs-right");
    expect(textOf(find(html, "p", "cs-total")[0] as Node)).toBe("2 of 60");
  });

  it("[view.neutral] folds long text with a preview and the whole, and leaves short text open", () => {
    const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
    const html = draw(
      { type: "text", text: long, folded: true },
      { type: "text", text: "short", folded: true },
    );
    expect(find(html, "details")).toHaveLength(1);
    expect(textOf(find(html, "span", "cs-fold-preview")[0] as Node)).toBe("line 0\nline 1\nline 2 …");
    expect(find(html, "div", "cs-text--plain").map((node) => textOf(node))).toEqual([long, "short"]);
  });

  it("[view.neutral] names a moment for the page's script wherever it stands, so that a card tells one time", () => {
    const until = "until 24 Nov 2026, 19:57 UTC";
    const html = draw(
      { type: "text", text: until },
      { type: "fields", items: [{ label: "Expires", value: until }] },
      { type: "list", items: [{ text: until, detail: until }] },
    );
    const moments = find(html, "time").map((node) => attribute(node, "datetime"));
    expect(moments).toEqual(Array(4).fill("2026-11-24T19:57:00.000Z"));
    expect(elementsOf(html).flatMap(offences)).toEqual([]);
  });

  it("[view.neutral] shows a bar only where there is a total", () => {
    const html = draw(
      { type: "progress", label: "Done", value: 3, total: 8 },
      { type: "progress", label: "Read", value: 12 },
    );
    expect(find(html, "progress").map((node) => [attribute(node, "value"), attribute(node, "max")])).toEqual([
      ["3", "8"],
    ]);
    expect(find(html, "span", "cs-progress-count").map((node) => textOf(node))).toEqual(["3 of 8", "12"]);
  });

  it("[view.neutral] draws changes field by field with nested values as canonical JSON", () => {
    const html = draw({
      type: "changes",
      items: [
        { label: "Status", before: "To Do", after: "Done" },
        { label: "Labels", before: null, after: { b: 1, a: ["x"] } },
      ],
    });
    expect(find(html, "del").map((node) => textOf(node))).toEqual(["To Do", "none"]);
    expect(find(html, "ins").map((node) => textOf(node))).toEqual(["Done", '{"a":["x"],"b":1}']);
  });

  it("[approve.card] folds a side of a change that would bury the others, and keeps it whole", () => {
    const body = "word ".repeat(500);
    const html = draw({ type: "changes", items: [{ label: "Body", before: "short", after: body }] });
    expect(find(html, "details")).toHaveLength(1);
    expect(find(html, "ins").map((node) => textOf(node))).toEqual([body]);
  });

  it("[approve.card] puts the action and its value on real buttons", () => {
    const html = renderCardHtml({
      kind: "approval",
      title: "Approval needed",
      elements: [
        {
          type: "actions",
          items: [
            { id: "approve", label: "Approve", style: "primary", value: 'appr_1" data-action="deny' },
            { id: "deny", label: "Deny", style: "danger", value: "appr_1" },
          ],
        },
      ],
    });
    expect(
      find(html, "button").map((node) => [
        attribute(node, "type"),
        attribute(node, "data-action"),
        attribute(node, "data-value"),
      ]),
    ).toEqual([
      ["button", "approve", 'appr_1" data-action="deny'],
      ["button", "deny", "appr_1"],
    ]);
  });

  it("[view.neutral] nests headings below the title and folds what asks for it", () => {
    const html = draw({
      type: "section",
      title: "Outer",
      elements: [
        { type: "section", title: "Inner", elements: [] },
        { type: "section", title: "History", folded: true, elements: [{ type: "text", text: "x" }] },
      ],
    });
    expect(textOf(find(html, "h4")[0] as Node)).toBe("Outer");
    expect(textOf(find(html, "h5")[0] as Node)).toBe("Inner");
    expect(textOf(find(html, "summary")[0] as Node)).toBe("History");
  });
});
