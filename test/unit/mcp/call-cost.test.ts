import { expect, it } from "vitest";

import { callResult } from "#src/mcp/connect/answers.ts";
import { fitsSurely } from "#src/mcp/call/outcome.ts";

it("never says of a value that it fits where its JSON is larger", () => {
  const worst = { text: "\u0001".repeat(100), list: [1 / 3, -1e-300, null, true, { "€\u0001": "€" }] };
  const bytes = Buffer.byteLength(JSON.stringify(worst));
  for (let limit = 0; limit < bytes; limit += 1) expect(fitsSurely(worst, limit)).toBe(false);
  expect(fitsSurely(worst, 4 * bytes)).toBe(true);
});

it("takes a result of a tool without content, and nothing that is no result of a tool", async () => {
  const read = async (value: unknown): Promise<unknown> => callResult["~standard"].validate(value);
  expect(await read({ structuredContent: { n: 1 } })).toMatchObject({
    value: { content: [], structuredContent: { n: 1 } },
  });
  for (const wrong of [null, [], { task: {} }, { content: "text" }, { content: [], structuredContent: [1] }])
    expect(await read(wrong)).toHaveProperty("issues");
});
