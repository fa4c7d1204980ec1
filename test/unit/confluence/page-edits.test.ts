import { describe, expect, it } from "vitest";

import { withMore, withMoreUnder, withText } from "#servers/confluence/page-edits.ts";
import { fromStorage, toStorage } from "#servers/confluence/storage.ts";
import {
  withMoreInAdf,
  withMoreInStorage,
  withMoreUnderInAdf,
  withMoreUnderInStorage,
  withTextInAdf,
  withTextInStorage,
} from "#servers/confluence/stored-edits.ts";
import { toAdf } from "#servers/kit/adf-from-markdown.ts";
import { fromAdf } from "#servers/kit/adf-to-markdown.ts";

const PAGE = `Printers live on **two** floors, the third floor is ours.

## Day one

- [ ] Get a badge
- [ ] Choose your mug & keep it
- [x] Say hello

## Rules

1. Answer within **15 minutes**, always.
2. Make it better.

### Rota

| Week | Phone | Backup |
| --- | --- | --- |
| 4 November | Ben | Emi |
| 11 November | Chloé | Ben |

\`\`\`sh
deploy --force web
\`\`\`

## The end

Bye.`;

/** What the three forms of a page read as afterwards, which has to be the same. */
function everywhere(
  inMarkdown: (page: string) => string,
  inStorage: (page: string) => string,
  inAdf: (blocks: readonly unknown[]) => unknown[],
): string {
  const markdown = fromAdf(toAdf(inMarkdown(PAGE)));
  const stored = inStorage(toStorage(PAGE));
  expect(fromStorage(stored)).toBe(fromStorage(toStorage(markdown)));
  expect(fromAdf({ type: "doc", version: 1, content: inAdf(toAdf(PAGE).content) })).toBe(markdown);
  return markdown;
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

const before = lines(fromAdf(toAdf(PAGE)));

describe("a text of a page in place of another", () => {
  it.each([
    [
      "a part of a line",
      "third floor",
      "second floor",
      ["Printers live on **two** floors, the third floor is ours."],
      ["Printers live on **two** floors, the second floor is ours."],
    ],
    [
      "a part in another case, with signs of XML",
      "choose Your mug & keep it",
      "Bring a mug < 1 l",
      ["- [ ] Choose your mug & keep it"],
      ["- [ ] Bring a mug < 1 l"],
    ],
    ["a whole item", "Get a badge", "Get two badges", ["- [ ] Get a badge"], ["- [ ] Get two badges"]],
    [
      "a box, ticked",
      "[ ] choose your mug & keep it",
      "[x] choose your mug & keep it",
      ["- [ ] Choose your mug & keep it"],
      ["- [x] Choose your mug & keep it"],
    ],
    ["a box, open again", "- [x] Say hello", "- [ ] Say hello", ["- [x] Say hello"], ["- [ ] Say hello"]],
    ["a whole item, gone", "Get a badge", undefined, ["- [ ] Get a badge"], []],
    [
      "a line with several styles",
      "Answer within 15 minutes, always.",
      "Answer soon.",
      ["1. Answer within **15 minutes**, always."],
      ["1. Answer soon."],
    ],
    [
      "the word in bold",
      "two",
      "three",
      ["Printers live on **two** floors, the third floor is ours."],
      ["Printers live on **three** floors, the third floor is ours."],
    ],
    ["a heading", "The end", "Goodbye", ["## The end"], ["## Goodbye"]],
    ["a paragraph, gone", "Bye.", undefined, ["Bye."], []],
    [
      "a word of code",
      "--force web",
      "--force-with-lease web",
      ["deploy --force web"],
      ["deploy --force-with-lease web"],
    ],
    [
      "a cell of a row",
      "| 11 November | Chloé | Ben |",
      "| 11 November | Chloé | Farid |",
      ["| 11 November | Chloé | Ben |"],
      ["| 11 November | Chloé | Farid |"],
    ],
    ["a row, gone", "|4 November|Ben|Emi|", undefined, ["| 4 November | Ben | Emi |"], []],
    [
      "a cell by its only words",
      "Emi",
      "Dmitri",
      ["| 4 November | Ben | Emi |"],
      ["| 4 November | Ben | Dmitri |"],
    ],
  ])("%s", (_what, old, now, gone, come) => {
    const after = everywhere(
      (page) => withText(page, old, now ?? ""),
      (page) => withTextInStorage(page, old, now ?? ""),
      (blocks) => withTextInAdf(blocks, old, now ?? ""),
    );
    const expected = before.flatMap((line) => (gone.includes(line) ? come : [line]));
    // Items are counted anew.
    expect(lines(after)).toEqual(expected);
  });

  it.each([
    ["the fourth floor", "x", "text_not_found", /stands on the page.*got "the fourth floor"/u],
    ["Ben", "x", "text_unclear", /"Ben" stands there 2 times/u],
    ["within 15", "x", "text_split", /partly bold/u],
    ["| 4 November | Ben |", "x", "text_not_found", /to the letter/u],
    ["[ ] Say hello", "[x] Say hello", "text_not_found", /a box that is not ticked.*may be ticked already/u],
    ["[ ] e", "[x] e", "text_unclear", /one item with a box, but 2 have "e"/u],
    ["| 4 November | Ben | Emi |", "| 4 November | Ben |", "bad_row", /a row of 3 cells.*got 2/u],
  ])("is refused where it is not one: %s", (old, now, code, message) => {
    const failure = { code, message: expect.stringMatching(message) as string };
    expect(() => withTextInStorage(toStorage(PAGE), old, now)).toThrow(expect.objectContaining(failure));
    expect(() => withTextInAdf(toAdf(PAGE).content, old, now)).toThrow(expect.objectContaining(failure));
    expect(() => withText(PAGE, old, now)).toThrow(expect.objectContaining(failure));
  });

  it("keeps the columns of a table in line, and other cells as they are written", () => {
    const page = "| Week       | Who   | Why |\n| ---------- | ----- | --- |\n| 2 December | **Ana** | x   |";
    expect(withText(page, "| 2 December | Ana | x |", "| 2 December | Ana | yes |")).toBe(
      page.replace("x   |", "yes |"),
    );
    expect(withText(page, "| 2 December | Ana | x |", "| 9 December | Ana | x |")).toBe(
      page.replace("2 Dec", "9 Dec"),
    );
  });

  it("leaves macros, ids and what else Markdown has no words for to the letter", () => {
    const stored =
      '<ac:structured-macro ac:name="toc" ac:macro-id="7"><ac:parameter ac:name="x">third floor</ac:parameter></ac:structured-macro>' +
      '<p local-id="1">The&nbsp;fourth <u>floor</u></p><ul><li><p>only <em>item</em></p></li></ul><p>third floor</p>';
    expect(withTextInStorage(stored, "third floor", "second floor")).toBe(
      stored.replace(/third floor<\/p>$/, "second floor</p>"),
    );
    expect(withTextInStorage(stored, "only item", "")).toBe(stored.replace(/<ul>.*<\/ul>/, ""));
    const odd =
      '<table><tbody><tr><td title="a > b">x</td><td>y</td></tr></tbody></table><p title="1 > 0">old</p>';
    expect(withTextInStorage(odd, "old", "new")).toBe(odd.replace("old", "new"));
    expect(withTextInStorage(odd, "| x | y |", "| z | y |")).toBe(odd.replace(">x<", "><p>z</p><"));
    const card = { type: "inlineCard", attrs: { url: "https://wiki.example.com/x" } };
    const blocks = [
      { type: "extension", attrs: { extensionKey: "toc" } },
      {
        type: "paragraph",
        attrs: { localId: "1" },
        content: [{ type: "text", text: "See the third floor " }, card],
      },
    ];
    expect(withTextInAdf(blocks, "third floor", "second floor")).toEqual([
      blocks[0],
      { ...blocks[1], content: [{ type: "text", text: "See the second floor " }, card] },
    ]);
  });
});

describe("more at the end of a section", () => {
  it.each([
    ["an item of its list", "day one", "Get a chair", "- [x] Say hello", ["- [ ] Get a chair"]],
    ["a paragraph", "end", "See you.", "Bye.", ["See you."]],
    [
      "a row of its table",
      "Rota",
      "| 18 November | Emi | Ana |",
      "| 11 November | Chloé | Ben |",
      ["| 18 November | Emi | Ana |"],
    ],
    ["an item behind one", "Get a", "Get a chair", "- [ ] Get a badge", ["- [ ] Get a chair"]],
    [
      "a step behind one",
      "Answer within",
      "Call Ana.",
      "1. Answer within **15 minutes**, always.",
      ["2. Call Ana."],
    ],
    ["a paragraph behind one", "printers live", "In May.", before[0] ?? "", ["In May."]],
    ["blocks below its parts", "Rules", "- a\n- b", "```", ["- a", "- b"]],
  ])("%s", (_what, under, more, behind, come) => {
    const after = everywhere(
      (page) => withMoreUnder(page, under, more),
      (page) => withMoreUnderInStorage(page, under, more),
      (blocks) => withMoreUnderInAdf(blocks, under, more),
    );
    const at = before.lastIndexOf(behind);
    const counted = (line: string): string =>
      come[0] === "2. Call Ana." ? line.replace(/^2\. M/, "3. M") : line;
    expect(lines(after)).toEqual([
      ...before.slice(0, at + 1),
      ...come,
      ...before.slice(at + 1).map((line) => counted(line)),
    ]);
  });

  it("puts items into the list that a page ends with, and all else below it", () => {
    for (const list of ["- a\n- b", "1. a\n2. b", "- [ ] a\n- [x] b"]) {
      const page = `Text.\n\n${list}`;
      const item = `${list.split("\n")[1]?.replace("[x]", "[ ]").replace("2", "3").replace(/b$/, "") ?? ""}c`;
      const both = fromAdf(toAdf(`${page}\n${item}`));
      expect(fromAdf(toAdf(withMore(page, item)))).toBe(both);
      expect(fromStorage(withMoreInStorage(toStorage(page), item))).toBe(both);
      expect(fromAdf({ type: "doc", version: 1, content: withMoreInAdf(toAdf(page).content, item) })).toBe(
        both,
      );
      expect(withMore(page, "c")).toBe(`${page}\n\nc`);
      expect(withMoreInStorage(toStorage(page), "c")).toBe(`${toStorage(page)}<p>c</p>`);
      expect(withMoreInAdf(toAdf(page).content, "c")).toEqual([
        ...toAdf(page).content,
        ...toAdf("c").content,
      ]);
    }
  });

  it("is refused where no heading, or more than one, is called so", () => {
    const page = `${PAGE}\n\n## Day two\n\nRest.`;
    const unknown = {
      code: "section_not_found",
      message: expect.stringContaining('Its headings are "Day one", "Rules"') as string,
    };
    expect(() => withMoreUnder(page, "Parking", "x")).toThrow(expect.objectContaining(unknown));
    const unclear = {
      code: "section_unclear",
      message: expect.stringContaining('"Day one" or "Day two"') as string,
    };
    expect(() => withMoreUnder(page, "day", "x")).toThrow(expect.objectContaining(unclear));
    expect(() => withMoreUnderInStorage(toStorage(page), "day", "x")).toThrow(
      expect.objectContaining(unclear),
    );
    expect(() => withMoreUnderInAdf(toAdf(page).content, "day", "x")).toThrow(
      expect.objectContaining(unclear),
    );
    const none = { message: expect.stringContaining("It has no headings") as string };
    expect(() => withMoreUnder("Bye.", "day", "x")).toThrow(expect.objectContaining(none));
  });

  it("finds sections within a column or a panel, and stays in there", () => {
    const stored =
      "<ac:layout><ac:layout-section><ac:layout-cell><h2>Left</h2><ul><li>a</li></ul></ac:layout-cell>" +
      "<ac:layout-cell><h2>Right</h2><p>b</p></ac:layout-cell></ac:layout-section></ac:layout>";
    expect(withMoreUnderInStorage(stored, "left", "c")).toBe(
      stored.replace("<li>a</li>", "<li>a</li><li><p>c</p></li>"),
    );
    expect(withMoreUnderInStorage(stored, "right", "c")).toBe(stored.replace("<p>b</p>", "<p>b</p><p>c</p>"));
    const heading = (text: string): object => ({
      type: "heading",
      attrs: { level: 2 },
      content: [{ type: "text", text }],
    });
    const column = (content: object[]): object => ({ type: "layoutColumn", content });
    const blocks = (more: object[]): object[] => [
      { type: "layoutSection", content: [column([heading("Left"), ...more]), column([heading("Right")])] },
    ];
    expect(withMoreUnderInAdf(blocks([]), "left", "c")).toEqual(
      blocks([{ type: "paragraph", content: [{ type: "text", text: "c" }] }]),
    );
  });
});
