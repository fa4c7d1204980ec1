import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { createGenerator } from "ts-json-schema-generator";

/** The types of `@slack/types` that a message or a view is made of, with all that they refer to. */
const roots = ["KnownBlock", "AnyChunk", "MessageAttachment"] as const;

export interface BlocksSchema {
  $schema: string;
  $comment: string;
  definitions: Record<string, object>;
}

/** What an app's manifest may hold, as `@slack/web-api` has it for `apps.manifest.validate`. */
export function manifestSchema(): object {
  const api = fileURLToPath(import.meta.resolve("@slack/web-api"));
  const generator = createGenerator({
    path: join(dirname(api), "types/request/manifest.d.ts"),
    skipTypeCheck: true,
    jsDoc: "none",
    additionalProperties: false,
  });
  return generator.createSchema("Manifest");
}

/** Derives the schema from the installed declarations; takes a second or two. */
export function blocksSchema(): BlocksSchema {
  const generator = createGenerator({
    path: fileURLToPath(import.meta.resolve("@slack/types")).replace(/\.js$/, ".d.ts"),
    skipTypeCheck: true,
    jsDoc: "none",
    sortProps: true,
    additionalProperties: false,
  });
  const definitions: Record<string, object> = {};
  for (const root of roots) Object.assign(definitions, generator.createSchema(root).definitions);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $comment: "Made from @slack/types by npm run slack:schema.",
    definitions: Object.fromEntries(
      Object.entries(definitions).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ) as Record<string, object>,
  };
}
