import type { JsonObject, JsonValue } from "#contract/json.ts";
import { jsonFault } from "#src/base/json.ts";

const MAX_DEPTH = 12;

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object or array that a string holds as JSON text, else the value itself. */
export function unpackJson(value: JsonValue): JsonValue {
  if (typeof value !== "string" || value.length > 2_000_000 || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed = JSON.parse(value) as JsonValue;
    return typeof parsed === "object" && jsonFault(parsed) === undefined ? parsed : value;
  } catch {
    return value;
  }
}

/**
 * A value as JSON text of about `max` characters at most. Unlike `JSON.stringify` it takes any depth
 * and stops early; `cut` says that something is missing.
 */
export function compactJson(value: JsonValue, max: number): { text: string; cut: boolean } {
  const writer = { text: "", cut: false };
  write(value, max, 0, writer);
  if (writer.text.length > max) {
    return { text: `${writer.text.slice(0, max - 1).toWellFormed()}…`, cut: true };
  }
  return writer;
}

function write(value: JsonValue, max: number, depth: number, writer: { text: string; cut: boolean }): void {
  if (writer.text.length > max) {
    writer.cut = true;
  } else if (typeof value === "string") {
    writer.text += JSON.stringify(value.slice(0, max + 1));
  } else if (typeof value !== "object" || value === null) {
    writer.text += JSON.stringify(value);
  } else if (depth === MAX_DEPTH) {
    writer.text += "…";
    writer.cut = true;
  } else if (Array.isArray(value)) {
    writer.text += "[";
    for (const [index, item] of value.entries()) {
      if (writer.text.length > max) break;
      if (index > 0) writer.text += ",";
      write(item, max, depth + 1, writer);
    }
    writer.text += "]";
  } else {
    writer.text += "{";
    let first = true;
    for (const [key, item] of Object.entries(value)) {
      if (writer.text.length > max) break;
      writer.text += `${first ? "" : ","}${JSON.stringify(key.slice(0, max + 1))}:`;
      first = false;
      write(item, max, depth + 1, writer);
    }
    writer.text += "}";
  }
}

/**
 * "Ana Lindqvist (ana)" for an object that only names something: a name or title, and perhaps an id
 * or key beside it. Undefined for any other.
 */
export function nameOf(value: JsonObject): string | undefined {
  const { id, key, name, title, summary, ...rest } = value;
  const names = [name, title, summary].filter((item) => item !== undefined);
  const ids = [id, key].filter((item) => item !== undefined);
  const [only] = names;
  if (Object.keys(rest).length > 0 || names.length !== 1 || ids.length > 1) return undefined;
  if (typeof only !== "string" || only === "") return undefined;
  const [mark] = ids;
  if (mark == null || mark === "") return only;
  return typeof mark === "string" || typeof mark === "number" ? `${only} (${mark})` : undefined;
}
