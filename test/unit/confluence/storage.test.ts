import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "#servers/kit/adf-document.ts";
import { toAdf } from "#servers/kit/adf-from-markdown.ts";
import { fromStorage, toStorage } from "#servers/confluence/storage.ts";

/** Tags in pairs, attributes quoted, no bare `&` or `<`: what Confluence's XML parser insists on. */
function xmlFaults(xml: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  const rest = xml.replace(/<!\[CDATA\[.*?\]\]>/gsu, "");
  const tag = /<(\/?)([a-z][a-z0-9:-]*)((?: [a-z:-]+="[^"<&]*(?:&[a-z0-9#]+;[^"<&]*)*")*) ?(\/?)>/giu;
  for (const [, close, name = "", , self] of rest.matchAll(tag)) {
    if (self === "/") continue;
    if (close !== "/") open.push(name);
    else if (open.pop() !== name) faults.push(`</${name}>`);
  }
  if (open.length > 0) faults.push(`open: ${open.join(" ")}`);
  const between = rest.replace(tag, "");
  if (/[<>]|&(?!(?:amp|lt|gt|quot|apos|#x?[0-9a-f]+);)/iu.test(between)) faults.push(between);
  return faults;
}

const pairs: [name: string, markdown: string, storage: string][] = [
  ["marks", "**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>"],
  [
    "a link",
    "[a & b](https://x.example/?a=1&b=2)",
    '<p><a href="https://x.example/?a=1&amp;b=2">a &amp; b</a></p>',
  ],
  ["nested lists", "- a\n  1. b", "<ul><li><p>a</p><ol><li><p>b</p></li></ol></li></ul>"],
  [
    "tasks",
    "- [ ] a\n- [x] b",
    "<ac:task-list><ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>a</ac:task-body></ac:task>" +
      "<ac:task><ac:task-status>complete</ac:task-status><ac:task-body>b</ac:task-body></ac:task></ac:task-list>",
  ],
  [
    "code that ends a CDATA section",
    "```js\na[b[0]]>1\n```",
    '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">js</ac:parameter>' +
      "<ac:plain-text-body><![CDATA[a[b[0]]]]><![CDATA[>1]]></ac:plain-text-body></ac:structured-macro>",
  ],
  [
    "a table",
    "| a |\n| --- |\n| b |",
    "<table><tbody><tr><th><p>a</p></th></tr><tr><td><p>b</p></td></tr></tbody></table>",
  ],
  ["a person", "[@8a7f](accountid:8a7f)", '<p><ac:link><ri:user ri:userkey="8a7f" /></ac:link></p>'],
  ["a quote and a rule", "> a\n\n---", "<blockquote><p>a</p></blockquote><hr />"],
];

describe("storage format", () => {
  it.each(pairs)("writes and reads %s", (_name, markdown, storage) => {
    expect(toStorage(markdown)).toBe(storage);
    expect(fromStorage(storage)).toBe(markdown);
  });

  it.each(["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"])("keeps an alert: %s", (word) => {
    const markdown = `> [!${word}]\n> hot`;
    expect(fromStorage(toStorage(markdown))).toBe(markdown);
  });

  it.each([
    ["HTML entities", "<p>caf&eacute;&nbsp;&amp; tea &lt;3</p>", "café & tea <3"],
    [
      "a page link",
      '<p>See <ac:link><ri:page ri:content-title="On-call &amp; you" /></ac:link></p>',
      "See On-call & you",
    ],
    [
      "a link with its own words",
      '<p><ac:link><ri:page ri:content-title="X" /><ac:plain-text-link-body><![CDATA[a <b>]]></ac:plain-text-link-body></ac:link></p>',
      "a \\<b>",
    ],
    [
      "a status",
      '<p><ac:structured-macro ac:name="status"><ac:parameter ac:name="title">DONE</ac:parameter></ac:structured-macro> yes</p>',
      "**DONE** yes",
    ],
    [
      "a macro in a paragraph",
      '<p>a<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[b]]></ac:plain-text-body></ac:structured-macro></p>',
      "a\n\n```\nb\n```",
    ],
    ["a table of contents", '<ac:structured-macro ac:name="toc" />', "(macro: toc)"],
    [
      "an attached picture",
      '<ac:image><ri:attachment ri:filename="a.png" /></ac:image>',
      "*(attached file: a.png)*",
    ],
    [
      "columns",
      "<ac:layout><ac:layout-section><ac:layout-cell><p>a</p></ac:layout-cell><ac:layout-cell><p>b</p></ac:layout-cell></ac:layout-section></ac:layout>",
      "a\n\nb",
    ],
    [
      "a table head and a task's time",
      '<table><colgroup><col /></colgroup><tbody><tr><th>a</th></tr><tr><td><time datetime="2026-01-02" /></td></tr></tbody></table>',
      "| a |\n| --- |\n| 2026-01-02 |",
    ],
    [
      "an expand with a title",
      '<ac:structured-macro ac:name="expand"><ac:parameter ac:name="title">More</ac:parameter><ac:rich-text-body><p>a</p></ac:rich-text-body></ac:structured-macro>',
      "<details>\n<summary>More</summary>\n\na\n\n</details>",
    ],
    ["layout spaces between blocks", "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>", "- a\n- b"],
    ["a wreck", "<p>a <b>b</p><li", "a **b**"],
  ])("reads %s", (_name, storage, markdown) => {
    expect(fromStorage(storage)).toBe(markdown);
  });

  it("is well-formed for any text and keeps it", () => {
    const parts = fc.constantFrom(
      "<p>",
      "</p>",
      "&",
      "]]>",
      "<![CDATA[",
      '"',
      "**",
      "`",
      "```\n",
      "- ",
      "> ",
      "\n",
      "\n\n",
      "a",
      " ",
      '[x](http://y?a=1&b="2")',
    );
    const markdown = fc
      .array(fc.oneof(parts, fc.string({ maxLength: 6 })), { maxLength: 20 })
      .map((list) => list.join(""));
    const letters = (text: string): string => text.replace(/\s+/gu, "");
    fc.assert(
      fc.property(markdown, (text) => {
        const storage = toStorage(text);
        expect(xmlFaults(storage)).toEqual([]);
        expect(letters(plainText(toAdf(fromStorage(storage))))).toBe(letters(plainText(toAdf(text))));
      }),
      { numRuns: 400 },
    );
  });

  it("never throws on what a service may send", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60 }),
        fc.constantFrom("<p>", "<ac:link>", "<ac:structured-macro>", "<table><tr>"),
        (text, tag) => {
          expect(typeof fromStorage(tag + text)).toBe("string");
        },
      ),
      { numRuns: 300 },
    );
    expect(fromStorage(`${"<div>".repeat(20_000)}bottom`)).toContain("bottom");
  });
});
