import { closest } from "fastest-levenshtein";
import { z } from "zod";

import { ToolFailure } from "#servers/kit/tool.ts";

import type { Tool } from "./registry.ts";

/**
 * The arguments of a call as its tool wants them: what is missing is named together, text that looks like JSON is
 * taken as the list or object that the schema has there, and an unknown name is answered with the nearest one.
 * Throws a ToolFailure: `unknown_argument`, `missing_arguments`, `bad_arguments`.
 */
export function readArguments(
  { parser, inputSchema, tool_id: id }: Tool,
  given: unknown,
): Record<string, unknown> {
  const properties = inputSchema["properties"] as Record<string, PropertySchema>;
  const names = Object.keys(properties);
  const entries = Object.entries(typeof given === "object" && given !== null ? given : {});
  // Small models fill what they do not know with nothing.
  const known = entries.filter(([, value]) => value !== null && value !== "");
  const unknown = entries.map(([name]) => name).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    throw new ToolFailure(
      "unknown_argument",
      `${id} has no argument "${unknown.slice(0, 80)}": did you mean ${closest(unknown.slice(0, 80), names)}? It takes ${names.join(", ")}`,
    );
  }
  const args = Object.fromEntries(
    known.map(([name, value]) => [name, toWanted(value, properties[name] ?? {})]),
  );
  const required = (inputSchema["required"] ?? []) as string[];
  const missing = required.filter((name) => !Object.hasOwn(args, name));
  if (missing.length > 0) {
    const these = missing.map((name) => `${name} (${properties[name]?.description ?? "required"})`);
    throw new ToolFailure("missing_arguments", `${id} needs ${these.join("; ")}`);
  }
  const parsed = parser.safeParse(args);
  if (parsed.success) return parsed.data;
  const said = parsed.error.issues.slice(0, 5).map(({ path, message }) => {
    return `${z.core.toDotPath(path)}: ${message}`;
  });
  throw new ToolFailure("bad_arguments", `${id}: ${said.join("; ")}`);
}

interface PropertySchema {
  type?: string;
  description?: string;
}

function toWanted(value: unknown, { type }: PropertySchema): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (type === "boolean" && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if ((type === "integer" || type === "number") && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (type !== "array" && type !== "object") return value;
  if (/^[[{]/.test(text)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ToolFailure("bad_arguments", `expected JSON, got ${text.slice(0, 80)}`);
    }
  }
  return type === "array" ? [value] : value;
}
