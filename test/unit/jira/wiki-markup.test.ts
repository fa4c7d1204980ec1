import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fromWiki, toWiki } from "#servers/jira/wiki-markup.ts";
import { anyCharacter } from "#test/any-character.ts";

describe("Markdown to wiki markup", () => {
  it.each([
    ["## Steps", "h2. Steps"],
    ["**bold** *it* ~~gone~~ `code`", "*bold* _it_ -gone- {{code}}"],
    ["[a page](https://x.example/a_b)", "[a page|https://x.example/a_b]"],
    ["<https://x.example>", "[https://x.example]"],
    ["![duck](https://x.example/duck.png)", "!https://x.example/duck.png!"],
    ["- one\n  - two\n- [x] three", "* one\n** two\n* \\[x\\] three"],
    ["1. one\n   - two", "# one\n#* two"],
    ["> a quote", "{quote}\na quote\n{quote}"],
    ["```java\nint a;\n```", "{code:java}\nint a;\n{code}"],
    ["```\n{code}\n```", "{noformat}\n{code}\n{noformat}"],
    ["| a | b |\n| - | - |\n| 1 | x\\|y |", "||a||b||\n|1|x\\|y|"],
    ["---", "----"],
    ["a  \nb", "a\\\\\nb"],
    ["snake_case stays", "snake_case stays"],
    ["{color:red} [x] -not- \\*this\\*", "\\{color:red\\} \\[x\\] \\-not- \\*this\\*"],
  ])("writes %j", (markdown, wiki) => {
    expect(toWiki(markdown)).toBe(wiki);
  });
});

describe("wiki markup to Markdown", () => {
  it.each([
    ["h3. Title", "### Title"],
    ["*bold* _it_ -gone- +under+ {{a*b}}", "**bold** *it* ~~gone~~ under `a*b`"],
    ["[page|https://x.example] and [https://y.example]", "[page](https://x.example) and <https://y.example>"],
    ["[~ben] asks [~accountid:12:ab]", "@ben asks @12:ab"],
    ["!https://x.example/duck.png|thumbnail!", "![duck.png](https://x.example/duck.png)"],
    ["* one\n** two\n*# three", "- one\n   - two\n   1. three"],
    ["bq. said", "> said"],
    ["{code:title=A.java|language=java}\nint a;\n{code}", "```java\nint a;\n```"],
    ["{noformat}\n``` ticks\n{noformat}", "````\n``` ticks\n````"],
    ["{panel:title=Note|bgColor=#fff}\ninside\n{panel}", "> **Note**\n>\n> inside"],
    ["{color:red}red{color} text", "red text"],
    ["||a||b||\n|1|[x|https://x.example]|", "| a | b |\n| --- | --- |\n| 1 | [x](https://x.example) |"],
    ["a \\{b\\} 2*3*4 -1 -2", "a {b} 2*3*4 -1 -2"],
    ["line\\\\\nbreak", "line  \nbreak"],
    ["{code}\nnever closed", "```\nnever closed\n```"],
  ])("reads %j", (wiki, markdown) => {
    expect(fromWiki(wiki)).toBe(markdown);
  });

  it("brings back what it wrote", () => {
    const markdown = [
      "## Steps",
      "Some **bold**, *slanted* and `code_like` words, [a link](https://x.example/a_b).",
      "- one\n   - two\n- [x] done",
      "> quoted",
      "```js\nlet a = 1;\n```",
      "| a | b |\n| --- | --- |\n| 1 | x\\|y |",
    ].join("\n\n");
    expect(fromWiki(toWiki(markdown))).toBe(markdown);
  });

  it("keeps every word of plain text", () => {
    const words = fc.array(fc.stringMatching(/^[a-zåäöé0-9]{1,8}[*_{}[\]|!~^+-]?$/), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(words, (list) => {
        const back = fromWiki(toWiki(list.join(" "))).replace(/\\/g, "");
        for (const word of list) expect(back).toContain(word.replace(/\W$/, ""));
      }),
    );
  });

  it("reads any text without throwing", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "{code}",
        "{quote}",
        "{panel:title=x}",
        "||",
        "|",
        "* ",
        "h1. ",
        "{{",
        "}}",
        "[",
        "]",
        "\\",
        "*",
        "_",
        "\n",
      ),
      fc.string({ unit: anyCharacter, maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        expect(typeof fromWiki(parts.join(""))).toBe("string");
        expect(typeof toWiki(parts.join(""))).toBe("string");
      }),
    );
  });
});
