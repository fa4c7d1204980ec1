import { expect, it } from "vitest";

import { newOrderedId } from "#src/base/ids.ts";

it("[card.statement] requests that are asked for together are sorted as they were asked for", () => {
  const ids = Array.from({ length: 1_000 }, () => newOrderedId("appr"));
  expect(ids.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
