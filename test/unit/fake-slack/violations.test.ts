import { expect, it } from "vitest";

import type { Sent } from "#test/fakes/slack/types.ts";
import { violationsOf } from "#test/fakes/slack/violations.ts";

const fine: Sent = {
  method: "chat.postMessage",
  at: 0,
  channel: "C1",
  ts: "1.0",
  user: undefined,
  text: "&lt;!channel&gt; done",
  blocks: [{ type: "rich_text", elements: [{ type: "text", text: "<!channel>" }] }],
  view: undefined,
  problems: [],
  error: undefined,
};

it("tells what Slack would refuse for its form, and what would call a whole channel", () => {
  const bad: Sent[] = [
    { ...fine, error: "invalid_blocks", problems: ["no more than 50 items allowed"] },
    { ...fine, error: "msg_blocks_too_long", problems: ["msg_blocks_too_long"] },
    { ...fine, text: "<!here> done" },
    { ...fine, blocks: [{ type: "rich_text", elements: [{ type: "broadcast", range: "channel" }] }] },
    {
      ...fine,
      blocks: [],
      view: { blocks: [{ type: "section", text: { type: "mrkdwn", text: "<!channel>" } }] },
    },
  ];
  expect(bad.map((one) => violationsOf([one]).length)).toEqual([1, 1, 1, 1, 1]);
  expect(violationsOf(bad)).toContain("chat.postMessage: invalid_blocks, no more than 50 items allowed");
});

it("says nothing of what is fine, nor of what was refused for another reason", () => {
  expect(violationsOf([fine, { ...fine, error: "not_in_channel", problems: ["not_in_channel"] }])).toEqual(
    [],
  );
});
