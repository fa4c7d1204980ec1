/** Writes the reference of an ensemble's file into docs/ensembles.md, of the schema: `npm run servers`. */
import { readFile, writeFile } from "node:fs/promises";

import { z } from "zod";

import {
  agentSchema,
  ensembleSchema,
  KEYS_OF_KIND,
  profileSchema,
  UNSUPPORTED,
} from "../servers/ensembles/engine/definition.ts";

export const page: URL = new URL("../docs/ensembles.md", import.meta.url);

interface Property {
  type?: string;
  enum?: string[];
  description?: string;
  default?: unknown;
  items?: { type?: string };
  anyOf?: Property[];
}

/** The page with its reference anew. */
export function withReference(text: string): string {
  const loop = agentSchema.shape.loop.unwrap();
  const kinds = Object.entries(KEYS_OF_KIND).map(
    ([kind, keys]) => `${kind}: ${keys.map((key) => `\`${key}\``).join(", ")}`,
  );
  const left = Object.values(UNSUPPORTED).flatMap((keys) => Object.keys(keys).map((key) => `\`${key}\``));
  const parts = [
    "An ensemble:",
    tableOf(ensembleSchema),
    `An agent is one of: ${kinds.join("; ")}. All other keys are for every kind.`,
    tableOf(agentSchema),
    "A loop:",
    tableOf(loop),
    "A profile:",
    tableOf(profileSchema),
    `An unknown key is an error. These of llm-orc are read over, and named by \`validate\`: ${[...new Set(left)].join(", ")}.`,
  ];
  return text.replace(
    /(<!-- reference.*?-->\n)[^]*?(<!-- end of the reference -->)/,
    (_, begin: string, end: string) => `${begin}\n${parts.join("\n\n")}\n\n${end}`,
  );
}

function tableOf(schema: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  const rows = Object.entries(properties).map(([key, property]) => {
    const about = [
      property.description ?? "",
      required.includes(key) ? "Required." : defaultOf(property),
    ].filter((part) => part !== "");
    return [`\`${key}\``, typeOf(property), about.join(" ").replaceAll("|", "\\|")];
  });
  const cells = [["key", "what it is", "what it does"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [
    line(cells[0] ?? []),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...rows.map(line),
  ].join("\n");
}

function typeOf({ type, enum: values, anyOf }: Property): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(" or ");
  if (anyOf !== undefined) return typeOf(anyOf[0] ?? {});
  const words: Record<string, string> = {
    string: "text",
    integer: "number",
    boolean: "true or false",
    array: "list",
  };
  return words[type ?? ""] ?? type ?? "anything";
}

function defaultOf({ default: given }: Property): string {
  return given === undefined || given === "" || (Array.isArray(given) && given.length === 0)
    ? ""
    : `Default \`${JSON.stringify(given)}\`.`;
}

if (import.meta.main) await writeFile(page, withReference(await readFile(page, "utf8")));
