import { expect, it } from "vitest";

import { filesOfTree } from "./tree.ts";

/** Words of the machinery, and second words for an approval. */
const BANNED = [
  "countersignature",
  "whoever asked",
  "changes something",
  "says of itself",
  "rather not guess",
  "in other words",
  "waiting its turn",
  "needs approval anew",
  "the rule of this tool",
  "effect, as the tool",
  "wants an account of yours",
  "takes the place of",
];

const sources = await filesOfTree(/^(?:src|adapters|app|views)\/.+\.(?:ts|js)$/);

it("says things to people in their words", () => {
  const found = sources.flatMap(({ file, text }) => {
    const said = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "").toLowerCase();
    return BANNED.filter((words) => said.includes(words)).map((words) => `${file}: ${words}`);
  });
  expect(found).toEqual([]);
});
