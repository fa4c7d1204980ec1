import { expect, it } from "vitest";

import { mentions, plainWords, withoutMention } from "#adapters/slack/receive/parse-message.ts";

it.each([
  ["a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"],
  ["see <https://x.example/a?b=1|x.example>", "see https://x.example/a?b=1"],
  ["ask <@U1|ana> in <#C1|general>, <!here>", "ask @ana in #general, @here"],
  ["write to <mailto:ana@x.example|ana@x.example>", "write to ana@x.example"],
  ["assign it to <@U1>", "assign it to @U1"],
])("reads %j as plain words", (text, words) => {
  expect(plainWords(text)).toBe(words);
});

it("leaves out the mention of the bot, and of nobody else", () => {
  expect(withoutMention("<@UBOT> show <@U1> DEMO-1 <@UBOT|countersign>", "UBOT")).toBe("show <@U1> DEMO-1");
  expect(mentions("hi <@UBOT2>", "UBOT")).toBe(false);
});
