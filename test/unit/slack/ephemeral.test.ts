import { expect, it } from "vitest";

import { contentOf } from "#adapters/slack/send/ephemeral.ts";
import { problemsOf } from "#test/unit/render-slack/checks.ts";

it("names people and channels to the person who is told of them, and leaves other words as they are", () => {
  const { text, blocks = [] } = contentOf(
    "Only slack:T0ACME000:U0CHLOE00 can decide this; you are slack:T0ACME000:U0BEN0000 in slack:T0ACME000:C0GENERAL. Approved by U0ANA0000.",
  );
  expect(problemsOf(blocks)).toEqual([]);
  expect(text).not.toContain("<");
  const found = JSON.stringify(blocks).matchAll(/"(?:user_id|channel_id)":"(\w+)"/g);
  expect([...found].map(([, id]) => id)).toEqual(["U0CHLOE00", "U0BEN0000", "C0GENERAL", "U0ANA0000"]);
  expect(JSON.stringify(blocks)).not.toContain("slack:T0ACME000");
});

it("makes no mention of words, and none of a whole channel", () => {
  for (const words of [
    "Denied. <!channel> UNIMPORTANT",
    "slack:nobody",
    "Already approved by ana at 10:00 UTC.",
  ]) {
    expect(contentOf(words).blocks).toBeUndefined();
    expect(contentOf(words).text).not.toContain("<!");
  }
});
