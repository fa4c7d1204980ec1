import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";

import { fileSchema } from "./schema.ts";

/** The JSON Schema (draft 7, which editors read best) of the configuration file as it is written. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(fileSchema, {
    target: "draft-7",
    io: "input",
    // An editor sees the file before `${NAME}` is replaced.
    override: ({ jsonSchema }) => {
      if (jsonSchema.type !== "string") return;
      delete jsonSchema.format;
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern = `${jsonSchema.pattern}|\\$\\{`;
    },
  });
  // Plain data: the generator's result also carries methods, which JSON leaves out.
  const plain = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return { ...plain, title: "Countersign configuration" };
}
