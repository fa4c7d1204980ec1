/** Writes config/schema.json from the schema of the settings. */
import { writeFile } from "node:fs/promises";

import { configJsonSchema } from "#src/settings/schema.ts";

await writeFile(
  new URL("../config/schema.json", import.meta.url),
  `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
);
