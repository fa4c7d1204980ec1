import { readFile } from "node:fs/promises";

import { expect, it } from "vitest";

import { blocksSchema } from "#test/fakes/slack/schema.ts";

it("keeps the schema of blocks equal to the installed @slack/types", async () => {
  const file = new URL("../../fakes/slack/blocks.schema.json", import.meta.url);
  // `npm run slack:schema` writes it anew.
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(blocksSchema())));
});
