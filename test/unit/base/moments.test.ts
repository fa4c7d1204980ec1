import { expect, it } from "vitest";

import { renderCard as renderDiscord } from "#adapters/discord/render/card.ts";
import { renderCardHtml } from "#adapters/http/page/render/html.ts";
import { renderCard as renderSlack } from "#adapters/slack/render/card.ts";
import type { Card } from "#contract/card.ts";
import { momentText, splitMoments } from "#src/base/moments.ts";

const at = Date.UTC(2026, 10, 21, 14, 5);

it("[view.neutral] a moment is found again where a card names it, and nowhere else", () => {
  const text = momentText(new Date(at));
  expect(text).toBe("21 Nov 2026, 14:05 UTC");
  expect(splitMoments(`Expires ${text} (in an hour)`)).toEqual(["Expires ", { text, at }, " (in an hour)"]);
  expect(splitMoments(text)).toEqual([{ text, at }]);
  for (const other of ["31 Feb 2026, 14:05 UTC", "21 Nov 2026, 25:05 UTC", "21 Nov 2026, 14:05", ""])
    expect(splitMoments(other)).toEqual(other === "" ? [] : [other]);
});

it("[view.neutral] each reader sees it in their own time: Slack's date, Discord's timestamp, the page's time", () => {
  const text = momentText(new Date(at));
  const items = [{ label: "Created", value: text }];
  const card: Card = { kind: "result", title: "An issue", elements: [{ type: "fields", items }] };
  const seconds = at / 1000;
  expect(JSON.stringify(renderSlack(card).blocks)).toContain(
    `{"type":"date","timestamp":${seconds},"format":"{date_short_pretty} at {time}","fallback":"${text}"}`,
  );
  expect(JSON.stringify(renderDiscord(card).parts)).toContain(`<t:${seconds}:f>`);
  expect(renderCardHtml(card)).toContain(
    `<time datetime="2026-11-21T14:05:00.000Z" data-clock="true">${text}</time>`,
  );
});
