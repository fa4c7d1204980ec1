import { expect, it } from "vitest";

import { withoutThinking } from "#src/model/answers.ts";

it.each([
  ["plain", "plain"],
  ["<think>a</think>b", "b"],
  ["\n <think>\na\n</think>\n\nb\n", "b\n"],
  ["<think>never ends", ""],
  ["opened by the template</think>b", "b"],
  ["say <think>x</think> aloud", "say <think>x</think> aloud"],
  ["<think>a</think>b</think>c", "b</think>c"],
  ["", ""],
])("withoutThinking(%j) is %j", (text, expected) => {
  expect(withoutThinking(text)).toBe(expected);
});
