import { describe, expect, it } from "vitest";

import { readMarkup } from "./discord-text.ts";
import { readPage } from "./http-page.ts";
import { readBlocks } from "./slack-text.ts";
import { HOSTILE } from "./words.ts";

const nameOf = (id: string): string => (id.endsWith("ANA00000") || id === "200000000000000001" ? "ana" : id);
const data = HOSTILE.slice(0, -1).join("\n");

/** A contract is worth what its eyes are worth: each reader sees what unescaped words become on its platform. */
describe("the readers of the contract's drivers", () => {
  it("see what Slack makes of markup, and nothing in words that are text", () => {
    const unsafe = readBlocks(
      { text: "", blocks: [{ type: "section", text: { type: "mrkdwn", text: data } }] },
      nameOf,
    );
    expect(unsafe.live).toEqual(
      expect.arrayContaining(["!channel", "@ana", "https://evil.example/b", "formats bold"]),
    );
    expect(readBlocks({ text: "<!here>", blocks: [] }, nameOf).live).toEqual(["!here"]);
    const rich = (...elements: object[]): ReturnType<typeof readBlocks> =>
      readBlocks(
        { text: "", blocks: [{ type: "rich_text", elements: [{ type: "rich_text_section", elements }] }] },
        nameOf,
      );
    expect(rich({ type: "text", text: data })).toEqual({ text: data, live: [] });
    expect(
      rich(
        { type: "link", url: "https://a.example", text: "a" },
        { type: "broadcast", range: "here" },
        { type: "text", text: "bold", style: { bold: true } },
      ),
    ).toEqual({ text: "abold", live: ["https://a.example", "broadcast", "formats bold"] });
  });

  it("see what Discord makes of markup, and nothing in words that are escaped", () => {
    const { text, live } = readMarkup(data, nameOf);
    expect(live).toEqual(
      expect.arrayContaining(["formats bold", "everyone", "https://evil.example/a", "@ana"]),
    );
    expect(text).not.toContain("*bold*");
    expect(readMarkup("\\*bold\\* @\u200Beveryone \\<@200000000000000001>", nameOf)).toEqual({
      text: "*bold* @everyone <@200000000000000001>",
      live: [],
    });
  });

  it("see what a browser makes of markup, and nothing in words that are escaped", () => {
    const within = (classes: string): boolean => classes === "card";
    const html = `<img src=y><p class="card"><img src=x onerror=alert(1)><a href="https://evil.example">here</a><b>bold</b></p>`;
    expect(readPage(html, within).live).toEqual(["img", "onerror", "https://evil.example", "formats bold"]);
    expect(readPage(`<p class="card">&lt;img src=x></p>`, within)).toEqual({ text: "<img src=x>", live: [] });
  });
});
