/**
 * Writes test/fakes/slack/blocks.schema.json: the JSON schema of everything of Block Kit that `@slack/types`
 * knows. Run it after updating that package; a test fails while the two differ.
 */
import { writeFile } from "node:fs/promises";

import { blocksSchema } from "#test/fakes/slack/schema.ts";

await writeFile(
  new URL("../test/fakes/slack/blocks.schema.json", import.meta.url),
  `${JSON.stringify(blocksSchema(), null, 2)}\n`,
);
