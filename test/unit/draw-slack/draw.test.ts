import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { toHtml } from "#adapters/preview/frame.ts";
import { drawBlocks } from "#adapters/preview/slack/blocks.ts";
import { type Fields, stillSlack } from "#adapters/preview/context.ts";
import { drawFile, drawMessage, drawModal } from "#adapters/preview/slack/message.ts";
import { renderCard } from "#adapters/slack/render/card.ts";

import { amount } from "#test/amount.ts";
import { arbitraryCard } from "#test/unit/render-html/arbitrary-card.ts";

import { elementsOf, offences, visibleText } from "./markup.ts";

const NASTY = `<script>alert(1)</script>"'><img src=x onerror=alert(1)> &amp; <!channel>`;

function draw(...blocks: Fields[]): string {
  return toHtml(...drawBlocks(blocks, stillSlack()));
}

function mrkdwn(text: string): string {
  return draw({ type: "section", text: { type: "mrkdwn", text } });
}

/** What stands in the block, without its frame. */
function inner(html: string): string {
  return html.replace(/^<div class="sl-block[^>]*><div class="sl-text">/, "").replace(/<\/div><\/div>$/, "");
}

describe("blocks of Slack as HTML", () => {
  it("[http.playground] draws every card's blocks, with nothing that a strict policy forbids", () => {
    fc.assert(
      fc.property(arbitraryCard, (card) => {
        const html = draw(...(renderCard(card, { ref: "r" }).blocks as unknown as Fields[]));
        expect(offences(html)).toEqual([]);
        // What the drawing does not know it shows as JSON: real blocks have no such thing.
        expect(html).not.toContain("&quot;type&quot;: &quot;");
      }),
      { numRuns: amount(150, 50) },
    );
  });

  it("[http.playground] stays harmless whatever comes, and shows what it does not know as text", () => {
    const types = [
      "section",
      "rich_text",
      "table",
      "context",
      "actions",
      "input",
      "image",
      "card",
      "plan",
      "x",
    ];
    const block = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...types), fc.string()),
        text: fc.oneof(fc.constant(NASTY), fc.record({ type: fc.string(), text: fc.constant(NASTY) })),
        elements: fc.array(
          fc.record({ type: fc.string(), url: fc.constant("javascript:alert(1)"), text: fc.string() }),
        ),
        rows: fc.array(fc.array(fc.record({ type: fc.constant("raw_text"), text: fc.constant(NASTY) }))),
        element: fc.record({ type: fc.constant("plain_text_input"), initial_value: fc.constant(NASTY) }),
        image_url: fc.constant("javascript:alert(1)"),
        fields: fc.anything(),
      },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(fc.array(block), (blocks) => {
        expect(offences(draw(...(blocks as Fields[])))).toEqual([]);
      }),
      { numRuns: amount(300, 100) },
    );
    expect(visibleText(draw({ type: "of_tomorrow", said: NASTY }))).toContain("<script>");
  });

  it("draws Slack's markup as Slack does", () => {
    expect(inner(mrkdwn("*bold* _it_ ~no~ `a<b` 2*3*4 snake_case_word"))).toBe(
      '<strong>bold</strong> <em>it</em> <s>no</s> <code class="sl-code">a&lt;b</code> 2*3*4 snake_case_word',
    );
    expect(inner(mrkdwn("&lt;!channel&gt; <@U1> <!here> <#C1|x> <!subteam^S1|y>"))).toBe(
      "&lt;!channel&gt; " +
        ["@U1", "@here", "#C1", "@S1"].map((name) => `<span class="sl-mention">${name}</span>`).join(" "),
    );
    const link = elementsOf(
      mrkdwn("<https://a.example/?x=1&amp;y=2|here> <javascript:alert(1)|there>"),
    ).filter(({ tagName }) => tagName === "a");
    expect(link.map(({ attrs }) => attrs.find(({ name }) => name === "href")?.value)).toEqual([
      "https://a.example/?x=1&y=2",
    ]);
    expect(visibleText(mrkdwn("&gt; one\n&gt; two\nthree\n```\n*code*\n```\nend")).trim()).toBe(
      "one\ntwothree\n*code* end",
    );
    expect(elementsOf(mrkdwn("&gt; one\n&gt; two\nthree")).map(({ tagName }) => tagName)).toContain(
      "blockquote",
    );
  });

  it("names people, channels and groups that are known", () => {
    const names = new Map([["U1", "ana"]]);
    const look = { ...stillSlack(), name: (id: string) => names.get(id) };
    const elements = [
      { type: "user", user_id: "U1" },
      { type: "channel", channel_id: "C1" },
    ];
    const block = { type: "rich_text", elements: [{ type: "rich_text_section", elements }] };
    expect(visibleText(toHtml(...drawBlocks([block], look))).trim()).toBe("@ana#C1");
  });

  it("aligns a table's columns, and scrolls it in its own box", () => {
    const cell = (text: string): Fields => ({ type: "raw_text", text });
    const html = draw({
      type: "table",
      rows: [
        [cell("Key"), cell("Points")],
        [cell("DEMO-1"), { type: "raw_number", value: 3, text: "3" }],
      ],
      column_settings: [{ is_wrapped: true }, { align: "right" }],
    });
    expect(html).toContain('<th class="sl-right sl-unwrapped">Points</th>');
    expect(html).toContain('<td class="sl-right sl-unwrapped">3</td>');
    expect(elementsOf(html).some(({ attrs }) => attrs.some(({ value }) => value === "sl-wide"))).toBe(true);
  });

  it("draws inputs with what is in them, and lets them act only where they are wired", () => {
    const block = {
      type: "input",
      block_id: "b",
      label: { type: "plain_text", text: "Status" },
      element: {
        type: "static_select",
        action_id: "a",
        options: [
          { value: "0", text: { type: "plain_text", text: "To Do" } },
          { value: "1", text: { type: "plain_text", text: "Done" } },
        ],
        initial_option: { value: "1", text: { type: "plain_text", text: "Done" } },
      },
    };
    expect(draw(block)).toContain('<option value="1" selected="">Done</option>');
    expect(draw(block)).toContain("<select disabled");
    const wired = { ...stillSlack(), attributes: () => ({ "data-control": "b/a" }) };
    const html = toHtml(...drawBlocks([block], wired));
    expect(html).toContain('<select data-control="b/a"');
    expect(html).not.toContain("disabled");
    const values = { b: { a: { selected_option: { value: "0" } } } };
    expect(toHtml(...drawBlocks([block], { ...stillSlack(), values }))).toContain(
      '<option value="0" selected="">To Do</option>',
    );
  });

  it("frames a message and a window, with names as text", () => {
    const message = toHtml(
      drawMessage(
        { author: NASTY, isApp: true, note: NASTY, blocks: [], after: [drawFile(NASTY, NASTY)] },
        stillSlack(),
      ),
    );
    expect(offences(message)).toEqual([]);
    expect(visibleText(message)).toContain("APP");
    const view = { title: { text: NASTY }, submit: { text: NASTY }, blocks: [] };
    const modal = toHtml(drawModal(view, stillSlack(), { close: {} }));
    expect(offences(modal)).toEqual([]);
    expect(visibleText(modal)).toContain("Cancel");
  });
});
