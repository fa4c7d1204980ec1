import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { toHtml } from "#adapters/preview/frame.ts";
import { drawComponents } from "#adapters/preview/discord/components.ts";
import { stillDiscord } from "#adapters/preview/context.ts";
import { drawMarkdown } from "#adapters/preview/discord/text.ts";
import { drawMessage, drawModal } from "#adapters/preview/discord/message.ts";
import { renderCard } from "#adapters/discord/render/card.ts";
import { escapeText } from "#adapters/discord/render/escape.ts";

import { amount } from "#test/amount.ts";
import { anyCharacter } from "#test/any-character.ts";
import { elementsOf, offences, visibleText } from "#test/unit/draw-slack/markup.ts";
import { arbitraryCard } from "#test/unit/render-html/arbitrary-card.ts";

const NASTY = `<script>alert(1)</script>"'><img src=x onerror=alert(1)> &amp; @everyone`;
const NOW = Date.UTC(2026, 10, 22, 12);

function markdown(text: string): string {
  return toHtml(...drawMarkdown(text, stillDiscord(NOW)));
}

function message(payload: object): string {
  return toHtml(
    drawMessage({ author: "Countersign", isApp: true, note: "", payload: { ...payload } }, stillDiscord(NOW)),
  );
}

function components(...list: object[]): string {
  return toHtml(...drawComponents(list, stillDiscord(NOW)));
}

describe("messages of Discord as HTML", () => {
  it("[http.playground] draws every card's components, with nothing that a strict policy forbids", () => {
    fc.assert(
      fc.property(arbitraryCard, (card) => {
        const { parts } = renderCard(card, { ref: "r" });
        const html = components(...parts.map(({ component }) => component));
        expect(offences(html)).toEqual([]);
        expect(html).not.toContain("&quot;type&quot;: ");
      }),
      { numRuns: amount(150, 50) },
    );
  });

  it("[http.playground] stays harmless whatever comes, and shows what it does not know as text", () => {
    const component = fc.record({
      type: fc.integer({ min: 0, max: 30 }),
      content: fc.constant(NASTY),
      label: fc.constant(NASTY),
      url: fc.constant("javascript:alert(1)"),
      style: fc.integer({ min: 0, max: 7 }),
      accent_color: fc.oneof(fc.integer(), fc.constant('"><script>')),
      items: fc.constant([{ media: { url: "javascript:alert(1)" }, description: NASTY }]),
      components: fc.constant([{ type: 10, content: NASTY }]),
      options: fc.constant([{ value: NASTY, label: NASTY }]),
    });
    fc.assert(
      fc.property(fc.array(component), fc.string(), (list, content) => {
        const embeds = [
          { title: content, url: "javascript:alert(1)", description: NASTY, color: 99, fields: list },
        ];
        expect(offences(message({ content, components: list, embeds }))).toEqual([]);
      }),
      { numRuns: amount(200, 67) },
    );
    expect(visibleText(components({ type: 99, said: NASTY }))).toContain("<script>");
  });

  it("shows escaped data as it was, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const html = markdown(escapeText(text));
        const marks = elementsOf(html).map(({ tagName }) => tagName);
        // Addresses are links at Discord by themselves.
        expect(marks.filter((tag) => tag !== "a")).toEqual([]);
      }),
      { numRuns: amount(300, 100) },
    );
    expect(
      visibleText(markdown(escapeText("**a** _b_ `c` [d](https://e.example) <@123456789012345678>"))),
    ).toBe("**a** _b_ `c` [d](https://e.example) <@123456789012345678>");
  });

  it("draws Discord's markup as Discord does", () => {
    expect(markdown("**b** *i* __u__ ~~s~~ `c` \\*no\\* ||x||")).toBe(
      '<strong>b</strong> <em>i</em> <u>u</u> <s>s</s> <code class="dc-code">c</code> *no* <span class="dc-spoiler">x</span>',
    );
    expect(markdown("## Big\n-# small\nplain")).toBe(
      '<div class="dc-heading dc-heading-2">Big</div><div class="dc-subtext">small</div>plain',
    );
    expect(markdown("- a\n  - b\n1. c")).toContain(
      '<ul class="dc-list"><li>a<ul class="dc-list"><li>b</li></ul>',
    );
    expect(markdown('```json\n{ "a": 1 }\n```')).toBe(
      '<pre class="dc-pre"><code>{ &quot;a&quot;: 1 }</code></pre>',
    );
    expect(markdown("> one\n> two")).toBe('<blockquote class="dc-quote">one\ntwo</blockquote>');
    expect(markdown("[here](https://a.example) [there](javascript:alert(1))")).toMatch(
      /^<a class="dc-link" href="https:\/\/a\.example"[^>]*>here<\/a> there/,
    );
    expect(markdown("@everyone <@&123456789012345678>")).toBe(
      '<span class="dc-mention">@everyone</span> <span class="dc-mention">@123456789012345678</span>',
    );
  });

  it("says a time as a distance or as a date, in UTC", () => {
    const at = NOW / 1000 + 7200;
    expect(visibleText(markdown(`<t:${at}:R> <t:${at}:d> <t:${at}>`))).toBe(
      "in 2 hours 22/11/2026 22 November 2026 at 14:00",
    );
  });

  it("colours the edge of a box without a style attribute", () => {
    const html = components({ type: 17, accent_color: 0x5865f2, components: [] });
    expect(html).toContain('fill="#5865f2"');
    expect(components({ type: 17, components: [] })).not.toContain("<rect");
  });

  it("draws a window's fields with what is in them", () => {
    const modal = {
      title: "Edit",
      components: [
        {
          type: 18,
          label: "Summary",
          description: "What it is about",
          component: { type: 4, style: 2, custom_id: "s", value: "\nThe printer" },
        },
      ],
    };
    const html = toHtml(drawModal(modal, stillDiscord(NOW), { close: {} }));
    expect(offences(html)).toEqual([]);
    expect(visibleText(html)).toMatch(/Edit[^]*Summary \*What it is about\nThe printer/);
  });
});
