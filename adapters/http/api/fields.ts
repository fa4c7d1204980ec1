import type { JsonObject, JsonValue } from "#contract/json.ts";

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Without the fields that are undefined, which JSON cannot say. */
export function present(fields: Record<string, JsonValue | undefined>): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}
