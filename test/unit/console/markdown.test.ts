import { describe, expect, it } from "vitest";

import { renderCardTerminal } from "#adapters/console/render/terminal.ts";

function draw(text: string, width = 60): string[] {
  return renderCardTerminal(
    { kind: "answer", title: "t", elements: [{ type: "text", format: "markdown", text }] },
    { width, color: false },
  ).split("\n");
}

describe("markdown in the terminal", () => {
  it("[view.neutral] draws the safe subset", () => {
    const source = [
      "# Title",
      "",
      "A **bold** `code` [link](https://a.example.com/x).",
      "",
      "- one",
      "  - nested",
      "- [x] done",
      "",
      "> quoted",
      "",
      "```sh",
      "ls  -l",
      "```",
      "",
      "| A | B |",
      "|---|--:|",
      "| x | 12 |",
    ].join("\n");
    expect(draw(source)).toEqual([
      "Title",
      "",
      "A bold `code` link (https://a.example.com/x).",
      "",
      "• one",
      "  • nested",
      "☑ done",
      "",
      "▏ quoted",
      "",
      "│ ls  -l",
      "",
      "╭───┬────╮",
      "│ A │  B │",
      "├───┼────┤",
      "│ x │ 12 │",
      "╰───┴────╯",
    ]);
  });

  it("[view.neutral] shows HTML, images and unsafe links as text", () => {
    expect(draw("<script>x</script>")).toEqual(["<script>x</script>"]);
    expect(draw("![a cat](https://a.example.com/c.png)")).toEqual([
      "[image: a cat] (https://a.example.com/c.png)",
    ]);
    expect(draw("[click](javascript:alert(1))")).toEqual(["click"]);
    expect(draw("AT&amp;T &lt;b&gt; &#27;[2J &#x9b;31m")).toEqual(["AT&T <b> ␛[2J �31m"]);
  });

  it("[view.limits] shows a text that is nested too deep for the parser as it is", () => {
    const text = `${">".repeat(20_000)} deep`;
    expect(draw(text).join("").replace(/[▏ ]/g, "")).toContain("deep");
  });
});
