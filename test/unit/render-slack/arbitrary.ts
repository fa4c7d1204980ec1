import type * as fc from "fast-check";

import type { Card } from "#contract/card.ts";
import type { TurnView } from "#contract/present.ts";
import type { ToolCallResult } from "#contract/turn.ts";
import { arbitrariesOf } from "#test/unit/render-chat/arbitrary.ts";

const slack = arbitrariesOf([
  "<!channel>",
  "<!here|here>",
  "<@U012AB3CD>",
  "<#C012AB3CD|general>",
  "<https://evil.example|Your bank>",
  "*bold*",
  "_it_",
  "~gone~",
  "`code`",
  "```\nblock\n```",
  ":tada:",
  "&lt;!channel&gt;",
  "&",
  "@channel",
  "> quote",
]);

export const slackHostile: fc.Arbitrary<string> = slack.spiced;
export const slackCard: fc.Arbitrary<Card> = slack.card;
export const callResult: fc.Arbitrary<ToolCallResult> = slack.callResult;
export const turnView: fc.Arbitrary<TurnView> = slack.turnView;
