import { readFileSync } from "node:fs";

import { Ajv } from "ajv";
import type { ErrorObject, ValidateFunction } from "ajv";

import { isFields } from "./json.ts";
import { unknownTypes } from "./new-blocks.ts";
import type { BlocksSchema } from "./schema.ts";

/** Tells what in a block, chunk or attachment the types of `@slack/types` do not allow. */
export interface Structure {
  block(block: unknown, pointer: string): string[];
  chunk(chunk: unknown, pointer: string): string[];
  attachment(attachment: unknown, pointer: string): string[];
}

const POINTS = {
  type: "array",
  items: {
    type: "object",
    properties: { label: { type: "string" }, value: { type: "number" } },
    required: ["label", "value"],
    additionalProperties: false,
  },
};

/** Documented since June 2026, and not among the types of the package yet. */
const CHART_SCHEMA = {
  $id: "DataVisualizationBlock",
  type: "object",
  properties: {
    type: { const: "data_visualization" },
    block_id: { type: "string" },
    title: { type: "string" },
    chart: {
      type: "object",
      properties: {
        type: { type: "string" },
        segments: POINTS,
        series: {
          type: "array",
          items: {
            type: "object",
            properties: { name: { type: "string" }, data: POINTS },
            required: ["name", "data"],
            additionalProperties: false,
          },
        },
        axis_config: {
          type: "object",
          properties: {
            categories: { type: "array", items: { type: "string" } },
            x_label: { type: "string" },
            y_label: { type: "string" },
          },
          required: ["categories"],
          additionalProperties: false,
        },
      },
      required: ["type"],
      additionalProperties: false,
    },
  },
  required: ["type", "title", "chart"],
  additionalProperties: false,
};

interface Definition {
  properties?: { type?: { const?: string } };
  anyOf?: (Definition & { $ref?: string })[];
}

/**
 * Compiles one validator for each type of block. A union of twenty blocks would answer a misspelt property
 * with twenty complaints about the wrong types.
 */
export function createStructure(): Structure {
  const { definitions } = JSON.parse(
    readFileSync(new URL("blocks.schema.json", import.meta.url), "utf8"),
  ) as BlocksSchema;
  const ajv = new Ajv({ allErrors: true, strict: false });
  ajv.addSchema({ $id: "slack", definitions });
  const validators = new Map<string, ValidateFunction>();
  const validator = (name: string): ValidateFunction => {
    const known =
      validators.get(name) ??
      ajv.compile(name === CHART_SCHEMA.$id ? CHART_SCHEMA : { $ref: `slack#/definitions/${name}` });
    validators.set(name, known);
    return known;
  };
  const byType = (union: string): Map<string, string> => {
    const names = ((definitions[union] as Definition).anyOf ?? []).map(({ $ref = "" }) =>
      $ref.slice($ref.lastIndexOf("/") + 1),
    );
    return new Map(names.flatMap((name) => typesOf(definitions[name] ?? {}).map((type) => [type, name])));
  };
  const blocks = new Map([...byType("KnownBlock"), ["data_visualization", CHART_SCHEMA.$id] as const]);
  const chunks = byType("AnyChunk");
  const check = (known: Map<string, string>, value: unknown, pointer: string): string[] => {
    const type = isFields(value) && typeof value.type === "string" ? value.type : undefined;
    const name = type === undefined ? undefined : known.get(type);
    if (name === undefined) return [`unsupported type: ${String(type)} [json-pointer:${pointer}/type]`];
    return complaints(validator(name), value, pointer);
  };
  return {
    block: (block, pointer) => check(blocks, block, pointer),
    chunk: (chunk, pointer) => check(chunks, chunk, pointer),
    attachment: (attachment, pointer) => complaints(validator("MessageAttachment"), attachment, pointer),
  };
}

/** Ends the complaint about a block that is right and that this workspace does not have. */
export const NOT_HERE = "(not in this workspace)";

/** The same for a workspace that does not know some types of blocks. */
export function structureFor(structure: Structure, unknown: ReadonlySet<string>): Structure {
  if (unknown.size === 0) return structure;
  return {
    ...structure,
    block: (block, pointer) => {
      const [type] = unknownTypes(block, unknown);
      return type === undefined
        ? structure.block(block, pointer)
        : [`unsupported type: ${type} [json-pointer:${pointer}/type] ${NOT_HERE}`];
    },
  };
}

function typesOf(definition: Definition): string[] {
  const type = definition.properties?.type?.const;
  return type === undefined ? (definition.anyOf ?? []).flatMap(typesOf) : [type];
}

function complaints(validate: ValidateFunction, value: unknown, pointer: string): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => sentence(error, pointer));
}

function sentence(
  { instancePath, message = "is not allowed", params }: ErrorObject,
  pointer: string,
): string {
  const extra = (params as { additionalProperty?: string }).additionalProperty;
  return `${message}${extra === undefined ? "" : ` (${extra})`} [json-pointer:${pointer}${instancePath}]`;
}
